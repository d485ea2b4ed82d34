// The theme's colours, by computation: text and marks stand out from what they stand on, and
// categories differ for readers who see red and green alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** @typedef {[number, number, number]} Rgb linear, 0 to 1 */

const css = readFileSync(new URL("../src/style/theme.css", import.meta.url), "utf8");
const cut = css.indexOf(":root[data-theme");
const colours = (/** @type {string} */ text) =>
	new Map([...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((m) => [m[1] ?? "", m[2] ?? ""]));
const themes = { light: colours(css.slice(0, cut)), dark: colours(css.slice(cut)) };

/** @param {string} hex @returns {Rgb} */
function linear(hex) {
	const part = (/** @type {number} */ at) => {
		const v = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
		return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	};
	return [part(1), part(3), part(5)];
}

/** WCAG 2's contrast. @param {string} a @param {string} b */
function contrast(a, b) {
	const light = (/** @type {string} */ hex) => {
		const [r, g, b] = linear(hex);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const [high = 0, low = 0] = [light(a), light(b)].sort((x, y) => y - x);
	return (high + 0.05) / (low + 0.05);
}

/** How colours are seen: by all receptors; without those for red; without those for green
    (Machado, Oliveira, Fernandes 2009, severity 1). @type {Record<string, number[][]>} */
const SIGHTS = {
	all: [
		[1, 0, 0],
		[0, 1, 0],
		[0, 0, 1],
	],
	protanopia: [
		[0.152286, 1.052583, -0.204868],
		[0.114503, 0.786281, 0.099216],
		[-0.003882, -0.048116, 1.051998],
	],
	deuteranopia: [
		[0.367322, 0.860646, -0.227968],
		[0.280085, 0.672501, 0.047413],
		[-0.01182, 0.04294, 0.968881],
	],
};

/** Ottosson's Oklab: a space in which distances are as large as they seem. @param {number[]} rgb */
function oklab(rgb) {
	const [r = 0, g = 0, b = 0] = rgb.map((v) => Math.min(1, Math.max(0, v)));
	const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
	return [
		0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
		1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
	];
}

/** The least distance of two colours, over all sights. @param {string} a @param {string} b */
function distance(a, b) {
	return Math.min(
		...Object.values(SIGHTS).map((rows) => {
			const seen = (/** @type {string} */ hex) => {
				const rgb = linear(hex);
				return oklab(rows.map((row) => row.reduce((sum, v, i) => sum + v * (rgb[i] ?? 0), 0)));
			};
			const [x, y] = [seen(a), seen(b)];
			return Math.hypot(...x.map((v, i) => v - (y[i] ?? 0)));
		}),
	);
}

test("the measures are right: known contrasts and colours that are confused", () => {
	assert.equal(contrast("#000000", "#ffffff").toFixed(1), "21.0");
	assert.equal(contrast("#767676", "#ffffff").toFixed(2), "4.54");
	// A red and a green of equal lightness for those without the receptors for green.
	assert.ok(distance("#c05000", "#6f7a00") < 0.04);
	assert.ok(distance("#000000", "#ffffff") > 0.99);
});

for (const [name, theme] of Object.entries(themes)) {
	const of = (/** @type {string} */ key) => {
		const value = theme.get(key);
		assert.ok(value, `${name} has --${key}`);
		return value;
	};

	test(`${name}: text has a contrast of 4.5 on all that it stands on`, () => {
		for (const text of ["text", "quiet", "accent", "mark", "bad", "good", "warn"])
			for (const ground of ["bg", "raised", "accent-bg"]) {
				const found = contrast(of(text), of(ground));
				assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
			}
	});

	test(`${name}: marks have a contrast of 3`, () => {
		const marks = [
			"run",
			"wait",
			"ready",
			"faint",
			...Array.from({ length: 8 }, (_, i) => `cat-${i}`),
		];
		for (const mark of marks) {
			const found = contrast(of(mark), of("bg"));
			assert.ok(found >= 3, `${mark}: ${found.toFixed(2)}`);
		}
	});

	test(`${name}: categories and kinds differ for colour-blind readers, too`, () => {
		for (const group of [
			["run", "wait", "ready"],
			["mark", "wait", "faint"],
			Array.from({ length: 8 }, (_, i) => `cat-${i}`),
		])
			for (const [i, a] of group.entries())
				for (const b of group.slice(i + 1)) {
					const found = distance(of(a), of(b));
					assert.ok(found >= 0.085, `${a} and ${b}: ${found.toFixed(3)}`);
				}
	});

	test(`${name}: heat grows from the ground away, step by step`, () => {
		const steps = [0, 1, 2, 3, 4].map((i) => contrast(of(`heat-${i}`), of("bg")));
		for (const [i, step] of steps.entries()) assert.ok(i === 0 || step > 1.1 * (steps[i - 1] ?? 0));
	});
}
