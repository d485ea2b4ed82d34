// Measures a timeline page in Chromium: one JSON line (bench/bench_pages.py).
//
//   drawn_ms         from the start of loading it to its first picture of timelines
//   pointer_ms       handling one move of the pointer over a mark, median; pointer_p99_ms
//   zoom_ms          from a key to the next picture, median; marks of the window are there already
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [file = ""] = process.argv.slice(2);
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(pathToFileURL(file).href);
await page.waitForFunction(() => performance.getEntriesByName("lode-timeline-drawn").length > 0);
const drawn = await page.evaluate(
	() => performance.getEntriesByName("lode-timeline-drawn")[0]?.startTime ?? 0,
);
const moves = await page.evaluate(() => {
	const target = /** @type {HTMLElement} */ (document.querySelector(".tl-canvas"));
	const box = target.getBoundingClientRect();
	/** @type {number[]} */
	const times = [];
	for (let i = 0; i < 400; i++) {
		const event = new PointerEvent("pointermove", {
			clientX: box.left + ((i * 37) % box.width),
			clientY: box.top + ((i * 61) % box.height),
			bubbles: true,
		});
		const start = performance.now();
		target.dispatchEvent(event);
		target.getBoundingClientRect(); // what was changed is laid out
		times.push(performance.now() - start);
	}
	return times.sort((a, b) => a - b);
});
const zooms = await page.evaluate(async () => {
	const target = /** @type {HTMLElement} */ (document.querySelector(".tl-canvas"));
	const frame = () => new Promise((done) => requestAnimationFrame(done));
	/** @type {number[]} */
	const times = [];
	for (const key of ["+", "ArrowRight", "-", "+", "+", "ArrowLeft", "-", "-"]) {
		const before = performance.getEntriesByName("lode-timeline-drawn").length;
		const start = performance.now();
		target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		for (
			let i = 0;
			i < 60 && performance.getEntriesByName("lode-timeline-drawn").length === before;
			i++
		)
			await frame();
		times.push(
			(performance.getEntriesByName("lode-timeline-drawn").at(-1)?.startTime ?? 0) - start,
		);
		await new Promise((done) => setTimeout(done, 150));
	}
	return times.sort((a, b) => a - b);
});
/** @param {number[]} sorted @param {number} part */
const at = (sorted, part) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
console.log(
	JSON.stringify({
		drawn_ms: drawn,
		pointer_ms: at(moves, 0.5),
		pointer_p99_ms: at(moves, 0.99),
		zoom_ms: at(zooms, 0.5),
	}),
);
await browser.close();
