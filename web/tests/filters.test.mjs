// Filters: what a page adds up from cells is what lode says of the same recordings, kinds and reasons;
// the choice is in the address, goes along to clusters, and is said in a sentence.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
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

const startup = join(samples, "startup");
const file = pageOf("mine", startup);
const whole = JSON.parse(lode("mine", startup, "--json", "--detail", "--top", "0"));
const repo = temporary("filters.lode");
const half = Math.ceil(whole.inputs.length / 2);
const releases = { "2.0": whole.inputs.slice(0, half), 2.1: whole.inputs.slice(half) };
for (const [release, inputs] of Object.entries(releases))
	lode(
		"import",
		"--repo",
		repo,
		"--label",
		`release=${release}`,
		...inputs.map((/** @type {any} */ input) => input.path),
	);
const server = await serve("--repo", repo);
after(() => server.end());
const served = `${new URL(server.url).origin}/`;

const words = (/** @type {string} */ text) => text.replaceAll("\u202f", " ");

/** Rows of the list, as its CSV has them. @param {any} page */
async function listed(page) {
	const csv = await saved(page, page.getByRole("button", { name: "Clusters: save as CSV" }));
	return parseCsv(csv.bytes.toString("utf8"));
}

/** Figures by rank; none where nothing passes. @param {(cluster: any) => number} own */
function expected(own) {
	/** @type {Array<[string, number]>} */
	const rows = whole.clusters.map((/** @type {any} */ c) => [String(c.rank), own(c)]);
	return new Map(rows.filter(([, cost]) => cost > 0));
}

test("filters by recording, kind and reason leave what lode says of these", async () => {
	const { page, close } = await show(file, { hash: "#/mine" });
	const at = whole.inputs.length - 1;
	const { id } = whole.inputs[at];
	/** @type {Array<[string, string, (cluster: any) => number]>} */
	const cases = [
		[
			"recording",
			id,
			(c) => {
				const i = c.by_stream.stream.indexOf(at);
				return i < 0 ? 0 : c.by_stream.cost_ns[i];
			},
		],
		["kind", "wait", (c) => c.split.wait_ns],
		["kind", "run", (c) => c.split.run_ns],
		["wait reason", "lock", (c) => c.reasons.lock_ns ?? 0],
	];
	for (const [title, value, own] of cases) {
		await page.getByLabel(`Filter by ${title}`, { exact: true }).selectOption(value);
		await page.getByText("Filtered:").waitFor();
		const rows = await listed(page);
		const want = expected(own);
		assert.deepEqual(new Map(rows.map((row) => [row.rank, Number(row.own_ns)])), want, value);
		const costs = rows.map((row) => Number(row.own_ns));
		assert.deepEqual(
			costs,
			[...costs].sort((a, b) => b - a),
		);
		assert.ok(!("total_ns" in (rows[0] ?? {})), "what is not known of the part is not shown");
		await page.getByRole("button", { name: "Clear filters" }).click();
		await page.getByText("Filtered:").waitFor({ state: "detached" });
	}
	assert.equal((await listed(page)).length, whole.clusters.length);
	await page.goBack();
	await page.getByText("Filtered:").waitFor();
	assert.match(page.url(), /f\.reason=lock/);
	await close();
});

test("a filter that all passes leaves the clusters as they were", async () => {
	assert.ok(whole.clusters.some((/** @type {any} */ c) => c.why.includes("→")));
	const { page, close } = await show(file, { hash: "#/mine" });
	/** Shares have seven digits in documents. */
	const rows = async () =>
		(await listed(page)).map((row) => ({
			...row,
			coverage: Number(row.coverage).toPrecision(7),
		}));
	const before = await rows();
	const host = whole.inputs[0].host;
	assert.ok(whole.inputs.every((/** @type {any} */ input) => input.host === host));
	await page.goto(page.url().replace(/#.*/, `#/mine?f.host=${host}`));
	await page.getByText("Filtered:").waitFor();
	const after = await rows();
	const kept = Object.keys(after[0] ?? {});
	assert.ok(kept.includes("why") && kept.includes("own_ns"));
	assert.deepEqual(
		after,
		before.map((row) =>
			Object.fromEntries(kept.map((key) => [key, row[/** @type {keyof typeof row} */ (key)]])),
		),
	);
	await close();
});

test("a filter goes along to a cluster and back, and is in the address", async () => {
	const cluster = whole.clusters[0];
	const { page, close } = await show(file, { hash: "#/mine?f.kind=run" });
	await page.locator('[role=grid][aria-label="Clusters"] .table-body [role=row]').first().click();
	await page.getByText("Filtered:").waitFor();
	assert.match(page.url(), /#\/mine\/[0-9a-f]+\?f\.kind=run/);
	await page.goto(page.url().replace(/#.*/, `#/mine/${cluster.id}?f.kind=run`));
	const csv = await saved(page, page.getByRole("button", { name: "Own cost: save as CSV" }));
	const rows = parseCsv(csv.bytes.toString("utf8"));
	const of = (/** @type {string} */ what) => Number(rows.find((row) => row.what === what)?.own_ns);
	assert.equal(of("running"), cluster.split.run_ns);
	assert.equal(of("waiting"), 0);
	const name = `Functions of cluster ${cluster.rank}`;
	const functions = parseCsv(
		(await saved(page, page.getByRole("button", { name: `${name}: save as CSV` }))).bytes.toString(
			"utf8",
		),
	);
	const sum = functions.reduce((total, row) => total + Number(row.own_ns), 0);
	assert.equal(sum, cluster.split.run_ns);
	for (const row of functions) assert.equal(row.run_ns, row.total_ns);
	await accessible(page, "filtered cluster");
	await page.getByRole("link", { name: "All clusters" }).click();
	await page.getByRole("heading", { name: "What made users wait" }).waitFor();
	assert.match(page.url(), /f\.kind=run/);
	await close();
});

test("a report without cells says that it has no filters", async () => {
	const { mine } = await reportsIn(file);
	delete mine.cells;
	const made = pageWith(file, [
		{ name: "mine", schema: "lode/mine/1", title: "no cells", report: mine },
	]);
	const { page, close } = await show(made, { hash: "#/mine" });
	await page.getByText("No filters: this report has no costs").waitFor();
	await page.goto(page.url().replace(/#.*/, "#/mine?f.kind=run"));
	await page.getByText("Not filtered").waitFor();
	assert.equal((await listed(page)).length, whole.clusters.length);
	await close();
});

test("served: stacks of one label are the server's; a filter without any cost says so", async () => {
	const { page, close } = await show(served, { hash: "#/mine?f.label=release%3D2.1" });
	await page.getByText("Filtered:").waitFor();
	const said = words(await page.locator(".filters .notice").innerText());
	assert.match(said, /label release=2\.1/);
	assert.match(said, new RegExp(`in ${releases[2.1].length} of ${whole.inputs.length} recordings`));
	const paths = new Set(releases[2.1].map((/** @type {any} */ input) => input.path));
	const mined = JSON.parse(lode("mine", "--repo", repo, "--json", "--detail", "--top", "0"));
	const own = (/** @type {any} */ c) =>
		c.by_stream.stream.reduce(
			(/** @type {number} */ sum, /** @type {number} */ at, /** @type {number} */ i) =>
				sum + (paths.has(mined.inputs[at].path) ? c.by_stream.cost_ns[i] : 0),
			0,
		);
	const cluster = mined.clusters.find((/** @type {any} */ c) => own(c) > 0 && own(c) < c.own_ns);
	await page.goto(
		page.url().replace(/#.*/, `#/mine/${(cluster ?? mined.clusters[0]).id}?f.label=release%3D2.1`),
	);
	const of = cluster ?? mined.clusters[0];
	const label = `Functions of cluster ${of.rank}`;
	const functions = parseCsv(
		(await saved(page, page.getByRole("button", { name: `${label}: save as CSV` }))).bytes.toString(
			"utf8",
		),
	);
	assert.equal(
		functions.reduce((total, row) => total + Number(row.own_ns), 0),
		own(of),
	);
	await close();
});

test("served: two releases are compared on the page as lode diff compares them", async () => {
	const { page } = await show(served, { hash: "#/mine" });
	assert.equal(await page.getByLabel("Compare: A").inputValue(), "2.0");
	assert.equal(await page.getByLabel("Compare: B").inputValue(), "2.1");
	await page.getByRole("link", { name: "Compare A with B" }).click();
	await page.getByRole("heading", { name: "What changed from A to B" }).waitFor();
	const diff = JSON.parse(lode("diff", "--repo", repo, "release=2.0", "release=2.1", "--json"));
	assert.equal(words(await page.locator(".headline").innerText()), words(diff.finding));
	assert.equal(await page.title(), "Diff · release 2.0 against 2.1 · lode");
	await accessible(page, "comparison");
	const first = page.locator('[role=grid][aria-label="Changes"] .table-body [role=row]').first();
	if (await first.count()) {
		await first.click();
		await page.waitForFunction(
			() => /compare/.test(location.hash) && location.hash.split("/").length > 2,
		);
	}
	// A value that no recording has: the server's sentence, and no page that fails.
	await page.goto(served.replace(/$/, "#/mine:compare:by=release&a=2.0&b=9"));
	await page.getByRole("alert").waitFor();
});

test("timeline: filters by thread and function, with the figures of the document", async () => {
	const mailroom = join(samples, "mailroom");
	const path = pageOf(
		"timeline",
		"--symbols",
		join(mailroom, "symbols.tsv"),
		join(mailroom, "mailroom.xray.zst"),
	);
	const [report] = Object.values(await reportsIn(path));
	const names = [...new Set(report.threads.map((/** @type {any} */ t) => t.name))].filter(Boolean);
	const fn = report.functions.name.findIndex(
		(/** @type {string} */ name) =>
			report.functions.name.filter((/** @type {string} */ n) => n.includes(name)).length === 1,
	);
	const query = report.functions.name[fn];
	/** @param {any} thread */
	const callsOf = (thread) => {
		let at = 0;
		let calls = 0;
		thread.called.forEach((/** @type {number} */ step, /** @type {number} */ k) => {
			at += step;
			if (at === fn) calls = thread.called_calls[k];
		});
		return calls;
	};
	const number = (/** @type {number} */ n) => n.toLocaleString("en-US");
	const { page, close } = await show(path, { hash: "#/timeline" });
	const check = async (/** @type {any[]} */ threads, /** @type {(t: any) => number} */ calls) => {
		const sum = threads.reduce((n, t) => n + calls(t), 0);
		const want = `${number(sum)} of ${number(report.trace.calls)} calls in ${threads.length} of ${report.threads.length} threads`;
		await page.locator(".filters .notice", { hasText: want }).waitFor();
	};
	if (names.length > 1) {
		const name = names.at(-1);
		await page.getByLabel("Filter by thread").selectOption(String(name));
		await check(
			report.threads.filter((/** @type {any} */ t) => t.name === name),
			(t) => t.calls,
		);
		assert.match(page.url(), /f\.thread=/);
		await accessible(page, "filtered timeline", { clicked: true });
		await page.getByRole("button", { name: "Clear filters" }).click();
	}
	await page.getByLabel("Show only threads that call a function").fill(query);
	await check(
		report.threads.filter((/** @type {any} */ t) => callsOf(t) > 0),
		callsOf,
	);
	await close();
});
