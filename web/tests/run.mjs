// Tests of the pages, in one process and one browser: all; those whose file is named (`npm test mine`);
// or every second, third, ... file, for several processes side by side (`npm test -- --part=1/2`).
import { readdirSync } from "node:fs";

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith("--"));
const match = /^--part=(\d+)\/(\d+)$/.exec(args.find((arg) => arg.startsWith("--")) ?? "");
const part = Number(match?.[1] ?? 1);
const parts = Number(match?.[2] ?? 1);
const files = readdirSync(new URL(".", import.meta.url))
	.filter((name) => name.endsWith(".test.mjs"))
	.filter((file) => !wanted.length || wanted.some((name) => file.startsWith(name)))
	.sort();
for (const [i, file] of files.entries()) if (i % parts === part - 1) await import(`./${file}`);
