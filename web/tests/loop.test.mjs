// The analyst's loop: what to open next, what has a name, what of new recordings is known.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { test } from "node:test";
import {
	lode,
	pageOf,
	pageWith,
	parseCsv,
	reportsIn,
	saved,
	show,
	tableTexts,
	temporary,
	top,
} from "./harness.mjs";
import { HOSTILE, harmless, poison, schemaOf } from "./hostile-names.mjs";
import { kept } from "./house-checks.mjs";
import { EVIL, loopSample } from "./loop-sample.mjs";

const { before, after, signatures } = loopSample();
const words = (/** @type {string} */ text) => text.replaceAll("\u202f", " ");
const evil = EVIL.replaceAll(" ", "_");
const next = ["next", "--unit", "ns", "--signatures", signatures, before, after];
const coverage = ["coverage", "--unit", "ns", "--signatures", signatures, before, after];
const triage = ["triage", "--unit", "ns", "--signatures", signatures, after];

/** Rows that a table saves. @param {import("playwright-core").Page} page @param {string} label */
async function rowsOf(page, label) {
	const button = page.getByRole("button", { name: `${label}: save as CSV` });
	return parseCsv((await saved(page, button)).bytes.toString("utf8"));
}

test("next: the page has what --json --detail --compare says, in the terminal's order", async () => {
	const path = pageOf(...next);
	const said = JSON.parse(lode(...next, "--json", "--detail", "--compare", "--top", "0"));
	assert.deepEqual(said, (await reportsIn(path)).next);
	const seen = new Set();
	for (const step of said.order) {
		step.sights.known.forEach((/** @type {number} */ at, /** @type {number} */ i) => {
			assert.equal(step.sights.new[i], seen.has(at) ? 0 : 1);
			seen.add(at);
		});
		assert.equal(step.sights.new.filter(Boolean).length, step.new);
	}
	const { page, close } = await show(path);
	const rows = await rowsOf(page, "Recordings in the order to open them");
	assert.equal(rows.length, said.order.length);
	said.order.forEach((/** @type {any} */ step, /** @type {number} */ i) => {
		assert.equal(rows[i]?.stream, step.stream);
		for (const key of ["covered_ns", "adds_ns", "new", "unexplained_ns"])
			assert.equal(Number(rows[i]?.[key]), step[key], key);
	});
	const levels = await rowsOf(page, "Recordings to open for a coverage");
	assert.deepEqual(
		levels.map((level) => [Number(level.coverage), Number(level.best), Number(level.random)]),
		said.compare.levels.map((/** @type {any} */ l) => [l.coverage, l.best, l.random]),
	);
	const [first = []] = await tableTexts(page, "Recordings in the order to open them");
	const line =
		lode(...next)
			.split("\n")
			.find((text) => /^ *1 (?!of )/.test(text)) ?? "";
	// The page tells files of one name apart by their folders.
	for (const text of [first[1]?.split("/").at(-1), first[3], first[4]])
		assert.ok(line.includes(words(text ?? "")), `"${line}" has ${text}`);
	await kept(page);
	await page.getByRole("application", { name: /^Coverage by the number/ }).focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	await page.waitForFunction(() => location.hash.includes("opened=1"));
	await page.locator('[role=grid][aria-label^="Recordings in the order"]').focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.waitForFunction((id) => location.hash === `#/next/${id}`, said.order[0].stream_id);
	const sights = await rowsOf(page, "Contents of the recording");
	assert.equal(sights.filter((s) => s.new === "new").length, said.order[0].new);
	assert.ok(
		sights.some((s) => s.what === evil),
		"the hostile signature is text",
	);
	await close();
});

test("coverage: bar, table and groups are those of the JSON", async () => {
	const repo = temporary("loop.lode");
	lode("import", "--repo", repo, "--unit", "ns", "--label", "release=2.9", before);
	lode("import", "--repo", repo, "--label", "release=2.10", after);
	lode("sign", "--repo", repo, "--import", signatures);
	const command = ["coverage", "--repo", repo, "--by", "release"];
	const path = pageOf(...command);
	const said = JSON.parse(lode(...command, "--json", "--top", "0"));
	assert.deepEqual(said, (await reportsIn(path)).coverage);
	const { page, close } = await show(path);
	const rows = await rowsOf(page, "Signatures");
	assert.equal(rows.length, said.signatures.length);
	said.signatures.forEach((/** @type {any} */ s, /** @type {number} */ i) => {
		assert.equal(rows[i]?.name, s.name);
		for (const key of ["total_ns", "exclusive_ns", "share", "streams"])
			assert.equal(Number(rows[i]?.[key]), s[key], key);
		assert.equal(
			rows[i]?.state,
			s.state !== "retired" ? "active" : s.total_ns ? "came back" : "retired",
		);
	});
	const groups = await rowsOf(page, "Groups of recordings");
	assert.deepEqual(
		groups.map((g) => [g.name, Number(g.coverage), Number(g.returned_ns)]),
		said.groups.map((/** @type {any} */ g) => [g.name, g.coverage, g.returned_ns]),
	);
	const answer = words((await page.locator(".headline").textContent()) ?? "");
	assert.ok(answer.includes(`${(100 * said.coverage).toFixed(1)} %`), answer);
	assert.match((await page.getByRole("status").textContent()) ?? "", /Came back.*drawing/);
	await kept(page);
	await page.locator('[role=grid][aria-label="Signatures"]').focus();
	for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
	await page.getByRole("heading", { level: 1 }).getByText(said.signatures[0].name).waitFor();
	const trend = await rowsOf(page, "The signature by group");
	assert.deepEqual(
		trend.map((g) => [g.name, Number(g.total_ns), Number(g.share)]),
		said.signatures[0].groups.map((/** @type {any} */ g) => [g.name, g.total_ns, g.share]),
	);
	assert.equal(await page.evaluate(() => /** @type {any} */ (window).hit), undefined);
	await close();
});

test("triage: bars, what came back and the rest are those of the JSON; the threshold is marked", async () => {
	// The exit code says that a recording is over; the page is written all the same.
	const path = temporary("triage.html");
	const limited = [...triage, "--fail-over", "3.5s"];
	const program = resolve(top, process.env.LODE ?? "build/release/lode");
	const run = spawnSync(program, [...limited, "--html", path]);
	assert.equal(run.status, 5, String(run.stderr));
	const said = JSON.parse(
		String(spawnSync(program, [...limited, "--json", "--detail", "--top", "0"]).stdout),
	);
	assert.deepEqual(said, (await reportsIn(path)).triage);
	const { page, close } = await show(path);
	const rows = await rowsOf(page, "Recordings");
	said.triaged.forEach((/** @type {any} */ s, /** @type {number} */ i) => {
		assert.equal(rows[i]?.path, s.path);
		assert.equal(rows[i]?.over, s.over ? "!" : "");
		for (const key of ["symptom_ns", "coverage", "unexplained_ns", "returned_ns"])
			assert.equal(Number(rows[i]?.[key]), s[key], key);
	});
	const over = said.triaged.filter((/** @type {any} */ s) => s.over).length;
	assert.ok(over > 0 && over < said.triaged.length, `${over} of ${said.triaged.length} are over`);
	assert.equal(said.over, over);
	assert.match(
		(await page.getByRole("status").textContent()) ?? "",
		new RegExp(`^! ${over} recording`),
	);
	const [back] = await rowsOf(page, "Signatures that came back");
	assert.deepEqual(
		[back?.name, Number(back?.total_ns), Number(back?.streams)],
		["drawing", said.returned[0].total_ns, said.returned[0].streams],
	);
	const rest = await rowsOf(page, "Clusters of the rest");
	assert.deepEqual(
		rest.map((c) => Number(c.own_ns)),
		said.clusters.map((/** @type {any} */ c) => c.own_ns),
	);
	await kept(page);
	await page.getByRole("application", { name: /^Known, returned and/ }).focus();
	for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
	await page.waitForFunction(
		(id) => location.hash === `#/triage/recording/${id}`,
		said.triaged[0].id,
	);
	const known = await rowsOf(page, "Signatures in the recording");
	assert.deepEqual(
		known.map((s) => Number(s.total_ns)),
		said.triaged[0].signatures.map((/** @type {any} */ s) => s.total_ns),
	);
	await close();
	const cluster = await show(path, {
		hash: `#/triage/${said.clusters[0].id}`,
		width: 1920,
		dark: true,
	});
	await cluster.page.getByRole("heading", { name: /^Cluster 1/ }).waitFor();
	await cluster.page.getByRole("application", { name: /^Flame graph/ }).waitFor();
	await cluster.close();
});

test("next, coverage, triage: hostile names in every text field", async () => {
	for (const [name, command] of /** @type {const} */ ([
		["next", next],
		["coverage", [...coverage, "--by", "path"]],
		["triage", triage],
	])) {
		const template = pageOf(...command);
		const schema = schemaOf(name);
		const report = poison((await reportsIn(template))[name], schema, schema);
		const page = pageWith(template, [
			{ name, schema: report.schema, title: `${HOSTILE.join(" ")} ${HOSTILE[4]}`, report },
		]);
		await harmless(page, "");
		if (name === "next") await harmless(page, `#/next/${report.order[0].stream_id}`);
		if (name === "coverage")
			await harmless(page, `#/coverage/${encodeURIComponent(report.signatures[0].name)}`);
		if (name === "triage") await harmless(page, `#/triage/recording/${report.triaged[0].id}`);
	}
});
