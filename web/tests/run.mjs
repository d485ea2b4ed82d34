// All tests of the pages, in one process and one browser; or those whose file is named: `npm test mine`.
import { readdirSync } from "node:fs";

const wanted = process.argv.slice(2);
const files = readdirSync(new URL(".", import.meta.url)).filter((name) =>
	name.endsWith(".test.mjs"),
);
for (const file of files.sort())
	if (!wanted.length || wanted.some((name) => file.startsWith(name))) await import(`./${file}`);
