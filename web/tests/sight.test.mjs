// What is seen at a glance: that which the sentence names is in the picture, nothing is silently cut or
// left out, no part of the page is empty.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { accessible } from "./accessible.mjs";
import { lode, pageOf, reportsIn, samples, serve, settled, show, temporary } from "./harness.mjs";
import { overlapping, sideways } from "./house-checks.mjs";
import { loopSample } from "./loop-sample.mjs";
import { pioSample } from "./pio-sample.mjs";

const CALLS = "1,enter,f,0\n1,exit,f,10\n1,enter,f,20\n1,exit,f,30\n";
const startup = pageOf("mine", join(samples, "startup"));

test("a page leads to no page of itself, nor does one of several reports", async () => {
	const none = temporary("one-call.csv");
	writeFileSync(none, CALLS);
	for (const args of [["timeline", none], pioSample()]) {
		assert.match(JSON.parse(lode(...args, "--json")).next_command, / --html \w+\.html/);
		const { page, close } = await show(pageOf(...args));
		await page.locator(".headline").waitFor();
		assert.equal(await page.locator(".next-command").count(), 0, args.join(" "));
		await close();
	}
	const folder = temporary("one-trace");
	mkdirSync(folder);
	writeFileSync(join(folder, "one-call.csv"), CALLS);
	const { page, close } = await show(pageOf("analyze", folder));
	await page.locator(".headline").waitFor();
	assert.equal(await page.locator(".next-command").count(), 0);
	await close();
});

test("counters that a period names are in the picture", async () => {
	const path = pageOf(...pioSample());
	const { pio } = await reportsIn(path);
	const { page, close } = await show(path, { hash: "#/pio" });
	const [download] = await Promise.all([
		page.waitForEvent("download"),
		page
			.getByRole("button", { name: /save as SVG/ })
			.first()
			.click(),
	]);
	const svg = readFileSync(await download.path(), "utf8");
	for (const period of pio.periods)
		for (const { counter } of period.counters.slice(0, 5))
			assert.ok(svg.includes(`>${counter}<`), counter);
	await close();
});

test("the number of a cluster in terminals is its address, too", async () => {
	const { mine } = await reportsIn(startup);
	const { page, close } = await show(startup, { hash: `#/mine/${mine.clusters[1].rank}` });
	await page.getByRole("heading", { name: /^Cluster 2/ }).waitFor();
	await close();
});

test("a table says how many columns it has no room for, and a cut cell what it says", async () => {
	const { page, close } = await show(startup, { hash: "#/mine", width: 400 });
	const tables = page.locator(".table-box");
	for (const table of await tables.all()) {
		const heads = await table.locator("[role=columnheader]").count();
		const note = await table.locator(".columns-hidden").allInnerTexts();
		assert.ok(heads > 0 && (note.length === 0 || /^\d+ columns? hidden/.test(note[0] ?? "")));
	}
	assert.ok((await page.locator(".columns-hidden").count()) >= 2);
	await page.setViewportSize({ width: 1280, height: 900 });
	const cut = page.getByRole("gridcell", { name: /^\d+ contradictory switches/ }).first();
	await cut.hover();
	const whole = await cut.textContent();
	assert.ok((await cut.evaluate((e) => e.scrollWidth > e.clientWidth)) && whole);
	assert.equal(await cut.getAttribute("title"), whole);
	await close();
});

test("below the threads of a timeline the tables follow at once, however few are shown", async () => {
	const mailroom = join(samples, "mailroom");
	const path = pageOf(
		"timeline",
		"--symbols",
		join(mailroom, "symbols.tsv"),
		join(mailroom, "mailroom.xray.zst"),
	);
	for (const hash of ["#/timeline", "#/timeline?q=archive_run"]) {
		const { page, close } = await show(path, { hash });
		await page.getByRole("heading", { name: "Long calls" }).waitFor();
		await settled(page);
		const chart = await page.locator(".tl-chart").boundingBox();
		const tables = await page.locator(".tl-tables .section").first().boundingBox();
		assert.ok(chart && tables);
		const gap = tables.y - (chart.y + chart.height);
		assert.ok(gap >= 0 && gap < 60, `${hash}: ${gap} px`);
		await close();
	}
});

test("a burst of five milliseconds is seen in an hour of nothing, and a call at the very end", async () => {
	const file = temporary("burst.csv");
	const rows = [];
	for (let i = 0; i < 500; i++)
		rows.push(`1,enter,f${i % 7},${i * 10000}`, `1,exit,f${i % 7},${i * 10000 + 5000}`);
	rows.push("1,enter,late,3600000000000", "1,exit,late,3600000000010");
	writeFileSync(file, `${rows.join("\n")}\n`);
	const { page, close } = await show(pageOf("timeline", file), { hash: "#/timeline" });
	await page.waitForFunction(() => performance.getEntriesByName("lode-timeline-drawn").length > 0);
	const ends = await page.evaluate(() => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(".tl-canvas canvas"));
		const copy = document.createElement("canvas");
		copy.width = canvas.width;
		copy.height = canvas.height;
		const context = copy.getContext("2d", { willReadFrequently: true });
		context?.drawImage(canvas, 0, 0);
		/** The darkest of a column of the first row. @param {number} x */
		const darkest = (x) => {
			const { data } = context?.getImageData(x, 4, 1, 8) ?? { data: [] };
			let least = 255;
			for (let i = 0; i < data.length; i += 4)
				if ((data[i + 3] ?? 0) > 200) least = Math.min(least, data[i] ?? 255);
			return least;
		};
		const { width } = canvas;
		const near = (/** @type {number[]} */ xs) => Math.min(...xs.map(darkest));
		return {
			first: near([0, 1, 2]),
			middle: darkest(Math.round(width * 0.4)),
			last: near([width - 3, width - 2, width - 1]),
		};
	});
	assert.ok(ends.first < 190 && ends.last < 190, JSON.stringify(ends));
	await close();
});

test("filters that suspects cannot have are there, grey, and say why", async () => {
	const { page, close } = await show(pageOf("suspects", join(samples, "orders")));
	const thread = page.getByLabel("Filter by thread", { exact: true });
	await thread.waitFor();
	assert.ok(await thread.isDisabled());
	await page.getByText("Scores cannot be filtered by recording").waitFor();
	await close();
});

test("every page of a thing copies its link, and itself as an issue", async () => {
	const { before, after, signatures } = loopSample();
	const loop = ["--unit", "ns", "--signatures", signatures];
	const next = pageOf("next", ...loop, before, after);
	const coverage = pageOf("coverage", ...loop, "--by", "path", before, after);
	const triage = pageOf("triage", ...loop, after);
	const diff = pageOf("diff", "--unit", "ns", before, after);
	const { next: order } = await reportsIn(next);
	const { triage: triaged } = await reportsIn(triage);
	for (const [path = "", hash = ""] of [
		[next, `#/next/${order.order[0].stream_id}`],
		[coverage, "#/coverage/loading"],
		[triage, `#/triage/recording/${triaged.triaged[0].id}`],
		[diff, "#/diff/1"],
		[startup, "#/mine/1"],
		[pageOf("suspects", join(samples, "orders")), "#/suspects/orderd!export_ledger"],
	]) {
		const { page, close } = await show(path, { hash });
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.getByRole("button", { name: "Copy link" }).waitFor();
		await page.getByRole("button", { name: "Report as issue" }).click();
		await page.getByText("Copied").waitFor();
		const text = await page.evaluate(() => navigator.clipboard.readText());
		assert.match(text, /^# \S/, hash);
		assert.ok(/\d/.test(text) && text.split("\n").length > 4, `${hash}: ${text}`);
		await close();
	}
});

test("a server's first page, of documents or of a repository, in every window", async () => {
	const repo = temporary("releases.lode");
	for (const [release, n] of [
		["1.0", "08"],
		["2.0", "22"],
	]) {
		const recording = join(samples, "startup", `startup-${n}.perf.data.zst`);
		lode("import", "--repo", repo, "--label", `release=${release}`, recording);
	}
	const folder = temporary("recordings-of-the-slow-starts-that-users-complained-about-in-october");
	mkdirSync(folder);
	writeFileSync(join(folder, "one-call.csv"), CALLS);
	const orders = pageOf("suspects", join(samples, "orders"));
	for (const inputs of [
		["--repo", repo],
		[startup, orders, folder],
	]) {
		const { url, end } = await serve(...inputs);
		for (const window of [
			{ width: 400 },
			{ width: 1280 },
			{ width: 1920, dark: true },
			{ zoom: 2 },
		]) {
			const what = `${inputs[0]} ${JSON.stringify(window)}`;
			const { page, close } = await show(new URL("/", url).href, window);
			await page.locator(".headline").waitFor();
			await settled(page);
			assert.deepEqual(await sideways(page), [], what);
			assert.deepEqual(await overlapping(page), [], what);
			await accessible(page, what, { clicked: true });
			if (inputs[0] === "--repo") {
				await page.getByText("Compare A with B").waitFor();
				await close();
				continue;
			}
			const titles = await page.locator(".overview-run h2").allInnerTexts();
			assert.deepEqual(titles.toSorted(), [
				"What is linked to slow calls",
				"What made users wait",
				"Which calls took unusually long",
			]);
			const paths = await page.locator(".overview-of").allInnerTexts();
			assert.equal(paths.filter((path) => path.startsWith("existing report ")).length, 2);
			await close();
		}
		await end();
	}
});
