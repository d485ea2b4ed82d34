// Ticks of time: each says another time, and its own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transformWithEsbuild } from "vite";

/** @typedef {{timeTicks: (domain: [number, number], most: number) => number[], sinceText: (ns: number, stepNs: number) => string}} Scales */

const file = new URL("../src/shared/scales.ts", import.meta.url);
const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), "scales.ts");
const scales = /** @type {Scales} */ (
	await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)
);

const UNITS = new Map([
	["s", 1e9],
	["ms", 1e6],
	["µs", 1e3],
	["ns", 1],
]);

/** @param {string} text */
function timeOf(text) {
	if (text === "0") return 0;
	const [number = "", unit = ""] = text.split("\u202f");
	return Number(number) * (UNITS.get(unit) ?? Number.NaN);
}

test("a tick's text is its time, also far from the start and close to the next", () => {
	let seed = 1;
	const random = () => {
		seed = (seed * 48271) % 2147483647;
		return seed / 2147483647;
	};
	for (let i = 0; i < 5000; i++) {
		const span = 20 * 10 ** (random() * 11);
		const from = Math.floor(random() < 0.1 ? 0 : span * 10 ** (random() * 6 - 1));
		const ticks = scales.timeTicks([from, from + span], 3 + Math.floor(random() * 20));
		const step = ticks.length > 1 ? (ticks[1] ?? 0) - (ticks[0] ?? 0) : span;
		for (const t of ticks) {
			const text = scales.sinceText(t, step);
			assert.ok(Math.abs(timeOf(text) - t) < step / 100, `${t} by ${step}: ${text}`);
		}
		const texts = ticks.map((t) => scales.sinceText(t, step));
		assert.equal(new Set(texts).size, texts.length, texts.join(" | "));
	}
	assert.equal(scales.sinceText(774_950_000, 50_000), "774.95\u202fms");
	assert.equal(scales.sinceText(5e6, 5e6), "5\u202fms");
	assert.equal(scales.sinceText(1.5e9, 5e8), "1.5\u202fs");
});
