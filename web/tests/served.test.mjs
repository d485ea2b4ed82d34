// The second home of the pages: a server. The same reports, a first page over all of them, and a
// timeline that is asked for what no file holds.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { lode, samples, serve, settled, show, temporary } from "./harness.mjs";

const server = await serve(join(samples, "startup"), join(samples, "mailroom"));
after(() => server.end());

test("the first page says what was found, and leads there", async () => {
	const { page, close } = await show(server.url);
	await page.waitForSelector(".overview-run");
	const document = JSON.parse(
		lode(
			"analyze",
			"--json",
			"-o",
			temporary("all.html"),
			join(samples, "startup"),
			join(samples, "mailroom"),
		),
	);
	const flat = (/** @type {string} */ text) => text.replaceAll(/\s+/g, " ");
	const shown = (await page.locator(".overview-run").allInnerTexts()).map(flat);
	assert.equal(shown.length, document.runs.length);
	for (const [i, run] of document.runs.entries()) {
		for (const text of [run.summary, ...run.details.map((/** @type {any} */ line) => line.text)])
			assert.ok(shown[i]?.includes(flat(text)), `${shown[i]} has: ${text}`);
	}
	await page.locator(".overview-run a").first().click();
	await page.waitForSelector("text=What made users wait");
	assert.match(page.url(), /#\/mine/);
	await close();
});

test("every report that is served opens", async () => {
	const { page, close } = await show(server.url);
	const links = page.locator("nav[aria-label=Reports] a");
	const n = await links.count();
	assert.equal(n, 3);
	for (let i = 0; i < n; i++) {
		await links.nth(i).click();
		await page.waitForSelector("main h1, main h2");
		assert.equal(await page.locator("[role=alert]").count(), 0);
	}
	await close();
});

test("a timeline that is zoomed asks the engine for its window, and draws single calls", async () => {
	const { page, close } = await show(server.url, { hash: "#/timeline?w=435070000-435080000" });
	// It may have been answered before anybody could wait for it.
	const asked = await page.waitForFunction(
		() =>
			performance.getEntriesByType("resource").find((entry) => entry.name.includes("/window?"))
				?.name,
	);
	const response = await fetch(String(await asked.jsonValue()));
	assert.equal(response.status, 200);
	const report = await response.json();
	assert.equal(report.schema, "lode/timeline-windows/1");
	assert.ok(report.windows[0].timelines.every((/** @type {any} */ t) => t.single));
	await close();
});

test("what a step of zooming in will show is asked for before it is wanted, and shown when it is", async () => {
	const [t0, t1] = [0, 463_000_000];
	const { page, close } = await show(server.url, { hash: `#/timeline?w=${t0}-${t1}` });
	// Windows start at multiples of a third of their length (views/timeline/windows.ts).
	const [a, b] = [t0 + (t1 - t0) / 4, t1 - (t1 - t0) / 4];
	const step = 2 ** Math.ceil(Math.log2((b - a) / 2));
	const from = Math.floor(a / step) * step;
	const name = `t0=${from}&t1=${from + 3 * step}`;
	const answered = () =>
		page.evaluate(
			(ending) =>
				performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith(ending))
					.length,
			name,
		);
	await page.waitForFunction(
		(ending) =>
			performance.getEntriesByType("resource").some((entry) => entry.name.endsWith(ending)),
		name,
	);
	await settled(page);
	await page.getByRole("button", { name: "Zoom in" }).click();
	await page.waitForFunction((w) => location.hash.includes(w), `w=${a}-${b}`);
	await settled(page);
	assert.doesNotMatch(await page.locator(".tl-resolution").innerText(), /coming|whole/);
	assert.equal(await answered(), 1, "it is asked for once");
	await close();
});
