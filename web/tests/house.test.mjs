// What holds for every page: themes, sizes, keyboard, names for screen readers, print, exports, and
// that nothing comes from elsewhere.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pageOf, reportsIn, samples, saved, show } from "./harness.mjs";
import { pioSample } from "./pio-sample.mjs";

const mine = pageOf("mine", join(samples, "startup"));
const suspects = pageOf("suspects", join(samples, "orders"));
const pio = pageOf(...pioSample());
const { mine: mined } = await reportsIn(mine);
const places = [
	[mine, ""],
	[mine, `#/mine/${mined.clusters[0].id}`],
	[suspects, ""],
	[suspects, "#/suspects/orderd!export_ledger"],
	[pio, ""],
	[pio, "#/pio?at=160&zoom=100-220"],
];

test("every page fits 1280 and 1920 pixels, light and dark, and nothing jumps", async () => {
	for (const [path = "", hash = ""] of places) {
		for (const [width, dark] of /** @type {const} */ ([
			[1280, false],
			[1920, true],
		])) {
			const { page, close } = await show(path, { hash, width, dark });
			/** @type {any} */
			const found = await page.evaluate(
				() =>
					new Promise((resolve) => {
						let shift = 0;
						new PerformanceObserver((list) => {
							for (const entry of /** @type {any[]} */ (list.getEntries())) shift += entry.value;
						}).observe({ type: "layout-shift", buffered: true });
						setTimeout(
							() =>
								resolve({
									width: document.documentElement.scrollWidth,
									shift,
									theme: document.documentElement.dataset.theme,
								}),
							150,
						);
					}),
			);
			assert.ok(found.width <= width, `${hash}: ${found.width} px wide`);
			assert.ok(found.shift < 0.02, `${hash}: shifts by ${found.shift}`);
			assert.equal(found.theme, dark ? "dark" : "light");
			await close();
		}
	}
});

test("every picture and control has a name, and the keyboard reaches what can be picked", async () => {
	for (const [path = "", hash = ""] of places) {
		const { page, close } = await show(path, { hash });
		const nameless = await page.evaluate(() =>
			[
				...document.querySelectorAll(
					"button, a, input, select, [role=grid], .picture-box, [role=img]",
				),
			]
				.filter(
					(e) =>
						!(e.getAttribute("aria-label") ?? e.textContent ?? e.getAttribute("title"))?.trim(),
				)
				.filter((e) => !e.classList.contains("part-bar"))
				.map((e) => e.outerHTML.slice(0, 120)),
		);
		assert.deepEqual(nameless, []);
		const unreachable = await page.evaluate(() =>
			[...document.querySelectorAll("button, a[href], input, [role=grid]")]
				.filter((e) => /** @type {HTMLElement} */ (e).tabIndex < 0)
				.map((e) => e.outerHTML.slice(0, 120)),
		);
		assert.deepEqual(unreachable, []);
		await close();
	}
});

test("every table saves as CSV; every picture as SVG that parses, and as PNG", async () => {
	for (const [path = "", hash = ""] of places) {
		const { page, close } = await show(path, { hash });
		for (const button of await page.getByRole("button", { name: /save as (CSV|SVG|PNG)$/ }).all()) {
			const { name, bytes } = await saved(page, button);
			if (name.endsWith(".csv")) assert.ok(bytes.toString("utf8").includes("\r\n"), name);
			else if (name.endsWith(".png"))
				assert.equal(bytes.subarray(0, 8).toString("hex"), "89504e470d0a1a0a", name);
			else {
				const fault = await page.evaluate((text) => {
					const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
					return parsed.querySelector("parsererror")?.textContent ?? "";
				}, bytes.toString("utf8"));
				assert.equal(fault, "", name);
				assert.ok(bytes.length > 400, `${name} has something in it`);
			}
		}
		await close();
	}
});

test("the file allows its own script and style, and nothing else", () => {
	for (const path of [mine, suspects, pio]) {
		const html = readFileSync(path, "utf8");
		const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
		assert.match(policy, /default-src 'none'/);
		assert.match(policy, /script-src 'sha256-[A-Za-z0-9+/=]+';/);
		assert.match(policy, /style-src 'sha256-[A-Za-z0-9+/=]+';/);
		assert.doesNotMatch(policy, /unsafe|\*|https?:/);
		const markup = html
			.replace(/<script[^>]*>[\s\S]*?<\/script>/g, "")
			.replace(/<style>[\s\S]*?<\/style>/, "");
		assert.doesNotMatch(markup, /(src|href)="(?!data:)/);
		assert.doesNotMatch(markup, /\son[a-z]+=/);
	}
});

test("the theme is changed by hand, and stays", async () => {
	const { page, close } = await show(mine);
	await page.getByRole("button", { name: "Use the dark theme" }).click();
	await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
	await page.reload();
	await page.waitForSelector("main h1");
	assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
	await close();
});

test("on paper all rows of a table are there, and no controls", async () => {
	const { page, close } = await show(mine);
	await page.emulateMedia({ media: "print" });
	await page.waitForTimeout(100);
	const rows = await page
		.locator('[role=grid][aria-label="Clusters"] .table-body [role=row]')
		.count();
	assert.equal(rows, mined.clusters.length);
	assert.equal(await page.locator("input:visible").count(), 0);
	await close();
});

test("a broken link and an unknown report are said, not suffered", async () => {
	const { page, close } = await show(mine, {
		hash: "#/mine/nonsense%E0%A4%A?clusters.sort=nothing",
	});
	assert.match((await page.getByRole("alert").textContent()) ?? "", /no cluster/);
	await close();
});
