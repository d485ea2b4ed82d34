// What leaves the pages as files: every table and picture has its buttons, and what they save has the
// numbers of the command line.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { accessible } from "./accessible.mjs";
import { lode, pageOf, parseCsv, reportsIn, samples, saved, show, temporary } from "./harness.mjs";
import { pioSample } from "./pio-sample.mjs";
import { openTimeline, pageOfTrace } from "./timeline-driver.mjs";

const startup = join(samples, "startup");
const orders = join(samples, "orders");
const mailroom = join(samples, "mailroom");

/** Stacks with their costs, of a file of speedscope's. @param {string} text */
function stacksOf(text) {
	const document = JSON.parse(text);
	assert.equal(document.$schema, "https://www.speedscope.app/file-format-schema.json");
	const [profile] = document.profiles;
	assert.equal(profile.samples.length, profile.weights.length);
	/** @type {Map<string, number>} */
	const costs = new Map();
	profile.samples.forEach((/** @type {number[]} */ stack, /** @type {number} */ i) => {
		const key = stack.map((at) => document.shared.frames[at].name).join("\n");
		costs.set(key, (costs.get(key) ?? 0) + profile.weights[i]);
	});
	return { profile, costs: [...costs].sort() };
}

test("every table has a button for CSV, every picture for SVG and PNG", async () => {
	const { mine } = await reportsIn(pageOf("mine", startup));
	const xray = ["--symbols", join(mailroom, "symbols.tsv"), join(mailroom, "mailroom.xray.zst")];
	const places = [
		[pageOf("mine", startup), ""],
		[pageOf("mine", startup), `#/mine/${mine.clusters[0].id}`],
		[pageOf("suspects", orders), ""],
		[pageOf("suspects", orders), "#/suspects/orderd!export_ledger"],
		[pageOf(...pioSample()), "#/pio?at=160"],
		[pageOf("timeline", ...xray), ""],
	];
	for (const [path = "", hash = ""] of places) {
		const { page, close } = await show(path, { hash });
		const lacking = await page.evaluate(() => {
			const buttonOf = (/** @type {Element} */ thing, /** @type {string} */ kind) =>
				[...(thing.closest("figure, .table-box, section")?.querySelectorAll("button") ?? [])].some(
					(b) => b.textContent === kind,
				);
			return [
				...[
					...document.querySelectorAll(
						"[role=grid], main table, .columns, .rules, .tl-legend, dl.with-bars",
					),
				]
					.filter((t) => !buttonOf(t, "CSV"))
					.map((t) => `CSV: ${t.getAttribute("aria-label") ?? t.className}`),
				...[...document.querySelectorAll(".picture-box")]
					.filter((p) => !buttonOf(p, "SVG") || !buttonOf(p, "PNG"))
					.map((p) => `SVG, PNG: ${p.getAttribute("aria-label")}`),
			];
		});
		assert.deepEqual(lacking, [], hash);
		await close();
	}
});

test("a cluster's frames, kinds of time and wakers are saved with the numbers of the JSON", async () => {
	const path = pageOf("mine", startup);
	const { mine } = await reportsIn(path);
	const cluster = mine.clusters.find(
		(/** @type {any} */ c) => c.wakers.length > 1 && c.gap_variants?.length,
	);
	const { page, close } = await show(path, { hash: `#/mine/${cluster.id}` });
	const rowsOf = async (/** @type {string} */ label) => {
		const button = page.getByRole("button", { name: `${label}: save as CSV` });
		return parseCsv((await saved(page, button)).bytes.toString("utf8"));
	};
	assert.deepEqual(
		(await rowsOf("Ended by")).map((row) => [row.waker, Number(row.cost_ns)]),
		cluster.wakers.map((/** @type {any} */ w) => [w.name, w.cost_ns]),
	);
	const own = await rowsOf("Own cost");
	assert.deepEqual(
		own.filter((row) => row.part === "kind").map((row) => Number(row.own_ns)),
		["wait_ns", "run_ns", "ready_ns"].map((kind) => cluster.split[kind]),
	);
	assert.deepEqual(
		Object.fromEntries(
			own
				.filter((row) => row.part === "waits for")
				.map((row) => [`${row.what}_ns`, Number(row.own_ns)]),
		),
		cluster.reasons,
	);
	const frames = await rowsOf("Shared call path");
	assert.deepEqual(
		frames.filter((row) => !row.variant).map((row) => row.function),
		cluster.common,
	);
	for (const gap of cluster.gap_variants)
		gap.variants.forEach((/** @type {any} */ variant, /** @type {number} */ i) => {
			const of = frames.filter(
				(row) => row.place === String(gap.before) && row.variant === String(i + 1),
			);
			assert.deepEqual(
				of.map((row) => [row.function, Number(row.own_ns)]),
				(variant.functions.length ? variant.functions : [""]).map((/** @type {string} */ f) => [
					f,
					variant.own_ns,
				]),
			);
		});
	await close();
});

test("a flame graph saves its stacks as the command line exports them", async () => {
	const path = pageOf("mine", startup);
	const { mine } = await reportsIn(path);
	const cluster = mine.clusters[1];
	assert.equal(cluster.flame.left_out, 0, "the sample's graphs are whole");
	const { page, close } = await show(path, { hash: `#/mine/${cluster.id}` });
	const stacks = await saved(page, page.getByRole("button", { name: /save as folded stacks$/ }));
	assert.match(stacks.name, /\.folded$/);
	assert.deepEqual(
		stacks.bytes.toString("utf8").split("\n").sort(),
		lode("mine", "--show", cluster.id, "--folded", startup).split("\n").sort(),
	);
	const profile = await saved(page, page.getByRole("button", { name: /save for speedscope$/ }));
	assert.match(profile.name, /\.speedscope\.json$/);
	const here = stacksOf(profile.bytes.toString("utf8"));
	assert.equal(here.profile.endValue, cluster.own_ns);
	assert.equal(here.profile.unit, "nanoseconds");
	// The command that the page names, as far as pprof.
	const command = (await page.locator(".flame code").textContent()) ?? "";
	const [, ...words] = command.replace("FILE", temporary("from-page")).split(" ");
	const asked = words.slice(0, words.indexOf("--chrome-trace"));
	assert.deepEqual(here.costs, stacksOf(lode(...asked, "--speedscope", "-", startup)).costs);
	assert.equal(readFileSync(temporary("from-page")).subarray(0, 2).toString("hex"), "1f8b");
	await close();
});

test("hostile names stay on their lines, and show themselves", async () => {
	const input = temporary("hostile.folded");
	writeFileSync(input, "main;<script>alert(1)</script>;\u202etxt.exe 60\nmain;a\x1b[2J;=1+1 30\n");
	const path = pageOf("mine", "--min-cost", "5", input);
	const { mine } = await reportsIn(path);
	for (const cluster of mine.clusters) {
		const { page, close } = await show(path, { hash: `#/mine/${cluster.id}` });
		const folded = await saved(page, page.getByRole("button", { name: /save as folded stacks$/ }));
		assert.equal(
			folded.bytes.toString("utf8"),
			lode("mine", "--min-cost", "5", "--show", cluster.id, "--folded", input),
		);
		const saves = await saved(page, page.getByRole("button", { name: /save for speedscope$/ }));
		const here = stacksOf(saves.bytes.toString("utf8"));
		assert.equal(here.profile.unit, "none");
		assert.deepEqual(
			here.costs,
			stacksOf(lode("mine", "--min-cost", "5", "--show", cluster.id, "--speedscope", "-", input))
				.costs,
		);
		await close();
	}
});

test("pictures with hostile names are pictures: they parse, and nothing in them acts", async () => {
	const input = temporary("marks.folded");
	const names = [
		"<script>alert(1)</script>",
		'"><a href="javascript:1">',
		"]]>&amp",
		"a\uffffb\ufffec",
	];
	writeFileSync(input, names.map((name, i) => `main;${name};leaf${i} ${50 + i}\n`).join(""));
	const path = pageOf("mine", "--min-cost", "5", input);
	const { mine } = await reportsIn(path);
	let texts = "";
	for (const cluster of mine.clusters) {
		const { page, close } = await show(path, { hash: `#/mine/${cluster.id}` });
		const button = page.getByRole("button", { name: /^Flame graph .*save as SVG$/ });
		const svg = (await saved(page, button)).bytes.toString("utf8");
		const found = await page.evaluate((text) => {
			const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
			const all = [...parsed.querySelectorAll("*")];
			return {
				fault: parsed.querySelector("parsererror")?.textContent ?? "",
				kinds: [...new Set(all.map((e) => e.localName))].sort(),
				hrefs: all.filter((e) => [...e.attributes].some((a) => /href|^on/.test(a.name))).length,
				text: all.map((e) => (e.localName === "text" ? e.textContent : "")).join("\n"),
			};
		}, svg);
		assert.equal(found.fault, "");
		assert.equal(found.hrefs, 0);
		for (const kind of found.kinds)
			assert.match(kind, /^(svg|title|rect|text|line|polyline|polygon|circle|clipPath|g)$/);
		texts += found.text;
		await close();
	}
	for (const name of names)
		assert.ok(texts.includes(name.replace(/[\ufffe\uffff]/g, "\ufffd")), name);
});

test("a picture that is too large for a canvas is saved all the same, as large as that can be", async () => {
	const lines = ["tid,event,function,ns"];
	for (let tid = 1; tid <= 500; tid++)
		lines.push(`${tid},enter,work,${tid}`, `${tid},exit,work,${tid * 1000}`);
	const { page, close } = await openTimeline(pageOfTrace("many-threads", `${lines.join("\n")}\n`));
	const { bytes } = await saved(page, page.getByRole("button", { name: "PNG" }).first());
	assert.equal(bytes.subarray(1, 4).toString("latin1"), "PNG");
	const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
	assert.ok(height > 8192 && height <= 16384 && width > 200, `${width} x ${height}`);
	await close();
});

test("a CSV has numbers where cells show pictures or several at once", async () => {
	const suspects = pageOf("suspects", orders);
	const { suspects: report } = await reportsIn(suspects);
	const { page, close } = await show(suspects, { hash: "#/suspects?functions.all=1" });
	const file = await saved(page, page.getByRole("button", { name: "Functions: save as CSV" }));
	const rows = parseCsv(file.bytes.toString("utf8"));
	assert.equal(rows.length, report.functions.length);
	report.functions.forEach((/** @type {any} */ f, /** @type {number} */ i) => {
		for (const key of ["rank", "increase", "increase_low", "increase_high", "q", "log10_q"])
			assert.equal(Number(rows[i]?.[key]), f[key], key);
	});
	await close();

	const pio = await show(pageOf(...pioSample()), { hash: "#/pio?at=160" });
	const button = pio.page.getByRole("button", { name: /save as CSV$/ });
	for (const each of await button.all()) {
		const [first = {}] = parseCsv((await saved(pio.page, each)).bytes.toString("utf8"));
		assert.ok(!("trend" in first) && !("range" in first), Object.keys(first).join());
	}
	await pio.close();
});

test("details of a timeline are saved whole", async () => {
	const { page, close } = await show(
		pageOf(
			"timeline",
			"--symbols",
			join(mailroom, "symbols.tsv"),
			"--thread-names",
			join(mailroom, "threads.tsv"),
			join(mailroom, "mailroom.xray.zst"),
		),
	);
	await page.locator('[role=grid][aria-label="Long calls"] .table-body [role=row]').first().click();
	const button = page.getByRole("button", {
		name: "What each thread did meanwhile: save as CSV",
	});
	await button.waitFor();
	await accessible(page, "a long call's details", { clicked: true });
	const rows = parseCsv((await saved(page, button)).bytes.toString("utf8"));
	// Each thread's time is its leaves' and idle: all threads have the same sum.
	/** @type {Map<string, number>} */
	const sums = new Map();
	for (const { thread = "", own_ns } of rows)
		sums.set(thread, (sums.get(thread) ?? 0) + Number(own_ns));
	assert.ok(sums.size >= 5);
	const longest = Math.max(...sums.values());
	assert.ok(longest > 0);
	for (const sum of sums.values()) assert.ok(sum > 0.99 * longest, `${sum} of ${longest}`);
	await close();
});
