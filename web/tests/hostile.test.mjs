// Names are whatever a program called itself: every text field of every report with hostile ones.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { accessible } from "./accessible.mjs";
import {
	lode,
	pageOf,
	pageWith,
	parseCsv,
	reportsIn,
	samples,
	saved,
	serve,
	show,
	temporary,
} from "./harness.mjs";
import { HOSTILE, harmless, poison, schemaOf } from "./hostile-names.mjs";
import { pioSample } from "./pio-sample.mjs";

/** What spreadsheets take for the beginning of a formula. */
const STARTS = ["=", "+", "-", "@", "\t=", "\r=", " =", "\uff1d", "\uff0b"];

test("mine: hostile names in every text field", async () => {
	const template = pageOf("mine", join(samples, "startup"));
	const report = poison((await reportsIn(template)).mine, schemaOf("mine"), schemaOf("mine"));
	const page = pageWith(template, [
		{ name: "mine", schema: report.schema, title: HOSTILE.join(" "), report },
	]);
	await harmless(page, "");
	for (const cluster of report.clusters.slice(0, 4))
		await harmless(page, `#/mine/${cluster.id}?frames=all&open=4.16`);
});

test("suspects: hostile names in every text field", async () => {
	const template = pageOf("suspects", join(samples, "orders"));
	const schema = schemaOf("suspects");
	const report = poison((await reportsIn(template)).suspects, schema, schema);
	const page = pageWith(template, [
		{ name: "suspects", schema: report.schema, title: HOSTILE.join(" "), report },
	]);
	await harmless(page, "");
	for (const f of report.functions.slice(0, 5))
		await harmless(
			page,
			`#/suspects/${encodeURIComponent(f.module ? `${f.module}!${f.function}` : f.function)}`,
		);
});

test("pio: hostile names in every text field", async () => {
	const template = pageOf(...pioSample());
	const schema = schemaOf("pio");
	const report = poison((await reportsIn(template)).pio, schema, schema);
	const page = pageWith(template, [
		{ name: "pio", schema: report.schema, title: HOSTILE.join(" "), report },
	]);
	await harmless(page, "");
	await harmless(page, "#/pio?at=160&zoom=100-220");
});

test("overview and timeline: hostile names in every text field, in a file and served", async () => {
	const template = pageOf("analyze", samples);
	const reports = await reportsIn(template);
	const parts = [
		["overview", "analyze"],
		["timeline", "timeline-page"],
	].map(([name = "", schema = ""]) => {
		const report = poison(reports[name], schemaOf(schema), schemaOf(schema));
		return { name, schema: report.schema, title: `${HOSTILE.join(" ")} ${name}`, report };
	});
	// Two more of a kind, so that the bar shows titles, and twenty, so that it has menus.
	const path = pageWith(template, parts);
	await harmless(path, "");
	await harmless(path, "#/timeline?axis=readable");
	const names = HOSTILE.map((title, i) => ({
		...parts[1],
		name: `timeline-${i}`,
		title: `/data/${title}/trace`,
	}));
	const many = pageWith(template, [...parts, .../** @type {any} */ (names)]);
	const { page, close } = await show(many);
	await page.getByRole("button", { name: /^Timeline: / }).click();
	await page.locator("nav[aria-label=Reports] li").first().waitFor();
	await accessible(page, "an open menu", { clicked: true });
	const titles = await page.locator("nav[aria-label=Reports] li").allInnerTexts();
	assert.ok(titles.some((title) => title.includes("<script>")));
	assert.doesNotMatch(titles.join(""), /[\p{Cf}\p{Zl}\p{Zp}]/u);
	await close();
	const server = await serve(path);
	await harmless(server.url, "#/timeline");
	assert.equal(await server.end(), 0);
});

test("tables of hostile names: no field of a CSV is a formula, or steers who looks at it", async () => {
	const template = pageOf("analyze", samples);
	const schema = schemaOf("suspects");
	const report = poison((await reportsIn(template)).suspects, schema, schema);
	for (const [i, f] of report.functions.entries())
		f.function = `${STARTS[i % STARTS.length]}cmd|' /C "calc",1'!A${i}\n\u202e\x1b[2J`;
	const path = pageWith(template, [{ name: "s", schema: report.schema, title: "s", report }]);
	const { page, close } = await show(path, { hash: "#/s?functions.all=1" });
	const button = page.getByRole("button", { name: "Functions: save as CSV" });
	const rows = parseCsv((await saved(page, button)).bytes.toString("utf8"));
	assert.equal(rows.length, report.functions.length);
	for (const [i, row] of rows.entries()) {
		const start = (STARTS[i % STARTS.length] ?? "").replace(/[\t\r]/, (c) =>
			c === "\t" ? "\\x09" : "\\x0d",
		);
		assert.equal(row.function, `'${start}cmd|' /C "calc",1'!A${i}\\x0a\\u202e\\x1b[2J`);
		for (const field of Object.values(row))
			assert.ok(!/^\s*[=+\-@]/.test(field) || Number.isFinite(Number(field)), field);
	}
	await close();
});

test("hostile files: names of inputs, functions with bytes that are no text", async () => {
	const folded = temporary('"><script>window.hit=1;.folded');
	const lines = HOSTILE.map(
		(name, i) => `main;${name.replace(/[;\n\0\u2028\u2029]/g, "_")};leaf${i} ${100 + i}`,
	);
	writeFileSync(
		folded,
		Buffer.concat([
			Buffer.from(`${lines.join("\n")}\nmain;bad`),
			Buffer.from([0xff, 0xfe, 0x80]),
			Buffer.from(";leaf 50\n"),
		]),
	);
	const path = pageOf("mine", "--min-cost", "1", folded);
	const html = readFileSync(path, "utf8");
	assert.equal(html.split("window.hit=1").length, 2, "once, in the title, as text");
	const { page, close } = await show(path);
	assert.match(await page.title(), /<script>/);
	assert.equal(await page.evaluate(() => /** @type {any} */ (window).hit), undefined);
	await close();
	const copy = temporary("back`$(touch x)`.folded");
	copyFileSync(folded, copy);
	lode("mine", "--html", temporary("y.html"), copy);
});
