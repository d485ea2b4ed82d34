// What every page owes to readers with a keyboard, a screen reader, weak eyes or a small screen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * No fault that axe-core finds: names, roles, contrast, landmarks; no letters below 12 px; nothing
 * wider than the window; nothing that moved while the page came (after a click, things may).
 * @param {import("playwright-core").Page} page @param {string} what
 * @param {{clicked?: boolean}} [options]
 */
export async function accessible(page, what, options = {}) {
	await page.evaluate(axe);
	/** @type {any} */
	const found = await page.evaluate(async () => {
		let shift = 0;
		const observer = new PerformanceObserver((list) => {
			for (const entry of /** @type {any[]} */ (list.getEntries())) shift += entry.value;
		});
		observer.observe({ type: "layout-shift", buffered: true });
		const result = await /** @type {any} */ (window).axe.run(document, {
			rules: { "target-size": { enabled: true } }, // 24 px, WCAG 2.2
			resultTypes: ["violations"],
			elementRef: false,
		});
		for (const entry of /** @type {any[]} */ (observer.takeRecords())) shift += entry.value;
		const small = new Set();
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let node = texts.nextNode(); node; node = texts.nextNode()) {
			const element = node.parentElement;
			if (!element || !node.textContent?.trim() || !element.getClientRects().length) continue;
			if (Number.parseFloat(getComputedStyle(element).fontSize) < 12)
				small.add(element.outerHTML.slice(0, 80));
		}
		return {
			shift,
			small: [...small],
			width: document.documentElement.scrollWidth,
			faults: result.violations.map(
				(/** @type {any} */ v) =>
					`${v.impact} ${v.id}: ${v.nodes[0].html.slice(0, 160)} ${v.nodes[0].failureSummary}`,
			),
		};
	});
	assert.deepEqual(found.faults, [], what);
	assert.deepEqual(found.small, [], `${what}: letters below 12 px`);
	assert.ok(options.clicked || found.shift < 0.01, `${what}: shifts by ${found.shift}`);
	const width = page.viewportSize()?.width ?? 0;
	assert.ok(found.width <= width, `${what}: ${found.width} of ${width} px`);
}

/**
 * Walks the page with Tab: everything that can be operated is reached, in the order of the document,
 * and shows that it has the focus.
 * @param {import("playwright-core").Page} page @param {string} what
 */
export async function walkable(page, what) {
	const all = await page.evaluate(() => {
		/** @type {HTMLElement[]} */
		const elements = [
			...document.querySelectorAll(
				"a[href], :is(button, input, select):not(:disabled), [tabindex='0']",
			),
		].map((e) => /** @type {HTMLElement} */ (e));
		const shown = elements.filter((e) => e.getClientRects().length > 0);
		for (const [i, e] of shown.entries()) e.dataset.walk = String(i);
		/** @type {HTMLElement | null} */ (document.activeElement)?.blur();
		return shown.map((e) => ({ tab: e.tabIndex, html: e.outerHTML.slice(0, 120) }));
	});
	const unreachable = all.filter((e) => e.tab < 0).map((e) => e.html);
	assert.deepEqual(unreachable, [], `${what}: Tab cannot reach`);
	for (let i = 0; i < Math.min(all.length, 40); i++) {
		await page.keyboard.press("Tab");
		const at = await page.evaluate(() => {
			const e = /** @type {HTMLElement} */ (document.activeElement);
			const style = getComputedStyle(e);
			return {
				walk: e.dataset.walk,
				seen: style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 1,
				html: e.outerHTML.slice(0, 120),
			};
		});
		assert.equal(at.walk, String(i), `${what}: Tab ${i} reaches ${at.html}`);
		assert.ok(at.seen, `${what}: no sign of the focus on ${at.html}`);
	}
}
