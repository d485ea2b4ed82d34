// Measures the sandwich of a function among very many stacks, in Chromium: one JSON line
// (bench/bench_pages.py). Lode gives a cluster's page some thousand nodes, so the stacks are made here
// and stand in a page of lode's in place of its first cluster's.
//
//   nodes             of the tree of the stacks
//   sandwich_ms       from a click on a function to its picture, median of ten; sandwich_most_ms
//   cpu_ms            what the main thread worked for one of them, mean
//
// usage: node measure-sandwich.mjs PAGE [STACKS: 100000]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { addressOf, openPage, quantile } from "./measure.mjs";

/** @typedef {import("./measure.mjs").InPage} InPage */

const [place = "", n = "100000"] = process.argv.slice(2);
const FUNCTIONS = 2000;

/** Stacks that begin like one before, and end in up to four frames of their own; seeded. */
function manyStacks() {
	let state = 1;
	const roll = (/** @type {number} */ below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
	/** @type {{parent: number[], frame: number[], own_ns: number[]}} */
	const tree = { parent: [-1], frame: [0], own_ns: [0] };
	for (let stack = 0; stack < Number(n); stack++) {
		let at = roll(tree.parent.length);
		for (let frames = 1 + roll(4); frames > 0; frames--) {
			tree.parent.push(at);
			// Some functions are in very many stacks, most in few.
			tree.frame.push(Math.floor(FUNCTIONS * (roll(1000) / 1000) ** 3));
			tree.own_ns.push(0);
			at = tree.parent.length - 1;
		}
		tree.own_ns[at] = 1000 + roll(1_000_000);
	}
	const none = tree.parent.map(() => 0);
	return { ...tree, wait_ns: tree.own_ns, ready_ns: none, left_out: 0, left_out_ns: 0 };
}

const html = readFileSync(place, "utf8");
const report = /class="lode-report" data-name="mine"[^>]*>([^<]*)</.exec(html)?.[1] ?? "";
const mine = JSON.parse(inflateSync(Buffer.from(report, "base64")).toString("utf8"));
const flame = manyStacks();
const own_ns = flame.own_ns.reduce((sum, own) => sum + own, 0);
mine.clusters = [
	{
		...mine.clusters[0],
		own_ns,
		patterns: [],
		worst: [],
		gap_variants: [],
		by_stream: { stream: [], cost_ns: [] },
		flame,
	},
];
mine.frames = Array.from({ length: FUNCTIONS }, (_, i) => `app!function_${i}`);
const first = html.indexOf('<script type="application/octet-stream"');
const end = html.indexOf("</script>", html.lastIndexOf('<script type="application/octet-stream"'));
const folder = mkdtempSync(join(tmpdir(), "lode-sandwich-"));
const made = join(folder, "page.html");
writeFileSync(
	made,
	`${html.slice(0, first)}<script type="application/octet-stream" class="lode-report" data-name="mine" data-schema="lode/mine/1" data-title="stacks" data-encoding="deflate">${deflateSync(JSON.stringify(mine)).toString("base64")}${html.slice(end)}`,
);
const { page, cpuMs, close } = await openPage();
await page.goto(`${addressOf(made)}#/mine/${mine.clusters[0].id}`);
const rows = page.locator('[role=grid][aria-label^="Functions of"] .table-body [role=row]');
await rows.first().waitFor();
const before = await cpuMs();
const times = await page.evaluate(async () => {
	const { painted } = /** @type {{bench: InPage}} */ (/** @type {unknown} */ (window)).bench;
	const label = () => document.querySelector(".sandwich [role=application]")?.ariaLabel;
	const out = [];
	for (let i = 0; i < 10; i++) {
		const row = /** @type {HTMLElement} */ (
			document.querySelectorAll('[role=grid][aria-label^="Functions of"] .table-body [role=row]')[i]
		);
		const before = label();
		const start = performance.now();
		row.click();
		let now = await painted();
		while (label() === before) now = await painted();
		out.push(now - start);
	}
	return out;
});
const cpu = (await cpuMs()) - before;
console.log(
	JSON.stringify({
		nodes: flame.parent.length,
		cpu_ms: cpu / times.length,
		sandwich_ms: quantile(times, 0.5),
		sandwich_most_ms: Math.max(...times),
	}),
);
await close();
rmSync(folder, { recursive: true });
