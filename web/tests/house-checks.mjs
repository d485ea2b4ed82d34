// What holds for every page, asked of one that is open: its width, names for screen readers, what
// keys reach, and exports that can be read.
import assert from "node:assert/strict";
import { accessible } from "./accessible.mjs";
import { saved, settled } from "./harness.mjs";

/** At 1024 px nothing is cut off. @param {import("playwright-core").Page} page @param {string} what */
export async function narrow(page, what) {
	await page.setViewportSize({ width: 1024, height: 900 });
	await page.waitForFunction(() => innerWidth === 1024);
	const look = () => ({
		cut: [...document.querySelectorAll("main *")]
			.filter((e) => e.scrollWidth > e.clientWidth + 1)
			.filter((e) => getComputedStyle(e).overflowX === "hidden")
			.filter((e) => getComputedStyle(e).textOverflow !== "ellipsis")
			.map((e) => e.outerHTML.slice(0, 120)),
		width: document.documentElement.scrollWidth,
	});
	let found = await page.evaluate(look);
	// Pictures follow the window when it tells them, which may be a little later.
	for (let tries = 0; tries < 50 && found.cut.length; tries++) {
		await page.waitForTimeout(100);
		found = await page.evaluate(look);
	}
	assert.deepEqual(found, { cut: [], width: found.width }, what);
	assert.ok(found.width <= 1024, `${what}: ${found.width} of 1024 px`);
}

/** What stands beyond the right edge, or has to be moved sideways. @param {import("playwright-core").Page} page */
export function sideways(page) {
	return page.evaluate(() => {
		const wide =
			document.documentElement.scrollWidth > innerWidth ? [document.documentElement] : [];
		const moved = [...document.querySelectorAll("body *")].filter((e) => {
			const { overflowX } = getComputedStyle(e);
			return (overflowX === "auto" || overflowX === "scroll") && e.scrollWidth > e.clientWidth + 1;
		});
		return [...wide, ...moved].map((e) => e.outerHTML.slice(0, 120));
	});
}

/**
 * Targets below 24 by 24 px (WCAG 2.2, 2.5.8), without its exception for spacing: what is left are links in a
 * line of text, and what a label that is large enough works for.
 * @param {import("playwright-core").Page} page
 */
export function smallTargets(page) {
	return page.evaluate(() => {
		const all = document.querySelectorAll(
			"a[href], button, input, select, summary, [role=button], [role=link], .table-row.pick, .tl-frame",
		);
		const found = [];
		for (const e of all) {
			const box = (e.closest("label") ?? e).getBoundingClientRect();
			const style = getComputedStyle(e);
			if (!box.width || !box.height || style.visibility === "hidden" || box.right < 0) continue;
			const beside = [...(e.parentElement?.childNodes ?? [])].some(
				(n) => n !== e && n.textContent?.trim(),
			);
			const isText =
				e.matches("a") && style.display === "inline" && beside && !e.closest("nav, menu");
			const isInCell = e.matches("a") && e.closest(".cell, .frame, .brief");
			if (isText || isInCell) continue;
			if (box.width < 23.9 || box.height < 23.9)
				found.push(
					`${box.width.toFixed(1)} x ${box.height.toFixed(1)}: ${e.outerHTML.slice(0, 140)}`,
				);
		}
		return found;
	});
}

/** Words that stand on a control, or are cut by one. @param {import("playwright-core").Page} page */
export function overlapping(page) {
	return page.evaluate(() => {
		const controls = [
			...document.querySelectorAll("main :is(button, select, input, summary)"),
		].filter((e) => e.getClientRects().length > 0 && !e.closest(".tl-chart, .table-body"));
		const found = [];
		const texts = document.createTreeWalker(
			document.querySelector("main") ?? document.body,
			NodeFilter.SHOW_TEXT,
		);
		for (let node = texts.nextNode(); node; node = texts.nextNode()) {
			const owner = node.parentElement;
			if (!node.textContent?.trim() || owner?.closest(".table, .tl-chart, .tl-side, option"))
				continue;
			const range = document.createRange();
			range.selectNodeContents(node);
			for (const text of range.getClientRects())
				for (const control of controls) {
					const at = control.getBoundingClientRect();
					const wide = Math.min(text.right, at.right) - Math.max(text.left, at.left);
					const high = Math.min(text.bottom, at.bottom) - Math.max(text.top, at.top);
					if (wide > 2 && high > 4 && !control.contains(node) && owner?.getClientRects().length)
						found.push(`${node.textContent.slice(0, 60)} / ${control.outerHTML.slice(0, 80)}`);
				}
		}
		return found;
	});
}

/**
 * On paper: whole, as wide as the sheet, without controls; the theme is light.
 * @param {import("playwright-core").Page} page @param {string} what
 */
export async function printed(page, what) {
	await page.waitForFunction(() =>
		[...document.querySelectorAll(".picture-box")].every((e) => e.querySelector(".printed > svg")),
	);
	const found = await page.evaluate(() => {
		const shown = (/** @type {Element} */ e) => e.getClientRects().length > 0;
		const all = (/** @type {string} */ selector) =>
			[...document.querySelectorAll(selector)].filter(shown);
		const right = document.documentElement.getBoundingClientRect().right + 1;
		return {
			controls: all("input, select, main button.button, .exports").length,
			canvases: all("canvas").length,
			unprinted: all(".picture-box").filter((e) => !e.querySelector(".printed > svg")).length,
			outside: all("main *")
				.filter((e) => e.getBoundingClientRect().right > right && !e.closest("svg"))
				.map((e) => e.outerHTML.slice(0, 100)),
			background: getComputedStyle(document.documentElement).backgroundColor,
		};
	});
	assert.deepEqual(
		found,
		{ controls: 0, canvases: 0, unprinted: 0, outside: [], background: "rgba(0, 0, 0, 0)" },
		what,
	);
}

/** @param {import("playwright-core").Page} page */
export async function kept(page) {
	const found = await page.evaluate(() => ({
		width: document.documentElement.scrollWidth - innerWidth,
		nameless: [
			...document.querySelectorAll("button, a, input, [role=grid], .picture-box, [role=img]"),
		]
			.filter(
				(e) =>
					!(e.getAttribute("aria-label") ?? e.textContent ?? e.getAttribute("title"))?.trim() &&
					!e.classList.contains("part-bar"),
			)
			.map((e) => e.outerHTML.slice(0, 120)),
		unreachable: [...document.querySelectorAll("button, a[href], input, [role=grid]")]
			.filter((e) => /** @type {HTMLElement} */ (e).tabIndex < 0)
			.map((e) => e.outerHTML.slice(0, 120)),
	}));
	assert.ok(found.width <= 0, `${found.width} px too wide`);
	assert.deepEqual(found.nameless, []);
	assert.deepEqual(found.unreachable, []);
	await accessible(page, page.url(), { clicked: page.url().includes("?") });
	for (const button of await page.getByRole("button", { name: /save as (CSV|SVG|PNG)$/ }).all()) {
		const { name, bytes } = await saved(page, button);
		if (name.endsWith(".csv")) assert.ok(bytes.includes("\r\n"), name);
		else if (name.endsWith(".png"))
			assert.equal(bytes.subarray(0, 8).toString("hex"), "89504e470d0a1a0a", name);
		else {
			const fault = await page.evaluate(
				(text) =>
					new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")
						?.textContent ?? "",
				bytes.toString("utf8"),
			);
			assert.equal(fault, "", name);
		}
	}
	const size = page.viewportSize() ?? { width: 1280, height: 900 };
	await narrow(page, page.url());
	await page.setViewportSize({ width: 400, height: 900 });
	await page.waitForFunction(() => innerWidth === 400);
	await settled(page);
	assert.deepEqual(await sideways(page), [], page.url());
	await page.setViewportSize(size);
	await page.emulateMedia({ media: "print" });
	await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
	await printed(page, page.url());
	await page.emulateMedia({ media: "screen" });
	await page.waitForFunction(() => !document.querySelector(".printed"));
}
