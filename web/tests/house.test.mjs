// What holds for every page: themes, sizes, keyboard, names for screen readers, print, exports, and
// that nothing comes from elsewhere.
import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { accessible, walkable } from "./accessible.mjs";
import { pageOf, reportsIn, samples, saved, settled, show, temporary } from "./harness.mjs";
import { narrow, overlapping, printed, sideways } from "./house-checks.mjs";
import { loopSample } from "./loop-sample.mjs";
import { pioSample } from "./pio-sample.mjs";

// One page with the reports of all samples, and one of a service's log and counters.
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
const { mine: mined } = await reportsIn(all);
const places = [
	[all, ""],
	[all, "#/mine"],
	[all, `#/mine/${mined.clusters[0].id}`],
	[all, "#/suspects"],
	[all, "#/suspects/orderd!export_ledger"],
	[all, "#/timeline"],
	[pio, ""],
	[pio, "#/pio?at=160&zoom=100-220"],
	[next, "#/next"],
	[coverage, "#/coverage"],
	[triage, "#/triage"],
	[diff, "#/diff"],
	[versus, "#/suspects"],
];

/**
 * On paper: light, whole tables, pictures as wide as the sheet, no controls; and back again.
 * @param {import("playwright-core").Page} page @param {string} what
 */
async function paper(page, what) {
	await page.emulateMedia({ media: "print" });
	await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
	await printed(page, what);
	if (what.startsWith("#/mine ")) {
		const rows = page.locator('[role=grid][aria-label="Clusters"] .table-body [role=row]');
		assert.equal(await rows.count(), mined.clusters.length);
	}
	await page.emulateMedia({ media: "screen" });
	await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
	assert.equal(await page.locator(".printed").count(), 0);
}

for (const [path = "", hash = ""] of places) {
	const name = `${path === pio ? "pio" : path === versus ? "versus" : "samples"} ${hash}`;

	test(`${name}: legible, named and still in the light; narrow; walked with Tab`, async () => {
		const { page, close } = await show(path, { hash, width: 1280 });
		await accessible(page, name);
		await walkable(page, name);
		await narrow(page, name);
		await close();
	});

	test(`${name}: on a phone's 400 pixels nothing moves sideways`, async () => {
		const { page, close } = await show(path, { hash, width: 400 });
		await settled(page);
		assert.deepEqual(await sideways(page), [], name);
		assert.deepEqual(await overlapping(page), [], name);
		await close();
	});

	test(`${name}: at 200 % nothing moves sideways, or stands on something else`, async () => {
		const { page, close } = await show(path, { hash, zoom: 2 });
		await settled(page);
		assert.deepEqual(await sideways(page), [], name);
		assert.deepEqual(await overlapping(page), [], name);
		await close();
	});

	test(`${name}: the same in the dark, at 1920 pixels; and on paper`, async () => {
		const { page, close } = await show(path, { hash, width: 1920, dark: true });
		assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
		await accessible(page, name);
		assert.deepEqual(await overlapping(page), [], name);
		await paper(page, `${hash} `);
		await close();
	});
}

test("a folder of a long name moves nothing sideways", async () => {
	const far = temporary("recordings-of-the-slow-starts-that-users-complained-about-in-november");
	symlinkSync(samples, far);
	for (const [command = "", sample = ""] of [
		["mine", "startup"],
		["suspects", "orders"],
		["timeline", "mailroom"],
	]) {
		const { page, close } = await show(pageOf(command, `${far}/${sample}`), { width: 400 });
		await settled(page);
		assert.deepEqual(await sideways(page), [], command);
		await close();
	}
});

test("every table saves as CSV; every picture as SVG that parses, and as PNG", async () => {
	for (const [path = "", hash = ""] of places) {
		const { page, close } = await show(path, { hash });
		const buttons = await page.getByRole("button", { name: /save as (CSV|SVG|PNG)$/ }).all();
		for (const [i, button] of buttons.entries()) {
			// Chromium drops the eleventh file that a page saves within a second.
			if (i && i % 10 === 0) await page.waitForTimeout(1100);
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
	for (const path of [all, pio]) {
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
	const { page, close } = await show(all);
	const theme = page.getByRole("combobox", { name: "Theme" });
	await theme.selectOption("dark");
	await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
	await page.reload();
	await page.waitForSelector("main h1");
	assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
	// The system's theme is followed again once it is chosen.
	await theme.selectOption("System theme");
	await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
	await page.emulateMedia({ colorScheme: "dark" });
	await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
	await close();
});

test("? lists the keys of what is shown, / goes to the search", async () => {
	const { page, close } = await show(all, { hash: "#/timeline" });
	await page.locator("h1").waitFor();
	await page.keyboard.press("?");
	const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
	await dialog.waitFor();
	assert.deepEqual(await dialog.locator("h3").allTextContents(), ["Timeline", "Everywhere"]);
	await page.keyboard.press("Escape");
	await dialog.waitFor({ state: "hidden" });
	await page.keyboard.press("/");
	assert.equal(
		await page.evaluate(() => document.activeElement?.getAttribute("placeholder")),
		"Function…",
	);
	await page.keyboard.type("a?b");
	assert.equal(await dialog.isVisible(), false, "typing is not a shortcut");
	await close();
});

test("a broken link and an unknown report are said, not suffered", async () => {
	const { page, close } = await show(all, {
		hash: "#/mine/nonsense%E0%A4%A?clusters.sort=nothing",
	});
	assert.match((await page.getByRole("alert").textContent()) ?? "", /no cluster/);
	await close();
});
