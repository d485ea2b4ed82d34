import assert from "node:assert/strict";
import { test } from "node:test";
import { lode, pageOf, parseCsv, reportsIn, saved, show, tableTexts } from "./harness.mjs";
import { kept } from "./house-checks.mjs";
import { pioSample } from "./pio-sample.mjs";

const command = pioSample();
const words = (/** @type {string} */ text) => text.replace(/[\s\u202f]+/g, " ");

test("pio: the page has what --json says, and the table its periods", async () => {
	const path = pageOf(...command);
	const { pio } = await reportsIn(path);
	const said = JSON.parse(lode(...command, "--json", "--top", "100"));
	delete said.next_command; // the page itself
	assert.deepEqual(said, pio);
	assert.equal(said.periods.length, 2);
	const { page, close } = await show(path);
	const file = await saved(page, page.getByRole("button", { name: "Slow periods: save as CSV" }));
	const rows = parseCsv(file.bytes.toString("utf8"));
	assert.deepEqual(
		rows.map((row) => [row.start, Number(row.duration_ns), row.servers?.split(",")[0]]),
		said.periods.map((/** @type {any} */ p) => [p.start_utc, p.duration_ns, p.servers[0].server]),
	);
	await close();
});

test("pio: a moment's rules and raw counters, by click, key and link", async () => {
	const path = pageOf(...command);
	const { pio } = await reportsIn(path);
	const { page, close } = await show(path);
	await page
		.locator('[role=grid][aria-label="Slow periods"] .table-body [role=row]')
		.first()
		.click();
	await page.waitForFunction(
		() => /at=\d+/.test(location.hash) && /zoom=\d+-\d+/.test(location.hash),
	);
	await page.getByRole("button", { name: "Rules", exact: true }).click();
	const at = Number(/at=(\d+)/.exec(page.url())?.[1]);
	const period = pio.periods[0];
	const t = pio.start + at * pio.step_ns;
	assert.ok(t >= period.start && t < period.end, "the moment is in the period");
	const check = async (/** @type {number} */ interval) => {
		const file = await saved(
			page,
			page.getByRole("button", { name: "Raw counters at this moment: save as CSV" }),
		);
		const rows = parseCsv(file.bytes.toString("utf8"));
		assert.equal(rows.length, pio.series.length);
		for (const row of rows) {
			const series = pio.series.find(
				(/** @type {any} */ s) => s.server === row.server && s.counter === row.counter,
			);
			assert.equal(row.value, String(series.values[interval] ?? ""));
		}
		const rules = await page.locator(".rules li").allTextContents();
		const fired = [...pio.rules.low_other, ...pio.rules.med_high].filter((rule) =>
			rule.intervals.some(
				(/** @type {number[]} */ [a = 0, b = 0]) => interval >= a && interval <= b,
			),
		);
		assert.equal(rules.length, fired.length);
		fired.forEach((rule, i) => {
			assert.ok(rules[i]?.startsWith(rule.text), rule.text);
		});
	};
	await check(at);
	await page.getByRole("application", { name: /^SARatio, evidence/ }).focus();
	await page.keyboard.press("ArrowRight");
	await page.waitForFunction((next) => location.hash.includes(`at=${next}`), at + 1);
	await check(at + 1);
	const hash = new URL(page.url()).hash;
	assert.match(hash, /rows=rules/);
	const heading = await page.locator(".section h2").nth(1).textContent();
	await close();
	const again = await show(path, { hash });
	assert.equal(await again.page.locator(".section h2").nth(1).textContent(), heading);
	await again.close();
});

test("pio: dragging zooms, a click pins the moment under the pointer", async () => {
	const { page, close } = await show(pageOf(...command));
	const picture = page.getByRole("application", { name: /^SARatio, evidence/ });
	const box = await picture.boundingBox();
	assert.ok(box);
	await page.mouse.move(box.x + 400, box.y + 40);
	await page.mouse.down();
	await page.mouse.move(box.x + 600, box.y + 40, { steps: 4 });
	await page.mouse.up();
	await page.waitForFunction(() => /zoom=\d+-\d+/.test(location.hash));
	await page.mouse.click(box.x + 500, box.y + 40);
	await page.waitForFunction(() => /at=\d+/.test(location.hash));
	await page.getByRole("button", { name: "Whole range" }).click();
	await page.waitForFunction(() => !location.hash.includes("zoom="));
	const rows = await tableTexts(page, "Raw counters at this moment");
	assert.ok(rows.length > 0);
	await close();
});

test("pio: a server and a stretch of time are filters, and their figures those of --json", async () => {
	const path = pageOf(...command);
	const { pio } = await reportsIn(path);
	const [period] = pio.periods;
	const [server] = period.servers.filter((/** @type {any} */ s) => s.bottleneck);
	const from = Math.round((period.start - pio.start) / pio.step_ns) - 5;
	const to = Math.round((period.end - pio.start) / pio.step_ns) + 5;
	const { page, close } = await show(path, {
		hash: `#/pio?zoom=${from}-${to}&f.server=${server.server}`,
	});
	const said = words(await page.locator(".filters .notice").innerText());
	const part = pio.intervals.slice(from, to);
	const sum = (/** @type {"slow" | "requests"} */ key) =>
		part.reduce((/** @type {number} */ n, /** @type {any} */ i) => n + i[key], 0);
	const number = (/** @type {number} */ n) => n.toLocaleString("en-US");
	assert.ok(
		said.includes(`${number(sum("slow"))} of ${number(sum("requests"))} requests slow`),
		said,
	);
	assert.ok(said.includes(`in 1 of ${pio.periods.length} slow periods`), said);
	assert.ok(said.includes(`server ${server.server}, `), said);
	const its = pio.periods.filter((/** @type {any} */ p) =>
		p.servers.some((/** @type {any} */ s) => s.server === server.server && s.bottleneck),
	);
	assert.equal((await tableTexts(page, "Slow periods")).length, its.length);
	const file = await saved(
		page,
		page.getByRole("button", { name: "Counters in this time range: save as CSV" }),
	);
	const rows = parseCsv(file.bytes.toString("utf8"));
	const per = pio.series_step_ns / pio.step_ns;
	const want = pio.series
		.filter((/** @type {any} */ s) => s.server === server.server && !s.drifting)
		.map((/** @type {any} */ s) => {
			const values = s.values
				.slice(Math.floor(from / per), Math.ceil(to / per))
				.filter((/** @type {number | null} */ v) => v !== null);
			const out = values.filter((/** @type {number} */ v) => v < s.low || v > s.high);
			return [`${s.server}/${s.counter}`, String(out.length), String(values.length)];
		})
		.filter((/** @type {string[]} */ [, out]) => out !== "0");
	assert.ok(want.length > 0);
	assert.deepEqual(rows.map((row) => [row.counter, row.out, row.values]).sort(), want.sort());
	await kept(page);
	await page.getByRole("button", { name: "Clear filters" }).click();
	await page.getByText("Filtered:").waitFor({ state: "detached" });
	assert.ok(!page.url().includes("zoom="));
	await close();
});
