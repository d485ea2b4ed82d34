// Every number that a table shows: it is one of its row in the CSV, which is one of the document that
// --json prints.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv, reportsIn, saved, show } from "./harness.mjs";

/** Means of two numbers that stand in the same row; other ratios are no whole numbers. */
const MEANS = new Set(["mean_ns", "average_ns"]);
/** From one time of the document to another. */
const LENGTHS = new Set(["length_ns", "at"]);

/** All numbers of a document. @param {any} value @param {Set<number>} into */
function numbersOf(value, into = new Set()) {
	if (typeof value === "number") into.add(value);
	else if (value && typeof value === "object")
		for (const item of Object.values(value)) numbersOf(item, into);
	return into;
}

/** 1.23 ms, as the terminal writes it. @param {number} ns */
function duration(ns) {
	for (const [size, unit] of /** @type {const} */ ([
		[1, "ns"],
		[1e3, "µs"],
		[1e6, "ms"],
		[1e9, "s"],
	])) {
		if (unit !== "s" && Math.abs(ns) >= 999.5 * size) continue;
		const x = Math.abs(ns) / size;
		return `${unit === "ns" ? Math.round(x) : x.toFixed(x < 9.995 ? 2 : x < 99.95 ? 1 : 0)} ${unit}`;
	}
	return "";
}

/** @param {Record<string, string>} row */
const numbersIn = (row) =>
	Object.values(row)
		.filter((text) => text !== "" && Number.isFinite(Number(text)))
		.map(Number);

/**
 * Tests the tables of a report, and those of a place that it leads to.
 * @param {string} name @param {string} path of its page
 * @param {(report: any) => string} [inner] what follows its name in that place's URL
 */
export const testNumbers = (name, path, inner = () => "") =>
	test(`${name}: numbers of tables are those of their CSV, and of --json`, async () => {
		const { [name]: report } = await reportsIn(path);
		const known = numbersOf(report);
		const told = JSON.stringify(report);
		const within = inner(report);
		let nShown = 0;
		let nSaved = 0;
		for (const hash of new Set([`#/${name}`, `#/${name}${within}`])) {
			const { page, close } = await show(path, { hash });
			await page.locator("[role=grid], .picture-box").first().waitFor();
			for (const grid of await page.locator("[role=grid]").all()) {
				const label = (await grid.getAttribute("aria-label")) ?? "";
				if (label.startsWith("Functions of")) continue; // sums of stacks: call-tree.test.mjs
				const button = page.getByRole("button", { name: `${label}: save as CSV`, exact: true });
				const rows = parseCsv((await saved(page, button)).bytes.toString("utf8"));
				for (const [i, row] of rows.entries())
					for (const [key, text] of Object.entries(row)) {
						const value = Number(text);
						if (text.length < 6 || !Number.isFinite(value) || MEANS.has(key)) continue;
						if (!Number.isInteger(value) && !told.includes(`"${key}":`)) continue;
						nSaved++;
						const isKnown = LENGTHS.has(key)
							? [...known].some((t0) => known.has(t0 + value))
							: known.has(value);
						assert.ok(isKnown, `${hash} ${label}, row ${i}: ${key} ${text}`);
					}
				const shown = await grid
					.locator(".table-body [role=row]")
					.evaluateAll((all) => all.map((row) => /** @type {HTMLElement} */ (row).innerText));
				for (const [i, text] of shown.entries()) {
					const words = text.replaceAll("\u202f", " ");
					const ours = numbersIn(rows[i] ?? {});
					// A column of text may tell some: "fsync 1.53 s".
					const texts = Object.values(rows[i] ?? {})
						.join(" ")
						.replaceAll("\u202f", " ");
					const durations = new Set(ours.map(duration));
					const counts = new Set(ours.map((n) => Math.round(n).toLocaleString("en-US")));
					for (const [said] of words.matchAll(/(?<![\d.,])\d{1,3}(\.\d\d?)? (ns|µs|ms|s)\b/g)) {
						nShown++;
						assert.ok(
							durations.has(said) || texts.includes(said) || told.includes(said),
							`${hash} ${label}, row ${i}: "${said}" in ${words}`,
						);
					}
					for (const [said] of words.matchAll(/(?<![\d.,])\d{1,3}(,\d{3})+(?![\d.,])/g)) {
						nShown++;
						assert.ok(counts.has(said), `${hash} ${label}, row ${i}: "${said}" in ${words}`);
					}
				}
			}
			await close();
		}
		assert.ok(nShown >= 2 && nSaved >= 4, `${nShown} shown, ${nSaved} saved`);
	});
