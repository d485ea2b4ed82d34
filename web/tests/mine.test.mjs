import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { lode, pageOf, parseCsv, reportsIn, samples, saved, show, tableTexts } from "./harness.mjs";

const startup = join(samples, "startup");
const words = (/** @type {string} */ text) => text.replaceAll("\u202f", " ");

test("mine: the page has what --json --detail says", async () => {
	const { mine } = await reportsIn(pageOf("mine", startup));
	const said = JSON.parse(
		lode("mine", "--json", "--detail", "--paths", "10", "--top", "0", startup),
	);
	for (const cluster of said.clusters) {
		const shown = mine.clusters.find((/** @type {any} */ c) => c.id === cluster.id);
		assert.deepEqual({ ...cluster, patterns: 0 }, { ...shown, patterns: 0 });
		assert.deepEqual(cluster.patterns.slice(0, 50), shown.patterns);
		const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);
		assert.equal(sum(cluster.by_stream.cost_ns), cluster.own_ns);
		assert.equal(sum(cluster.flame.own_ns), cluster.own_ns);
	}
	assert.deepEqual({ ...said, clusters: 0 }, { ...mine, clusters: 0 });
});

test("mine: numbers in the list are those of the JSON and of the terminal", async () => {
	const { page, close } = await show(pageOf("mine", startup));
	const { clusters } = JSON.parse(lode("mine", "--json", "--top", "0", startup));
	const file = await saved(page, page.getByRole("button", { name: "Clusters: save as CSV" }));
	const rows = parseCsv(file.bytes.toString("utf8"));
	assert.equal(rows.length, clusters.length);
	clusters.forEach((/** @type {any} */ c, /** @type {number} */ i) => {
		for (const key of ["rank", "own_ns", "total_ns", "average_ns", "streams", "coverage"])
			assert.equal(Number(rows[i]?.[key]), c[key], key);
	});
	const texts = await tableTexts(page, "Clusters");
	const terminal = lode("mine", "--top", "0", startup).split("\n");
	for (const [rank = "", share = "", , own = "", total = "", average = ""] of texts) {
		const line = terminal.find((text) => new RegExp(`^ *${rank} +[<0-9.]+ %`).test(text)) ?? "";
		for (const text of [share, own, total, average])
			assert.ok(line.includes(words(text)), `"${line}" has ${text}`);
	}
	await close();
});

test("mine: a cluster by click, by key and by link", async () => {
	const path = pageOf("mine", startup);
	const { page, close } = await show(path);
	await page.locator('[role=grid][aria-label="Clusters"] .table-body [role=row]').nth(2).click();
	await page.getByRole("heading", { name: /^Cluster 3/ }).waitFor();
	const address = page.url();
	await page.keyboard.press("]");
	await page.getByRole("heading", { name: /^Cluster 4/ }).waitFor();
	await page.goBack();
	await page.getByRole("heading", { name: /^Cluster 3/ }).waitFor();
	await close();

	const linked = await show(path, { hash: new URL(address).hash });
	await linked.page.getByRole("heading", { name: /^Cluster 3/ }).waitFor();
	await linked.page.getByRole("link", { name: "All clusters" }).click();
	await linked.page.locator('[role=grid][aria-label="Clusters"]').focus();
	await linked.page.keyboard.press("ArrowDown");
	await linked.page.keyboard.press("ArrowDown");
	await linked.page.keyboard.press("Enter");
	await linked.page.getByRole("heading", { name: /^Cluster 2/ }).waitFor();
	await linked.close();
});

test("mine: search and order are in the URL", async () => {
	const { page, close } = await show(pageOf("mine", startup));
	await page.getByLabel("Search Clusters").fill("log_reserve");
	await page.waitForFunction(() => location.hash.includes("clusters.q=log_reserve"));
	const found = await tableTexts(page, "Clusters");
	assert.ok(found.length > 0 && found.length < 5, `${found.length} clusters name log_reserve`);
	await page.getByLabel("Search Clusters").fill("");
	await page.getByRole("button", { name: "total" }).click();
	await page.waitForFunction(() => location.hash.includes("clusters.sort=total_ns"));
	const { clusters } = JSON.parse(lode("mine", "--json", "--top", "0", startup));
	const ranks = (await tableTexts(page, "Clusters")).map((row) => Number(row[0]));
	const totals = ranks.map((rank) => clusters[rank - 1].total_ns);
	assert.deepEqual(
		totals,
		[...totals].sort((a, b) => b - a),
	);
	await close();
});

test("mine: the flame graph finds, turns around and zooms", async () => {
	const path = pageOf("mine", startup);
	const { mine } = await reportsIn(path);
	const cluster = mine.clusters[0];
	// The cost of stacks with a matching function, each once.
	const matches = cluster.flame.parent.map((/** @type {number} */ up, /** @type {number} */ i) => {
		for (let at = i; at >= 0; at = cluster.flame.parent[at])
			if (mine.frames[cluster.flame.frame[at]].includes("plugin_probe"))
				return cluster.flame.own_ns[i];
		return up < -1 ? up : 0;
	});
	const cost = matches.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
	const { page, close } = await show(path, { hash: `#/mine/${cluster.id}` });
	const search = page.getByLabel("Search functions of the flame graph");
	await search.fill("plugin_probe");
	const share = `${((100 * cost) / cluster.own_ns).toFixed(1)} %`;
	await page.waitForFunction(
		(text) =>
			document.querySelector(".flame")?.textContent?.replaceAll("\u202f", " ").includes(text),
		share,
	);
	await page.getByRole("button", { name: "Leaves first" }).click();
	await page.waitForFunction(
		(text) =>
			document.querySelector(".flame")?.textContent?.replaceAll("\u202f", " ").includes(text),
		share,
	);
	await search.fill("");
	const picture = page.getByRole("application", { name: /^Flame graph of the stacks/ });
	await picture.focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => /flame-1\.at=\d/.test(location.hash));
	await page.getByRole("button", { name: "Whole graph" }).click();
	await page.waitForFunction(() => !location.hash.includes(".at="));
	await close();
});

test("mine: the critical path of the worst symptom, span by span", async () => {
	const path = pageOf("mine", startup);
	const { mine } = await reportsIn(path);
	const cluster = mine.clusters[4];
	const drawn = mine.paths.find((/** @type {any} */ p) => p.clusters.includes(cluster.id));
	const { spans } = drawn;
	assert.equal(
		spans.duration_ns.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0),
		drawn.t1_ns - drawn.t0_ns,
	);
	const { page, close } = await show(path, { hash: `#/mine/${cluster.id}` });
	const picture = page.getByRole("application", { name: /^Critical path of/ });
	await picture.focus();
	for (let k = 0; k < 3; k++) {
		await page.keyboard.press("ArrowRight");
		await page.waitForFunction((n) => location.hash.includes(`path.span=${n}`), k);
		const lane = drawn.lanes[spans.lane[k]];
		const text = (await page.locator(".span-details").textContent()) ?? "";
		assert.ok(text.includes(`${lane.comm} ${lane.tid}`), text);
		const depth = await page.locator(".span-details li .frame").count();
		let frames = 0;
		for (let at = spans.stack[k]; at > 0; at = drawn.stacks.parent[at]) frames++;
		assert.equal(depth, frames);
	}
	await picture.press("+");
	await page.waitForFunction(() => /path\.zoom=\d+-\d+/.test(location.hash));
	await picture.press("Escape");
	await page.waitForFunction(() => !location.hash.includes("path."));
	await close();
});
