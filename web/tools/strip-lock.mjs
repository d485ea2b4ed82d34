// Takes the registry's addresses out of package-lock.json: names, versions and hashes say what is
// meant, and every machine has its own registry. (npm's omit-lockfile-registry-resolved loses the
// versions of packages for other platforms.) With --check: fails if there are any. LOCK: another one.
import { readFileSync, writeFileSync } from "node:fs";

const check = process.argv.includes("--check");
const other = process.argv.slice(2).find((word) => word !== "--check");
const file = other ?? new URL("../package-lock.json", import.meta.url);
const text = readFileSync(file, "utf8");
const stripped = text.replace(/^\s*"resolved": .*\n/gm, "");
if (check) {
	if (stripped !== text) {
		console.error("package-lock.json names a registry: run `npm run lock` beside it");
		process.exit(1);
	}
} else {
	writeFileSync(file, stripped);
}
