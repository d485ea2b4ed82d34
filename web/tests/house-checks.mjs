// What holds for every page, asked of one that is open: its width, names for screen readers, what
// keys reach, and exports that can be read.
import assert from "node:assert/strict";
import { accessible } from "./accessible.mjs";
import { saved } from "./harness.mjs";

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
}
