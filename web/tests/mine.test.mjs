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
		for (const key of [
			"rank",
			"own_ns",
			"total_ns",
			"occurrences",
			"mean_ns",
			"streams",
			"coverage",
		])
			assert.equal(Number(rows[i]?.[key]), c[key] ?? 0, key);
	});
	const texts = await tableTexts(page, "Clusters");
	const terminal = lode("mine", "--top", "0", startup).split("\n");
	for (const [rank = "", share = "", , own = "", , , mean = ""] of texts) {
		const line = terminal.find((text) => new RegExp(`^ *${rank} +[<0-9.]+ %`).test(text)) ?? "";
		for (const text of [share, own, mean])
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
	// As a regular expression; matches are counted, and walked.
	await search.fill("plugin_(probe|none)$");
	await page.waitForFunction(
		(text) =>
			document.querySelector(".flame")?.textContent?.replaceAll("\u202f", " ").includes(text),
		share,
	);
	const n = Number(await page.locator(".flame-found").textContent());
	assert.ok(n > 0);
	await search.press("Enter");
	await page.waitForFunction(
		(text) => document.querySelector(".flame-found")?.textContent === text,
		`1 of ${n}`,
	);
	await search.press("Shift+Enter");
	await page.waitForFunction(
		(text) => document.querySelector(".flame-found")?.textContent === text,
		`${n} of ${n}`,
	);
	await search.fill("no_such_function(");
	await page.getByText("No function matches").waitFor();
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

test("mine: functions by cost, and callers and callees of one", async () => {
	const path = pageOf("mine", startup);
	const { mine } = await reportsIn(path);
	const { flame, own_ns, id } = mine.clusters[0];
	const { page, close } = await show(path, { hash: `#/mine/${id}` });
	const label = "Functions of cluster 1";
	const file = await saved(page, page.getByRole("button", { name: `${label}: save as CSV` }));
	const rows = parseCsv(file.bytes.toString("utf8"));
	/** @type {Map<string, [number, number]>} */
	const costs = new Map();
	flame.own_ns.forEach((/** @type {number} */ own, /** @type {number} */ node) => {
		const names = [];
		for (let at = node; at >= 0; at = flame.parent[at]) names.push(mine.frames[flame.frame[at]]);
		for (const name of new Set(names)) {
			const [self, all] = costs.get(name) ?? [0, 0];
			costs.set(name, [self + (name === names[0] ? own : 0), all + own]);
		}
	});
	assert.equal(rows.length, costs.size);
	for (const row of rows)
		assert.deepEqual([Number(row.own_ns), Number(row.total_ns)], costs.get(row.function ?? ""));
	const chosen = rows.find((row) => row.function === "pluginhost!plugin_probe");
	assert.ok(chosen && Number(chosen.total_ns) < own_ns);
	await page.getByLabel(`Search ${label}`).fill("plugin_(probe)");
	await page.locator(`[role=grid][aria-label="${label}"] .table-body [role=row]`).first().click();
	const picture = page.getByRole("application", { name: /^Sandwich of pluginhost!plugin_probe/ });
	await picture.waitFor();
	const svg = await saved(page, page.getByRole("button", { name: /^Sandwich.*save as SVG$/ }));
	const drawn = svg.bytes.toString("utf8");
	for (const name of ["main", "plugin_registry_scan", "plugin_probe", "path_canonicalize"])
		assert.ok(drawn.includes(name), name);
	// Callers stand above, callees below.
	const y = (/** @type {string} */ name) =>
		Number(new RegExp(`y="([0-9.]+)"[^>]*>${name}<`).exec(drawn)?.[1]);
	assert.ok(y("main") < y("plugin_registry_scan") && y("plugin_registry_scan") < y("plugin_probe"));
	assert.ok(y("plugin_probe") < y("path_canonicalize"));
	await close();
});

test("mine: a cluster's stack, command, link and issue are copied as text", async () => {
	const path = pageOf("mine", startup);
	const { mine } = await reportsIn(path);
	const cluster = mine.clusters[1];
	const { page, close } = await show(path, { hash: `#/mine/${cluster.id}` });
	await page.evaluate(() => {
		Object.defineProperty(navigator, "clipboard", {
			value: {
				/** @param {string} text */
				writeText: async (text) => {
					document.body.dataset.copied = text;
				},
			},
		});
	});
	const copied = async (/** @type {string} */ name) => {
		await page.getByRole("button", { name, exact: true }).click();
		await page.locator(".copy-said", { hasText: "Copied" }).first().waitFor();
		return (await page.evaluate(() => document.body.dataset.copied)) ?? "";
	};
	assert.equal(await copied("Copy stack"), cluster.common.join("\n"));
	assert.match(await copied("Copy command"), new RegExp(`^lode mine.* --show ${cluster.id} `));
	assert.equal(await copied("Copy link"), page.url());
	const issue = await copied("Report as issue");
	assert.ok(issue.includes(`\`\`\`\n${cluster.common.join("\n")}\n\`\`\``));
	const share = `${((100 * cluster.own_ns) / mine.symptom_ns).toFixed(1)} %`;
	assert.ok(issue.includes(`(${share}), in ${cluster.streams} of ${mine.streams} recordings`));
	assert.match(await page.title(), /^\S+.* · Mine · .* · lode$/);
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
	// Each nanosecond of the stretch is somebody's.
	const [, from, to] = /path\.zoom=(\d+)-(\d+)/.exec(page.url()) ?? [];
	const csv = await saved(
		page,
		page.getByRole("button", { name: "Critical path in this time range: save as CSV" }),
	);
	const rows = parseCsv(csv.bytes.toString("utf8"));
	const sum = rows.reduce((total, row) => total + Number(row.ns), 0);
	assert.equal(sum, Number(to) - Number(from));
	await picture.press("Escape");
	await page.waitForFunction(() => !location.hash.includes("path."));
	await close();
});
