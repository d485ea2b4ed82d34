// The first page of several reports: its lines are right, by the reports themselves, and lead there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf, pageWith, reportsIn, samples, show, tableTexts } from "./harness.mjs";

const all = pageOf("analyze", samples);
const { overview, mine, suspects, timeline } = await reportsIn(all);
/** @param {string} analysis */
const runOf = (analysis) =>
	overview.runs.find((/** @type {any} */ run) => run.analysis === analysis);

test("overview: what it says of each report is what the report says", () => {
	const [cluster] = mine.clusters;
	const [first] = runOf("mine").details;
	assert.deepEqual(first.path, [cluster.id]);
	assert.ok(Math.abs(first.share - cluster.own_ns / mine.symptom_ns) < 1e-6);
	assert.ok(first.text.includes(`${(100 * first.share).toFixed(1)} %`), first.text);
	assert.ok(first.text.includes(`in ${cluster.streams} recordings`), first.text);

	const [contrast] = suspects.contrasts;
	const [caller] = runOf("suspects").details;
	const share = (/** @type {any} */ half) => `${((100 * half.failed) / half.n).toFixed(1)} %`;
	assert.ok(contrast.q < 0.05);
	assert.deepEqual(caller.path, [contrast.callers.at(-1)]);
	for (const part of [contrast.metric, share(contrast.with), share(contrast.without)])
		assert.ok(caller.text.includes(part), `${caller.text} has ${part}`);
	// What could as well be accident is no finding.
	for (const { path } of runOf("suspects").details)
		for (const name of path)
			assert.ok(
				suspects.contrasts.some((/** @type {any} */ c) => c.q < 0.05 && c.callers.includes(name)),
			);

	const [call] = runOf("timeline").details;
	const f = timeline.outliers.function[0];
	const start = timeline.outliers.start[0];
	const end = start + timeline.outliers.duration[0];
	assert.ok(call.text.startsWith(`${timeline.functions.name[f]} took `), call.text);
	const thread = timeline.threads[timeline.outliers.thread[0]];
	assert.equal(
		call.params.sel,
		[thread.tid, start, end, timeline.outliers.depth[0], "call", 0].join("_"),
	);
	const lines = overview.runs.reduce(
		(/** @type {number} */ n, /** @type {any} */ run) => n + 1 + run.details.length,
		0,
	);
	assert.ok(lines <= 10, `${lines} lines`);
});

test("overview: every line leads to what it names", async () => {
	const { page, close } = await show(all);
	const line = (/** @type {string} */ text) => page.locator(".finding a", { hasText: text });
	await line(" in 5 recordings").first().click();
	await page.waitForSelector("text=All clusters");
	assert.ok(page.url().includes(`#/mine/${mine.clusters[0].id}`));
	await page.goBack();
	await line("syscall:fdatasync").click();
	assert.match((await page.locator("h1").textContent()) ?? "", /export_ledger/);
	await page.goBack();
	await line("such calls").first().click();
	await page.waitForSelector(".tl-details >> text=shelf_lock");
	await page.goBack();
	await page.waitForSelector("text=Findings");
	await close();
});

/** A page with many reports of few kinds. @param {number} n */
function pageOfMany(n) {
	const parts = [{ name: "overview", schema: overview.schema, title: "many", report: overview }];
	for (let i = 0; i < n; i++)
		parts.push(
			i % 2
				? {
						name: `mine-${i}`,
						schema: mine.schema,
						title: `/data/day-${i}/recordings`,
						report: mine,
					}
				: {
						name: `suspects-${i}`,
						schema: suspects.schema,
						title: `/data/day-${i}/recordings`,
						report: suspects,
					},
		);
	return pageWith(all, parts);
}

test("the bar: reports of one kind are told apart by what they do not share", async () => {
	const { page, close } = await show(pageOfMany(4));
	const names = await page.locator("nav[aria-label=Reports] a").allInnerTexts();
	assert.deepEqual(
		names.map((name) => name.replaceAll(/\s+/g, " ").trim()),
		["Overview", "Suspects day-0", "Suspects day-2", "Mine day-1", "Mine day-3"],
	);
	await close();
});

test("the bar: of 20 reports each is two steps away, by pointer and by key", async () => {
	const { page, close } = await show(pageOfMany(20), { width: 1024 });
	const button = page.getByRole("button", { name: "Mine: 10 reports" });
	assert.equal(await button.getAttribute("aria-expanded"), "false");
	await button.focus();
	await page.keyboard.press("Enter");
	assert.equal(await button.getAttribute("aria-expanded"), "true");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => location.hash === "#/mine-5");
	await page.waitForSelector("text=What made users wait");
	assert.equal(await button.getAttribute("aria-expanded"), "false");
	assert.equal(await button.getAttribute("aria-current"), "true");
	assert.match(await button.innerText(), /day-5/);
	await button.click();
	const current = page.locator('nav[aria-label=Reports] li a[aria-current="page"]');
	assert.equal(await current.innerText(), "day-5");
	await page.keyboard.press("Escape");
	assert.equal(await button.getAttribute("aria-expanded"), "false");
	assert.ok(await button.evaluate((e) => e === document.activeElement));
	const width = await page.evaluate(() => document.documentElement.scrollWidth);
	assert.ok(width <= 1024, `${width} px`);
	await close();
});

test("links: back, forward and reload show what was shown, as far down as it was read", async () => {
	const { page, close } = await show(all, {
		hash: "#/suspects?functions.all=1&functions.sort=mean_ns",
	});
	const ranks = () => tableTexts(page, "Functions").then((rows) => rows.map((row) => row[0]));
	const sorted = await ranks();
	await page.evaluate(() => scrollTo(0, 500));
	await page.waitForFunction(() => scrollY === 500);
	await page
		.locator('[role=grid][aria-label="Functions"] [role=row] >> text=export_ledger')
		.click();
	await page.waitForSelector("text=All functions");
	assert.equal(await page.evaluate(() => scrollY), 0);
	assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
	await page.goBack();
	await page.waitForSelector("text=What is linked to slow calls");
	assert.deepEqual(await ranks(), sorted);
	await page.waitForFunction(() => scrollY === 500);
	await page.goForward();
	await page.waitForSelector("text=All functions");
	assert.match((await page.locator("h1").textContent()) ?? "", /export_ledger/);
	await page.goBack();
	await page.waitForFunction(() => scrollY === 500);
	await page.reload();
	await page.waitForSelector("text=What is linked to slow calls");
	assert.deepEqual(await ranks(), sorted);
	await page.waitForFunction(() => scrollY === 500);
	await close();
});
