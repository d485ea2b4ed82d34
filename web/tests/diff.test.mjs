import assert from "node:assert/strict";
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
} from "./harness.mjs";
import { HOSTILE, harmless, poison, schemaOf } from "./hostile-names.mjs";
import { kept } from "./house-checks.mjs";
import { EVIL, loopSample } from "./loop-sample.mjs";

const { before, after } = loopSample();
const words = (/** @type {string} */ text) => text.replaceAll("\u202f", " ");
const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);
const command = ["diff", "--unit", "ns", before, after];

test("diff: the page has what --json --detail says, and its details add up", async () => {
	const { diff } = await reportsIn(pageOf(...command));
	const said = JSON.parse(lode(...command, "--json", "--detail", "--top", "0"));
	assert.deepEqual(said, diff);
	for (const cluster of said.clusters) {
		assert.ok(cluster.change_low_ns <= cluster.change_ns);
		assert.ok(cluster.change_high_ns >= cluster.change_ns);
		for (const set of ["a", "b"]) {
			assert.equal(sum(cluster.flame[`${set}_ns`]), cluster[set].cost_ns);
			const there = cluster.by_stream.stream.map(
				(/** @type {number} */ at) => said.streams[at].set,
			);
			const costs = cluster.by_stream.cost_ns.filter(
				(/** @type {number} */ _ns, /** @type {number} */ i) => there[i] === set,
			);
			assert.equal(sum(costs), cluster[set].cost_ns);
			assert.equal(costs.length, cluster[set].streams);
		}
	}
	// Without --detail there is as much as ever.
	const plain = JSON.parse(lode(...command, "--json", "--top", "0"));
	assert.equal(plain.streams, undefined);
	assert.equal(plain.clusters[0].flame, undefined);
});

test("diff: verdict, counts and table are those of the JSON and of the terminal", async () => {
	const { page, close } = await show(pageOf(...command));
	const said = JSON.parse(lode(...command, "--json", "--top", "0"));
	const terminal = lode(...command);
	const verdict = words((await page.locator(".headline").textContent()) ?? "");
	const [, a = ""] = /^A: .*, ([0-9.]+ \S+) per symptom/m.exec(terminal) ?? [];
	const [, b = "", p = ""] =
		/^B: .*, ([0-9.]+ \S+) per symptom .*p = ([0-9.]+)/m.exec(terminal) ?? [];
	assert.ok(a && verdict.includes(`longer in B than in A (${b}, A ${a})`), verdict);
	assert.ok(p && verdict.includes(`p = ${p}`), verdict);
	const counts = await page.locator(".diff-counts li").allTextContents();
	assert.deepEqual(
		counts.map((text) => Number.parseInt(text, 10)),
		["new", "gone", "worse", "better", "same"].map((name) => said.counts[name]),
	);
	// What changed stands in the table at first; all on request.
	const told = said.clusters.filter((/** @type {any} */ c) => c.class !== "same" || c.matters);
	const texts = await tableTexts(page, "Clusters");
	assert.equal(texts.length, told.length);
	for (const [number = "", name = "", ...cells] of texts) {
		const line = terminal
			.split("\n")
			.find((text) => text.includes(words(cells[2] ?? "").slice(1)) && text.startsWith(number));
		assert.ok(line, `the terminal has ${number} ${name} ${cells.join(" ")}`);
		for (const text of [name, cells[0], cells[1], cells[5], cells[6], cells[7]])
			assert.ok(line.includes(words(text ?? "")), `"${line}" has ${text}`);
	}
	await page.getByRole("button", { name: "All clusters" }).click();
	await page.waitForFunction(() => location.hash.includes("show=all"));
	const file = await saved(page, page.getByRole("button", { name: "Clusters: save as CSV" }));
	const rows = parseCsv(file.bytes.toString("utf8"));
	assert.equal(rows.length, said.clusters.length);
	said.clusters.forEach((/** @type {any} */ c, /** @type {number} */ i) => {
		assert.equal(Number(rows[i]?.number), c.number);
		assert.equal(rows[i]?.class, c.class);
		assert.equal(Number(rows[i]?.change_ns), c.change_ns);
		assert.equal(Number(rows[i]?.p_adjusted), c.p_adjusted);
		assert.equal(Number(rows[i]?.a_ns), c.a.per_symptom_ns);
		assert.equal(Number(rows[i]?.b_ns), c.b.per_symptom_ns);
	});
	await kept(page);
	await close();
});

test("diff: a change by key and by link, its recordings, its flame graph", async () => {
	const path = pageOf(...command);
	const { diff } = await reportsIn(path);
	const [first, second] = diff.clusters;
	assert.equal(first.class, "new");
	assert.ok(first.common.at(-1).endsWith(EVIL), "the hostile function is what is new");
	const { page, close } = await show(path, { width: 1920, dark: true });
	const bars = page.getByRole("application", { name: /^Changes of the cost/ });
	await bars.focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: /^1\. new: \+/ }).waitFor();
	assert.ok(page.url().endsWith(`#/diff/${first.id}`));
	assert.equal(await page.evaluate(() => /** @type {any} */ (window).hit), undefined);
	const dots = page.locator("figure", {
		has: page.getByRole("application", { name: /^Cost per symptom in each/ }),
	});
	const svg = (await saved(page, dots.getByRole("button", { name: /SVG$/ }))).bytes.toString(
		"utf8",
	);
	// A ring or dot for each recording of both sets: of A, which has none of it, small ones.
	assert.equal(svg.split("<circle").length - 1, diff.a.streams + diff.b.streams);
	await page.getByRole("button", { name: "B", exact: true }).click();
	await page.waitForFunction(() => location.hash.includes("flame.width=b"));
	await kept(page);
	await page.keyboard.press("]");
	await page.waitForFunction((id) => location.hash.includes(id), second.id);
	await page.goto(page.url().replace(/#.*/, `#/diff/${first.number}`));
	await page.getByRole("heading", { name: /^1\. new: \+/ }).waitFor();
	await close();
	const gone = await show(path, { hash: "#/diff/nonsense" });
	assert.match((await gone.page.getByRole("alert").textContent()) ?? "", /no cluster/);
	await gone.close();
});

test("diff: filters by recording, label and reason add up what passes", async () => {
	const path = pageOf(...command);
	const { diff } = await reportsIn(path);
	// Labels, as recordings of a repository have them.
	diff.streams.forEach((/** @type {any} */ s, /** @type {number} */ i) => {
		s.labels = { zone: i % 2 ? "east" : "west" };
	});
	const made = pageWith(path, [{ name: "diff", schema: diff.schema, title: "d", report: diff }]);
	const { page, close } = await show(made, { hash: "#/diff?show=all" });
	/** @type {Array<[string, string, (s: any) => boolean, (c: any) => boolean]>} */
	const cases = [
		["label", "zone=east", (s) => s.labels.zone === "east", () => true],
		["recording", diff.streams[0].id, (s) => s.id === diff.streams[0].id, () => true],
		["main wait reason", "disk", () => true, (c) => c.reason === "disk"],
		["in set", "a", () => true, (c) => c.a.streams > 0],
	];
	for (const [title, value, isOf, isKept] of cases) {
		const select = page.getByLabel(`Filter by ${title}`, { exact: true });
		if (!(await select.count())) continue; // nothing to choose from
		await select.selectOption(value);
		await page.getByText("Filtered:").waitFor();
		const file = await saved(page, page.getByRole("button", { name: "Clusters: save as CSV" }));
		const rows = new Map(parseCsv(file.bytes.toString("utf8")).map((row) => [row.number, row]));
		const symptoms = (/** @type {string} */ set) =>
			sum(diff.streams.map((/** @type {any} */ s) => (s.set === set && isOf(s) ? s.symptoms : 0)));
		let n = 0;
		for (const c of diff.clusters.filter(isKept)) {
			const own = (/** @type {string} */ set) =>
				sum(
					c.by_stream.stream.map((/** @type {number} */ at, /** @type {number} */ i) =>
						diff.streams[at].set === set && isOf(diff.streams[at]) ? c.by_stream.cost_ns[i] : 0,
					),
				);
			const row = rows.get(String(c.number));
			assert.equal(Boolean(row), own("a") + own("b") > 0, `${value}: cluster ${c.number}`);
			if (!row) continue;
			n++;
			for (const set of ["a", "b"])
				if (
					symptoms(set) ===
					sum(diff.streams.map((/** @type {any} */ s) => (s.set === set ? s.symptoms : 0)))
				)
					assert.equal(Number(row[`${set}_ns`]), c[set].per_symptom_ns);
				else if (symptoms(set)) assert.equal(Number(row[`${set}_ns`]), own(set) / symptoms(set));
				else assert.equal(row[`${set}_ns`], "");
		}
		assert.equal(rows.size, n);
		const said = words(await page.locator(".filters .notice").innerText());
		assert.ok(said.includes(`${n} of ${diff.clusters.length} cluster`), said);
		await kept(page);
		await page.getByRole("button", { name: "Clear filters" }).click();
		await page.getByText("Filtered:").waitFor({ state: "detached" });
	}
	await close();
});

test("diff: hostile names in every text field", async () => {
	const template = pageOf(...command);
	const schema = schemaOf("diff");
	const report = poison((await reportsIn(template)).diff, schema, schema);
	const page = pageWith(template, [
		{ name: "diff", schema: report.schema, title: `${HOSTILE.join(" ")} ${HOSTILE[4]}`, report },
	]);
	await harmless(page, "");
	await harmless(page, `#/diff/${report.clusters[0].id}?frames=all`);
});
