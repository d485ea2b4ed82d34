// A report of mining that is served from a repository: from a cluster to each of its symptoms,
// signatures from the first to the last of their days, and trends. What is shown is what the commands
// say of the same repository.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { accessible } from "./accessible.mjs";
import {
	lode,
	pageOf,
	parseCsv,
	reportsIn,
	samples,
	saved,
	serve,
	show,
	tableTexts,
	temporary,
} from "./harness.mjs";

const startup = join(samples, "startup");
const recordings = temporary("served-recordings");
const repo = temporary("served.lode");
const RELEASES = { "2.0": ["08", "12"], 2.1: ["22", "24"] };
/** Gone after it was imported; not the one that the first cluster costs most. */
const GONE = "12";
const file = (/** @type {string} */ number) => `startup-${number}.perf.data.zst`;

mkdirSync(recordings);
copyFileSync(join(startup, "symptoms.tsv"), join(recordings, "symptoms.tsv"));
symlinkSync(join(startup, "symbols"), join(recordings, "symbols"));
for (const [release, numbers] of Object.entries(RELEASES)) {
	for (const number of numbers)
		copyFileSync(join(startup, file(number)), join(recordings, file(number)));
	const paths = numbers.map((number) => join(recordings, file(number)));
	lode("import", "--repo", repo, "--label", `release=${release}`, ...paths);
}
rmSync(join(recordings, file(GONE)));
const mined = JSON.parse(lode("mine", "--repo", repo, "--json", "--detail", "--top", "0"));
/** The costliest cluster with a recording that is there and one that is gone. */
const cluster = mined.clusters[0];
const STREAMS = "Recordings in which the cluster occurs";
const SYMPTOMS = "Worst symptoms of the cluster";

const server = await serve("--repo", repo);
after(() => server.end());
const { origin, search: token } = new URL(server.url);
const address = `${origin}/`;
const words = (/** @type {string} */ text) => text.replaceAll("\u202f", " ");

/** @param {string} name */
const signature = (name) =>
	JSON.parse(lode("sign", "--repo", repo, "--list", "--json")).signatures.find(
		(/** @type {any} */ s) => s.name === name,
	);

test("served: while a repository is mined the page says how far that is, and then shows it", async () => {
	const { page } = await show(address);
	let asked = 0;
	await page.route("**/api/reports/mine", (route) =>
		++asked > 2
			? route.continue()
			: route.fulfill({
					status: 503,
					contentType: "application/json",
					body: JSON.stringify({ error: `mining 9 recordings: ${asked} read` }),
				}),
	);
	await page.reload();
	await page.getByText("Mining 9 recordings: 1 read.").waitFor();
	await page.getByText("Mining 9 recordings: 2 read.").waitFor();
	await page.waitForSelector("main h1, main h2");
	assert.equal(asked, 3);
	await page.context().close(); // the browser's console tells of each 503
});

test("served: a report of an older state is replaced by the new one, at the same place", async () => {
	const { page, close } = await show(address);
	const hash = `#/mine/${cluster.id}`;
	let listed = 0;
	await page.route("**/api/reports", (route) => {
		const isStale = ++listed <= 2;
		const title = isStale ? "served.lode, as of 2026-01-01 00:00 UTC" : "served.lode, mined";
		const reports = [{ name: "mine", schema: "lode/mine/1", title, stale: isStale }];
		return route.fulfill({ contentType: "application/json", body: JSON.stringify({ reports }) });
	});
	await page.goto(`${address}${hash}`);
	await page.reload();
	const title = page.locator(".bar-title");
	await title.getByText("as of 2026-01-01 00:00 UTC").waitFor();
	await title.getByText("served.lode, mined").waitFor();
	assert.equal(listed, 4, "the list of the page, two looks, and that of the new page");
	assert.equal(new URL(page.url()).hash, hash);
	await page.locator(`[role=grid][aria-label="${STREAMS}"]`).waitFor();
	await close();
});

test("served: a cluster down to the critical path of a symptom", async () => {
	const { page, close } = await show(address, { hash: `#/mine/${cluster.id}` });
	const grid = page.locator(`[role=grid][aria-label="${STREAMS}"]`);
	await grid.waitFor();
	const csv = await saved(page, page.getByRole("button", { name: `${STREAMS}: save as CSV` }));
	const rows = parseCsv(csv.bytes.toString("utf8"));
	const costs = new Map(
		cluster.by_stream.stream.map((/** @type {number} */ at, /** @type {number} */ i) => [
			mined.inputs[at].path,
			cluster.by_stream.cost_ns[i],
		]),
	);
	assert.equal(rows.length, costs.size);
	for (const row of rows) {
		assert.equal(Number(row.cost_ns), costs.get(row.path), row.path);
		const input = mined.inputs.find((/** @type {any} */ s) => s.path === row.path);
		assert.equal(row.host, input.host);
		const release = Object.entries(RELEASES).find(([, of]) =>
			of.some((number) => row.path?.endsWith(file(number))),
		)?.[0];
		assert.equal(row.labels, `release=${release}`);
	}

	const there = cluster.worst.find((/** @type {any} */ w) => !w.stream.endsWith(file(GONE)));
	await grid.getByText(there.stream.split("/").at(-1)).click();
	await page.waitForFunction((id) => location.hash.includes(`stream=${id}`), there.stream_id);
	await page.getByRole("heading", { name: "Symptoms of the selected recording" }).waitFor();
	await page.locator(`[role=grid][aria-label="${SYMPTOMS}"] .table-body [role=row]`).waitFor();
	const of = cluster.worst.filter((/** @type {any} */ w) => w.stream_id === there.stream_id);
	assert.equal((await tableTexts(page, SYMPTOMS)).length, of.length);
	const symptoms = parseCsv(
		(
			await saved(page, page.getByRole("button", { name: `${SYMPTOMS}: save as CSV` }))
		).bytes.toString("utf8"),
	);
	of.forEach((/** @type {any} */ w, /** @type {number} */ i) => {
		assert.equal(Number(symptoms[i]?.cost_ns), w.cost_ns);
		assert.equal(Number(symptoms[i]?.event_ns), w.event_ns);
		assert.equal(symptoms[i]?.thread, `${w.comm} ${w.tid}`);
	});
	await page.locator(`[role=grid][aria-label="${SYMPTOMS}"]`).focus();
	await page.keyboard.press("Home");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "Critical path of the selected symptom" }).waitFor();
	const picture = page.getByRole("application", { name: /^Critical path of/ });
	await picture.waitFor();
	const linked = page.url();
	assert.match(linked, new RegExp(`symptom=${there.tid}\\.${there.symptom_t0_ns}`));
	await close();

	const again = await show(address, { hash: new URL(linked).hash });
	await again.page
		.getByRole("heading", { name: "Critical path of the selected symptom" })
		.waitFor();
	await again.close();
});

test("served: what cannot be had is a sentence, and is asked for again", async () => {
	const gone = cluster.worst.find((/** @type {any} */ w) => w.stream.endsWith(file(GONE)));
	const hash = `#/mine/${cluster.id}?stream=${gone.stream_id}&symptom=${gone.tid}.${gone.symptom_t0_ns}`;
	const { page } = await show(address, { hash });
	await page.getByText("Not available").waitFor();
	assert.ok(
		(await page.locator("main").innerText()).includes(file(GONE)),
		"it names the recording",
	);

	await page.route("**/cluster?*", (route) =>
		route.fulfill({ status: 500, json: { schema: "lode/error/1", error: "out of <b>luck</b>" } }),
	);
	await page.goto(`${address}#/mine/${mined.clusters[1].id}`);
	await page.getByText("Out of <b>luck</b>.").waitFor();
	await page.unroute("**/cluster?*");
	await page.getByRole("button", { name: "Try again" }).click();
	await page.getByRole("heading", { name: "Shared call path" }).waitFor();

	await page.goto(`${address}${token}#/mine/${cluster.id}`);
	await page.getByRole("button", { name: "Sign this cluster" }).click();
	const form = page.getByRole("form", { name: "Sign cluster 1" });
	await form.getByLabel("Name").fill("two words");
	await form.getByRole("button", { name: "Sign" }).click();
	await form.getByRole("alert").waitFor(); // the server's sentence; what was typed stays
	assert.equal(await form.getByLabel("Name").inputValue(), "two words");
	await page.context().close(); // its console tells of all three
});

test("served: sign, rename, retire, activate, delete; the list follows", async () => {
	const NAME = "<script>slow</script>";
	const { page, close } = await show(address, { hash: `${token}#/mine/${cluster.id}` });
	await page.getByRole("button", { name: "Sign this cluster" }).click();
	const form = page.getByRole("form", { name: "Sign cluster 1" });
	await form.waitFor();
	await accessible(page, "a cluster that is signed", { clicked: true });
	const shown = await form.locator(".pattern").first().locator("li").count();
	await form.getByLabel("Name").fill(NAME);
	await form.getByLabel("Owner").fill("files");
	await form.getByLabel("Bug").fill("https://bugs.example/1");
	await form.getByRole("button", { name: "Sign" }).click();
	await page.locator("h1").getByText("known").waitFor();
	const signed = signature(NAME);
	assert.equal(signed.state, "active");
	assert.equal(signed.bug, "https://bugs.example/1");
	assert.deepEqual(signed.patterns, cluster.signature.patterns);
	assert.equal(shown, signed.patterns[0].split(";").length);

	await page.getByRole("link", { name: "All clusters" }).click();
	await page.getByText(NAME).first().waitFor();
	await accessible(page, "clusters of which some are known", { clicked: true });
	const cells = (await tableTexts(page, "Clusters"))[0] ?? [];
	assert.ok(
		cells.some((text) => text.includes("known") && text.includes(NAME)),
		"the list says so",
	);
	await page.getByRole("link", { name: "Signatures" }).click();
	await page.locator('[role=grid][aria-label="Signatures"] .table-body [role=row]').click();
	await page.getByRole("heading", { level: 1, name: NAME }).waitFor();

	await page.getByRole("button", { name: "Edit" }).click();
	const edit = page.getByRole("form", { name: /^Edit/ });
	await edit.waitFor();
	await accessible(page, "a signature that is edited", { clicked: true });
	await edit.getByLabel("Name").fill("slow-lookup");
	await edit.getByLabel("Additional patterns").fill("path_canonicalize;lstat");
	for (const kind of ["waiting", "running", "ready, waiting for a CPU"])
		await edit.getByRole("checkbox", { name: kind, exact: true }).setChecked(kind === "waiting");
	await edit.getByLabel("Wait reasons").fill("disk,lock");
	await edit.getByRole("button", { name: "Save" }).click();
	await page.getByRole("heading", { level: 1, name: "slow-lookup" }).waitFor();
	assert.match(page.url(), /signatures\/slow-lookup$/);
	assert.equal(signature(NAME), undefined);
	const edited = signature("slow-lookup");
	assert.ok(edited.patterns.includes("path_canonicalize;lstat"));
	assert.equal(edited.kind, "wait");
	assert.deepEqual(edited.reason.split(", ").sort(), ["disk", "lock"]);

	await page.getByRole("button", { name: "Retire" }).click();
	await page.locator("h1").getByText("retired").waitFor();
	assert.equal(signature("slow-lookup").state, "retired");
	await page.getByRole("link", { name: "All clusters" }).click();
	await page.getByRole("button", { name: "Came back" }).click();
	await page.waitForFunction(
		(n) => document.querySelectorAll('[aria-label="Clusters"] .table-body [role=row]').length < n,
		mined.clusters.length,
	);
	for (const [rank, , , , , , , , , known] of await tableTexts(page, "Clusters"))
		assert.match(`${rank} ${known}`, /^\d+ ↻ came backslow-lookup/);
	assert.equal((await tableTexts(page, "Clusters"))[0]?.[0], "1");
	await page.goBack();
	await page.getByRole("button", { name: "Activate" }).click();
	await page.locator("h1").getByText("active").waitFor();
	assert.equal(signature("slow-lookup").state, "active");

	await page.getByRole("button", { name: "Delete…" }).click();
	await page.getByRole("button", { name: "Keep" }).waitFor();
	await accessible(page, "a signature that might be deleted", { clicked: true });
	await page.getByRole("button", { name: "Keep" }).click();
	await page.getByRole("button", { name: "Delete…" }).click();
	await page.getByRole("button", { name: "Delete", exact: true }).click();
	await page.getByRole("heading", { level: 1, name: "Signatures" }).waitFor();
	assert.equal(signature("slow-lookup"), undefined);
	await close();
});

test("served: trends are what lode coverage --by says", async () => {
	lode("sign", "--repo", repo, "--name", "lookup", "path_query_component;fstatat");
	const coverage = JSON.parse(lode("coverage", "--repo", repo, "--by", "release", "--json"));
	const { page, close } = await show(address, {
		hash: "#/mine/signatures/lookup?trend.by=release",
	});
	await page.getByRole("application", { name: /^Share of signature lookup/ }).waitFor();
	const csv = await saved(page, page.getByRole("button", { name: "Trend: save as CSV" }));
	const rows = parseCsv(csv.bytes.toString("utf8"));
	assert.deepEqual(
		rows.map((row) => row.value),
		coverage.groups.map((/** @type {any} */ g) => g.name),
	);
	const { groups, total_ns } = coverage.signatures.find(
		(/** @type {any} */ s) => s.name === "lookup",
	);
	for (const [i, row] of rows.entries()) {
		const all = coverage.groups[i];
		const group = groups.find((/** @type {any} */ g) => g.name === all.name);
		assert.equal(Number(row.symptom_ns), all.symptom_ns);
		assert.equal(Number(row.streams), all.streams);
		assert.equal(Number(row.matched_ns), group?.total_ns ?? 0);
		assert.equal(Number(row.streams_with), group?.streams ?? 0);
	}
	const facts = words(await page.locator(".facts").innerText());
	assert.ok(facts.includes(`${(total_ns / 1e9).toFixed(2)} s`), facts);

	const picture = page.getByRole("application", { name: /^Share of signature lookup/ });
	await picture.focus();
	await page.keyboard.press("End");
	const last = `trend.at=${coverage.groups.at(-1).name}`;
	await page.waitForFunction((at) => location.hash.includes(at), last);
	const svg = await saved(page, page.getByRole("button", { name: /^Share of.*save as SVG$/ }));
	assert.ok(svg.bytes.toString("utf8").includes("<svg"));

	// All of the sample is of one day: a number, which no picture would tell better.
	await page.getByLabel("Trend by").selectOption("day");
	await page.getByRole("button", { name: "day", exact: true }).waitFor();
	assert.equal((await tableTexts(page, "Trend")).length, 1);
	assert.equal(await picture.count(), 0);
	await close();
});

test("served: whose browser has no token may look, and is told why not more", async () => {
	const { page, close } = await show(address, { hash: `#/mine/${cluster.id}` });
	await page.getByText("Read-only: this browser has no token").waitFor();
	assert.equal(await page.getByRole("button", { name: /^(Sign|Edit|Retire|Delete)/ }).count(), 0);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	await close();
});

test("served: nothing moves when what is slow comes at last; 200 % zoom shows all of it", async () => {
	const { page, close } = await show(address, { hash: token });
	await page.addInitScript(() => {
		const shifts = /** @type {number[]} */ ([]);
		Object.assign(window, { shifts });
		new PerformanceObserver((list) => {
			for (const entry of list.getEntries()) shifts.push(/** @type {any} */ (entry).value);
		}).observe({ type: "layout-shift", buffered: true });
	});
	await page.route(/api\/session|signatures$|trend/, async (route) => {
		await new Promise((done) => setTimeout(done, 300));
		await route.continue();
	});
	await page.goto(`${address}#/mine/${cluster.id}`);
	await page.reload();
	await page.getByRole("button", { name: "Sign this cluster" }).waitFor();
	await page.locator('[role=grid][aria-label="Trend"]').waitFor();
	const moved = await page.evaluate(() =>
		/** @type {any} */ (window).shifts.reduce(
			(/** @type {number} */ a, /** @type {number} */ b) => a + b,
			0,
		),
	);
	assert.ok(moved < 0.01, `it moved by ${moved}`);
	await page.setViewportSize({ width: 640, height: 450 });
	await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
	await close();
});

test("in a file: streams, their symptoms and the paths that it holds", async () => {
	const path = pageOf("mine", startup);
	const { mine } = await reportsIn(path);
	const first = mine.clusters[0];
	const { page, close } = await show(path, { hash: `#/mine/${first.id}` });
	const grid = page.locator(`[role=grid][aria-label="${STREAMS}"]`);
	await grid.waitFor();
	const rows = await tableTexts(page, STREAMS);
	assert.equal(rows.length, first.by_stream.stream.length);
	const [worst, second] = first.worst;
	await grid.getByText(second.stream.split("/").at(-1)).click();
	await page.waitForFunction((id) => location.hash.includes(`stream=${id}`), second.stream_id);
	assert.equal((await tableTexts(page, SYMPTOMS)).length, 1);
	await page.locator(`[role=grid][aria-label="${SYMPTOMS}"] .table-body [role=row]`).click();
	await page.getByRole("heading", { name: "Critical path of the selected symptom" }).waitFor();
	await page.getByRole("button", { name: "All recordings" }).click();
	await page.getByRole("heading", { name: "Critical path of its worst symptom" }).waitFor();
	assert.equal(await page.getByText("Signatures").count(), 0);
	assert.ok(worst.cost_ns >= second.cost_ns);
	await close();
});
