// The timeline page: its numbers are those of `lode timeline --json`, what is selected is in the
// URL, keys do what the pointer does, and names stay text.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { lode, pageOf, samples, settled, temporary } from "./harness.mjs";
import { openTimeline, pageOfTrace, seconds, secondsOf } from "./timeline-driver.mjs";
import { hostile, normal } from "./timeline-traces.mjs";

describe("mailroom", () => {
	const sample = join(samples, "mailroom");
	const input = [
		"--symbols",
		join(sample, "symbols.tsv"),
		"--thread-names",
		join(sample, "threads.tsv"),
		join(sample, "mailroom.xray.zst"),
	];
	/** @type {string} */
	let file;
	/** @type {any} */
	let json;
	/** @param {string[]} options */
	const ask = (...options) =>
		JSON.parse(
			lode("timeline", "--json", "--top", "0", ...options, ...input)
				// Wall clocks do not fit a number here.
				.replace(/: (-?\d{16,})/g, ': "$1"'),
		);
	before(() => {
		file = pageOf("timeline", ...input);
		json = ask("--full");
	});

	/** Since the trace's start, as the page says it. @param {string} ns */
	const since = (ns) => Number(BigInt(ns) - BigInt(json.t0_ns)) / 1e9;

	test("the table of long calls is the list of outliers", async () => {
		const page = await openTimeline(file);
		const rows = await page.longCalls();
		const names = new Map(json.threads.map((/** @type {any} */ t) => [t.tid, t.name]));
		const key = (/** @type {any[]} */ parts) => parts.join(" | ");
		assert.deepEqual(
			rows.map((r) => key([r.function, r.thread, r.from.toFixed(9), r.depth])).sort(),
			json.outliers
				.map((/** @type {any} */ o) =>
					key([o.function, `${names.get(o.tid)} ${o.tid}`, since(o.start_ns).toFixed(9), o.depth]),
				)
				.sort(),
		);
		const longest = Math.max(...json.outliers.map((/** @type {any} */ o) => o.duration_ns));
		assert.ok(
			Math.abs(Math.max(...rows.map((r) => secondsOf(r.lasts))) * 1e9 - longest) < longest / 100,
		);
		await page.close();
	});

	test("the strip above marks the calls that are ten times as long as their function's median", async () => {
		const page = await openTimeline(file);
		const marked = json.outliers.filter((/** @type {any} */ o) => o.times_median >= 10).length;
		assert.ok(marked > 0 && marked < json.outliers.length);
		await page.page.getByRole("img", { name: new RegExp(`; ${marked} calls marked`) }).waitFor();
		await page.close();
	});

	test("what everybody did during a long call is what --at says", async () => {
		const page = await openTimeline(file);
		const lock = json.outliers.find((/** @type {any} */ o) => o.function === "shelf_lock");
		await page.highlight("shelf_lock");
		await page.pickLongCall(String(lock.tid), `+${since(lock.start_ns).toFixed(9)}`);
		const moment = BigInt(lock.start_ns) + BigInt(Math.floor(lock.duration_ns / 2));
		const { meanwhile } = ask("--at", `${lock.tid}:${moment}`).at;
		assert.equal(meanwhile.t0_ns, lock.start_ns);
		const length = Number(BigInt(meanwhile.t1_ns) - BigInt(meanwhile.t0_ns));
		const shown = await page.meanwhile();
		for (const thread of meanwhile.threads) {
			if (thread.idle_ns === length) continue;
			const share = shown.get(thread.tid);
			assert.ok(share, `thread ${thread.tid}`);
			assert.ok(Math.abs(share.idle - (100 * thread.idle_ns) / length) < 0.06);
			for (const leaf of thread.leaves.slice(0, 3))
				if (leaf.leaf_ns / length > 0.002)
					assert.ok(
						Math.abs((share.leaves.get(leaf.function) ?? -1) - (100 * leaf.leaf_ns) / length) <
							0.06,
						leaf.function,
					);
		}
		await page.close();
	});

	test("an expression's tree is that of --full", async () => {
		const page = await openTimeline(file);
		const full = ask("--full", "--negligible", "0");
		const sorter = full.threads.find((/** @type {any} */ t) => t.name === "sorter-1");
		const at = sorter.timeline.findIndex(
			(/** @type {any} */ i) => i.kind === "expression" && i.duration_ns > 10e6,
		);
		const expression =
			sorter.timeline[
				at >= 0 ? at : sorter.timeline.findIndex((/** @type {any} */ i) => i.kind === "expression")
			];
		await page.page.locator(".tl-name").filter({ hasText: "sorter-1" }).click();
		const grid = page.page.getByRole("grid", { name: "sorter-1" });
		await page.page.getByLabel(/^Search sorter-1/).fill("");
		const row = grid
			.locator(".table-row")
			.filter({ hasText: `+${since(expression.start_ns).toFixed(9)}` });
		await row.filter({ hasText: "merged calls" }).first().click();
		await settled(page.page);
		const rows = await page.page
			.locator(".tl-tree tbody tr")
			.evaluateAll((elements) =>
				elements.map((e) => [
					e.querySelector(".frame")?.textContent ?? "",
					Number((e.children[1]?.textContent ?? "").replaceAll(",", "")),
				]),
			);
		const plain = (/** @type {any[][]} */ list) => list.map((r) => r.join(" ")).sort();
		assert.deepEqual(
			plain(rows),
			plain(expression.nodes.map((/** @type {any} */ n) => [n.function, n.calls])),
		);
		await page.close();
	});

	test("zooming ends at single calls, whose times are those of a window call by call", async () => {
		const sorter = json.threads.find((/** @type {any} */ t) => t.name === "sorter-2");
		const busy = sorter.timeline.find(
			(/** @type {any} */ i) => i.kind === "expression" && i.calls > 20,
		);
		const from = Number(BigInt(busy.start_ns) - BigInt(json.t0_ns));
		const to = from + Math.min(busy.duration_ns, 2e6);
		const page = await openTimeline(file, { hash: `#/timeline?w=${from}-${to}` });
		await page.page.getByText("call by call").waitFor();
		const window = ask("--window", `+${from}ns,+${to}ns`, "--long-call", "0ns", "--full");
		const calls = window.threads
			.find((/** @type {any} */ t) => t.name === "sorter-2")
			.timeline.filter((/** @type {any} */ i) => i.kind === "call");
		assert.ok(calls.length > 2);
		await page.page.locator(".tl-name").filter({ hasText: "sorter-2" }).click();
		const grid = page.page.getByRole("grid", { name: /sorter-2/ });
		const lines = await grid
			.locator(".table-body .table-row")
			.evaluateAll((elements) =>
				elements
					.filter((e) => e.children[2]?.textContent === "call")
					.map((e) => `${e.children[0]?.textContent} ${e.children[6]?.textContent}`),
			);
		for (const call of calls.slice(0, 10)) {
			const start = since(call.start_ns).toFixed(9);
			assert.ok(
				lines.some((line) => line.includes(start) && line.includes(call.function)),
				`${call.function} at ${start}`,
			);
		}
		await page.close();
	});

	test("a link opens what was seen: window, axis, highlight, selection, threads", async () => {
		const page = await openTimeline(file);
		await page.page.getByRole("button", { name: "Readable" }).click();
		await page.highlight("shelf_put");
		await page.page.getByLabel(/^Choose sorter-2/).check();
		await page.page.getByRole("button", { name: "Only the 1 chosen" }).click();
		await page.page.locator(".tl-open").first().click();
		await page.click(32392, 0.57, 1);
		await page.page.keyboard.press("z");
		await page.rests(/\d/);
		const before = await page.details();
		const hash = new URL(page.page.url()).hash;
		for (const part of [
			"axis=readable",
			"hl=shelf_put",
			"threads=32392",
			"alone=1",
			"open=32392",
			"sel=32392_",
			"w=",
		])
			assert.ok(hash.includes(part), `${part} in ${hash}`);
		const again = await openTimeline(file, { hash: hash });
		assert.deepEqual(await again.threads(), [32392]);
		assert.deepEqual(await again.details(), before);
		assert.equal(
			await again.page.getByRole("button", { name: "Readable" }).getAttribute("aria-pressed"),
			"true",
		);
		await page.close();
		await again.close();
	});

	test("keys: from thread to thread, from mark to mark, to its details", async () => {
		const page = await openTimeline(file);
		await page.page.locator(".tl-name").filter({ hasText: "archivist" }).focus();
		await page.page.keyboard.press("Enter");
		assert.equal((await page.details()).title, "archivist 32394");
		assert.equal(await page.page.evaluate(() => document.activeElement?.id), "timeline-details");
		await page.page.locator(".tl-name").filter({ hasText: "archivist" }).focus();
		const archivist = json.threads.find((/** @type {any} */ t) => t.name === "archivist").timeline;
		for (const item of archivist.slice(1, 4)) {
			await page.page.keyboard.press("Shift+ArrowRight");
			const { facts } = await page.details();
			assert.ok(Math.abs(seconds(facts.get("from")) - since(item.start_ns)) < 1e-9);
		}
		await page.page.keyboard.press("+");
		await page.page.keyboard.press("ArrowLeft");
		await page.rests(/^\d+-\d+$/);
		await page.page.keyboard.press("Home");
		await page.rests(/^$/);
		await page.close();
	});

	test("pointing lights its time in all threads, for gaps too", async () => {
		const page = await openTimeline(file);
		const row = await page.row(32392);
		const band = () =>
			page.page.evaluate(() => {
				const canvas = /** @type {HTMLCanvasElement} */ (
					document.querySelector(".tl-canvas .tl-over")
				);
				const copy = document.createElement("canvas");
				copy.width = canvas.width;
				copy.height = canvas.height;
				const context = copy.getContext("2d", { willReadFrequently: true });
				context?.drawImage(canvas, 0, 0);
				const line = context?.getImageData(0, canvas.height - 3, canvas.width, 1).data ?? [];
				let n = 0;
				for (let x = 0; x < canvas.width; x++) n += (line[x * 4 + 3] ?? 0) > 0 ? 1 : 0;
				return n / canvas.width;
			});
		await page.page.mouse.move(row.x + row.width * 0.5, row.y + 9 + 18);
		const call = await page.tip();
		const part = secondsOf(call?.facts.get("duration") ?? "") / since(json.t1_ns);
		assert.ok(Math.abs((await band()) - part) < 0.01);
		await page.page.mouse.move(row.x + row.width * 0.97, row.y + 9);
		const gap = await page.tip();
		assert.equal(gap?.words, "no call");
		assert.ok((await band()) > 0.05);
		await page.close();
	});
});

test("names stay text, and show what they hide", async () => {
	const { csv, names } = hostile();
	const threads = temporary("threads.tsv");
	writeFileSync(threads, "7\t<b>bold</b> \u202ethread\n");
	const file = pageOfTrace("hostile", csv, "--thread-names", threads);
	const page = await openTimeline(file);
	const title = await page.page.title();
	const legend = (await page.page.locator(".tl-legend-name").allTextContents()).join("\n");
	assert.ok(
		legend.includes(names[0] ?? "?") &&
			legend.includes("\\u202egnirts") &&
			legend.includes("\\x1b[2J"),
	);
	assert.ok(!legend.includes("\u202e") && !legend.includes("\u001b"));
	assert.ok(
		(await page.page.locator(".tl-name").allTextContents()).join().includes("<b>bold</b> \\u202e"),
	);
	for (const tid of [7])
		for (const part of [0.1, 0.5, 0.9]) {
			const row = await page.row(tid);
			await page.page.mouse.move(row.x + row.width * part, row.y + 8);
			await page.page.mouse.click(row.x + row.width * part, row.y + 8);
		}
	await page.search("<script>");
	await page.highlight("<script>");
	assert.equal(await page.page.title(), title);
	assert.equal(
		await page.page.locator("main script, main img, main svg[onload], main b").count(),
		0,
	);
	// Links with nonsense in them open the page all the same.
	for (const hash of [
		"#/timeline?w=9-1&sel=a_b&hl=%00&threads=x&alone=1&rows=no&axis=no",
		"#/timeline?sel=7_0_1e99_-1_node_99&w=-5-1e9",
		"#/%ff",
	]) {
		const odd = await openTimeline(file, { hash: hash });
		await odd.close();
	}
	await page.close();
});

test("both themes and the narrow window show all of it, without moving what is there", async () => {
	const file = pageOfTrace("themes", normal());
	for (const width of [1280, 1920]) {
		const page = await openTimeline(file, { width });
		const moved = await page.page.evaluate(
			() =>
				new Promise((done) => {
					let sum = 0;
					new PerformanceObserver((list) => {
						for (const entry of list.getEntries()) sum += /** @type {any} */ (entry).value;
					}).observe({ type: "layout-shift", buffered: true });
					setTimeout(() => done(sum), 100);
				}),
		);
		assert.ok(moved < 0.01, `layout shift ${moved}`);
		assert.ok(await page.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		await page.page.getByRole("combobox", { name: "Theme" }).selectOption("dark");
		await page.close();
	}
});
