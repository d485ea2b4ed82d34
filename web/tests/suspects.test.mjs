import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { accessible } from "./accessible.mjs";
import { lode, pageOf, parseCsv, reportsIn, samples, saved, show, tableTexts } from "./harness.mjs";

const orders = join(samples, "orders", "orders.perf.data.zst");

test("suspects: the page has what --json --detail says, and the table its numbers", async () => {
	const path = pageOf("suspects", orders);
	const { suspects } = await reportsIn(path);
	const said = JSON.parse(lode("suspects", "--json", "--detail", "--top", "0", orders));
	assert.deepEqual(said, suspects);
	const { page, close } = await show(path, { hash: "#/suspects?functions.all=1&scores=all" });
	const file = await saved(page, page.getByRole("button", { name: "Functions: save as CSV" }));
	const rows = parseCsv(file.bytes.toString("utf8"));
	assert.equal(rows.length, said.functions.length);
	said.functions.forEach((/** @type {any} */ f, /** @type {number} */ i) => {
		for (const key of ["rank", "increase", "failure", "context", "o_failed", "ochiai", "mean_ns"])
			assert.equal(Number(rows[i]?.[key]), f[key], key);
	});
	await close();
});

test("suspects: what could be chance, and further scores, are listed when asked for", async () => {
	const path = pageOf("suspects", orders);
	const { suspects } = await reportsIn(path);
	const { page, close } = await show(path);
	const isMore = (/** @type {any} */ f) => f.q < 0.05 && f.o_failed > 0;
	const significant = suspects.functions.filter(isMore);
	assert.ok(significant.length > 0 && significant.length < suspects.functions.length);
	const names = async () => (await tableTexts(page, "Functions")).map((row) => row[1]);
	assert.deepEqual(
		await names(),
		significant.map((/** @type {any} */ f) => f.function),
	);
	const heads = page.locator('[role=grid][aria-label="Functions"] [role=columnheader]');
	assert.equal(await heads.filter({ hasText: "Ochiai" }).count(), 0);
	await page.getByRole("button", { name: "More scores" }).click();
	await heads.filter({ hasText: "Ochiai" }).waitFor();
	await page.getByRole("button", { name: `All: ${suspects.functions.length}` }).click();
	await page.waitForFunction(() => location.hash.includes("functions.all=1"));
	const first = await page.locator("main h2").first().textContent();
	assert.equal(first, "Caller contrast", "what explains most comes first");
	await close();
});

test("suspects: every score sorts, both ways", async () => {
	const { page, close } = await show(pageOf("suspects", orders), {
		hash: "#/suspects?functions.all=1&scores=all",
	});
	const { functions } = JSON.parse(lode("suspects", "--json", "--top", "0", orders));
	for (const [title = "", key = ""] of [
		["Failure", "failure"],
		["Ochiai", "ochiai"],
		["mean", "mean_ns"],
	]) {
		const head = page
			.locator('[role=grid][aria-label="Functions"]')
			.getByRole("button", { name: title, exact: true });
		for (const down of [true, false]) {
			await head.click();
			const ranks = (await tableTexts(page, "Functions")).map((row) => Number(row[0]));
			const values = ranks.map((rank) => functions[rank - 1][key]);
			assert.deepEqual(
				values,
				[...values].sort((a, b) => (down ? b - a : a - b)),
				`${title} ${down ? "falls" : "rises"}`,
			);
		}
	}
	await close();
});

test("suspects: the caller that makes fdatasync slow, by way of the contrast", async () => {
	const { page, close } = await show(pageOf("suspects", orders));
	const [first = []] = await tableTexts(page, "Caller contrast");
	assert.match(first.join(" "), /sys_fdatasync.*export_ledger.*38\.9.*2\.1/);
	await page.getByRole("link", { name: "sys_fdatasync" }).first().click();
	await page.getByRole("heading", { name: /sys_fdatasync/ }).waitFor();
	const callers = await tableTexts(page, "Called by");
	assert.match(callers.join(" "), /journal_commit/);
	await close();
});

test("suspects: distributions with the function and without", async () => {
	const path = pageOf("suspects", orders);
	const { suspects } = await reportsIn(path);
	const explained = suspects.details.find((/** @type {any} */ x) => x.function === "export_ledger");
	const [metric] = explained.metrics;
	const { page, close } = await show(path, { hash: "#/suspects/orderd!export_ledger" });
	const said = await page.locator(".distribution p").first().textContent();
	assert.match(said ?? "", /slow in 38\.9.%.* with it, 2\.1.%/u);
	const picture = page.locator(".distribution").first();
	const file = await saved(page, picture.getByRole("button", { name: "save as SVG" }));
	const svg = file.bytes.toString("utf8");
	assert.ok(svg.includes(`with: ${metric.with.n}<`));
	assert.ok(svg.includes(`without: ${metric.without.n.toLocaleString("en-US")}<`));
	await close();
});

test("suspects: filters by metric, module and thread leave rows of the document", async () => {
	const path = pageOf("suspects", orders);
	const { suspects } = await reportsIn(path);
	const [{ metric }] = suspects.metrics;
	const { page, close } = await show(path, { hash: "#/suspects?contrasts.all=1" });
	await page.getByLabel("Filter by metric").selectOption(metric);
	const contrasts = suspects.contrasts.filter((/** @type {any} */ c) => c.metric === metric);
	await page
		.locator(".filters .notice", {
			hasText: `${contrasts.length} of ${suspects.contrasts.length} callers`,
		})
		.waitFor();
	assert.equal((await tableTexts(page, "Caller contrast")).length, contrasts.length);
	assert.equal((await tableTexts(page, "Metrics")).length, 1);
	await accessible(page, "filtered suspects", { clicked: true });
	const explained = suspects.details.find(
		(/** @type {any} */ x) => new Set(x.worst.map((/** @type {any} */ w) => w.tid)).size > 1,
	);
	if (explained) {
		const [{ tid }] = explained.worst;
		await page.goto(
			page
				.url()
				.replace(/#.*/, `#/suspects/${explained.module}!${explained.function}?f.thread=${tid}`),
		);
		await page.getByText("Filtered:").waitFor();
		const rows = explained.worst.filter((/** @type {any} */ w) => w.tid === tid);
		assert.equal((await tableTexts(page, "Longest calls")).length, rows.length);
	}
	await close();
});
