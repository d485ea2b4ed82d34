// Names of recordings: short, and different for different paths.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transformWithEsbuild } from "vite";

/** @typedef {{namer: (paths: readonly string[]) => (path: string) => string}} Names */

const file = new URL("../src/shared/recording-names.ts", import.meta.url);
const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), "recording-names.ts");
const names = /** @type {Names} */ (
	await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)
);

test("recordings of one base name are told apart by folders", () => {
	const expected = [
		["new/slow.data", "new/slow.data"],
		["old/slow.data", "old/slow.data"],
		["old/fast.lode/perf.data.zst", "fast.lode"],
		["x/7.lode/perf.data", "x/7.lode"],
		["y/7.lode/perf.data.gz", "y/7.lode"],
		["slow", "slow"],
		["z/slow", "z/slow"],
		["b/perf.data", "b/perf.data"],
		["b/perf.data.xz", "b/perf.data.xz"],
	];
	const name = names.namer(expected.map(([path = ""]) => path));
	for (const [path = "", short] of expected) assert.equal(name(path), short);
	assert.equal(names.namer([])("a/b"), "a/b");
});
