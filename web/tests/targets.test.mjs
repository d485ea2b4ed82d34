// Every control of every page is a target of at least 24 by 24 px, for a finger or an unsteady hand.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pageOf, reportsIn, samples, serve, settled, show } from "./harness.mjs";
import { smallTargets } from "./house-checks.mjs";
import { loopSample } from "./loop-sample.mjs";
import { pioSample } from "./pio-sample.mjs";

const all = pageOf("analyze", samples);
const pio = pageOf(...pioSample());
const { before, after, signatures } = loopSample();
const loop = ["--unit", "ns", "--signatures", signatures];
const next = pageOf("next", ...loop, before, after);
const coverage = pageOf("coverage", ...loop, "--by", "path", before, after);
const triage = pageOf("triage", ...loop, after);
const diff = pageOf("diff", "--unit", "ns", before, after);
const startup = (/** @type {string} */ n) => join(samples, "startup", `startup-${n}.perf.data.zst`);
const versus = pageOf("suspects", startup("22"), "--versus", startup("08"));
const { mine } = await reportsIn(all);
const { next: order } = await reportsIn(next);
const { triage: triaged } = await reportsIn(triage);

/** @type {Record<string, Array<[path: string, hash: string]>>} */
const pages = {
	overview: [
		[all, ""],
		[pio, ""],
	],
	mine: [
		[all, "#/mine"],
		[all, "#/mine/1"],
		[
			all,
			`#/mine/1?cluster.fn=${encodeURIComponent(mine.frames[mine.clusters[0].common[0]] ?? "")}`,
		],
	],
	suspects: [
		[all, "#/suspects"],
		[all, "#/suspects/orderd!export_ledger"],
		[versus, "#/suspects"],
	],
	timeline: [
		[all, "#/timeline"],
		[all, "#/timeline?q=sort"],
		[pageOf("timeline", join(samples, "mailroom")), "#/timeline"],
	],
	pio: [[pio, "#/pio?at=160&zoom=100-220"]],
	next: [
		[next, "#/next"],
		[next, `#/next/${order.order[0].stream_id}`],
	],
	coverage: [
		[coverage, "#/coverage"],
		[coverage, "#/coverage/loading"],
	],
	triage: [
		[triage, "#/triage"],
		[triage, `#/triage/recording/${triaged.triaged[0].id}`],
	],
	diff: [
		[diff, "#/diff"],
		[diff, "#/diff/1"],
	],
};

/** At both widths; with all that opens, open. @param {string} path @param {string} hash */
async function checked(path, hash) {
	for (const width of [400, 1280]) {
		const { page, close } = await show(path, { hash, width });
		await settled(page);
		await page.evaluate(() => {
			for (const details of document.querySelectorAll("details")) details.open = true;
		});
		await settled(page);
		assert.deepEqual(await smallTargets(page), [], `${hash} at ${width} px`);
		await close();
	}
}

for (const [name, places] of Object.entries(pages))
	test(`${name}: targets of 24 px`, async () => {
		for (const [path, hash] of places) await checked(path, hash);
	});

test("the long call of a timeline, picked: targets of 24 px", async () => {
	for (const width of [400, 1280]) {
		const { page, close } = await show(all, { hash: "#/timeline", width });
		await page
			.getByRole("grid", { name: "Long calls" })
			.locator(".table-body [role=row]")
			.first()
			.click();
		await settled(page);
		assert.deepEqual(await smallTargets(page), [], `a call at ${width} px`);
		await close();
	}
});

test("a server's pages: targets of 24 px", async () => {
	const { url, end } = await serve(join(samples, "startup"));
	for (const hash of ["", "#/mine", "#/mine/1"]) await checked(url, hash);
	await end();
});
