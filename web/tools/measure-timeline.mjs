// Measures a timeline page in Chromium, from a file or a server: one JSON line (bench/bench_pages.py).
//
//   drawn_ms         from the start of navigation to the first picture of timelines on the screen
//   cpu_ms           what the main thread worked until then
//   pointer_ms       handling one move of the pointer over a mark, median; pointer_p99_ms
//   frame_ms         from frame to frame while the pointer moves in each, median; frame_p99_ms
//   zoom_ms          from a key to the next picture, median; zoom_most_ms
//   detail_ms        ... to the picture of all that can be had of the stretch that is seen: from a
//                    server what it was asked for, median; detail_most_ms
//
// usage: node measure-timeline.mjs PAGE
import { openPage, quantile } from "./measure.mjs";

/** @typedef {{bench: import("./measure.mjs").InPage}} Window */

const { page, cpuMs, close } = await openPage(process.argv[2] ?? "");
await page.waitForFunction(() => performance.getEntriesByName("lode-timeline-drawn").length > 0);
const drawn = await page.evaluate(
	() => performance.getEntriesByName("lode-timeline-drawn")[0]?.startTime ?? 0,
);
const cpu = await cpuMs();
const pointer = await page.evaluate(async () => {
	const { bench } = /** @type {Window} */ (/** @type {unknown} */ (window));
	const target = /** @type {HTMLElement} */ (document.querySelector(".tl-canvas"));
	const box = target.getBoundingClientRect();
	/** @param {number} i */
	const move = (i) => {
		const start = performance.now();
		target.dispatchEvent(
			new PointerEvent("pointermove", {
				clientX: box.left + ((i * 37) % box.width),
				clientY: box.top + ((i * 61) % box.height),
				bubbles: true,
			}),
		);
		target.getBoundingClientRect(); // what was changed is laid out
		return performance.now() - start;
	};
	/** @type {number[]} */
	const moves = [];
	/** @type {number[]} */
	const frames = [];
	let last = Number(await bench.painted());
	for (let i = 0; i < 400; i++) {
		moves.push(move(i));
		const now = Number(await bench.painted());
		frames.push(now - last);
		last = now;
	}
	return { moves, frames };
});
const zooms = await page.evaluate(async () => {
	const { bench } = /** @type {Window} */ (/** @type {unknown} */ (window));
	const target = /** @type {HTMLElement} */ (document.querySelector(".tl-canvas"));
	const drawings = () => performance.getEntriesByName("lode-timeline-drawn");
	const rest = () => new Promise((done) => setTimeout(done, 250));
	/** @type {number[]} */
	const pictures = [];
	/** @type {number[]} */
	const details = [];
	for (const key of [
		"+",
		"+",
		"ArrowRight",
		"+",
		"+",
		"+",
		"ArrowRight",
		"+",
		"+",
		"-",
		"-",
		"ArrowLeft",
	]) {
		await rest();
		const start = performance.now();
		const before = drawings().length;
		target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		for (let i = 0; i < 60 && drawings().length === before; i++) await bench.painted();
		const seen = drawings();
		if (seen.length === before) continue; // it is at its end
		pictures.push((seen[before]?.startTime ?? 0) - start);
		// All that is asked for is answered, and drawn.
		while (bench.asking > 0) await new Promise((done) => setTimeout(done, 1));
		for (
			let i = 0;
			i < 60 && bench.answered > start && (drawings().at(-1)?.startTime ?? 0) < bench.answered;
			i++
		)
			await bench.painted();
		details.push((drawings().at(-1)?.startTime ?? 0) - start);
	}
	return { pictures, details };
});
console.log(
	JSON.stringify({
		drawn_ms: drawn,
		cpu_ms: cpu,
		pointer_ms: quantile(pointer.moves, 0.5),
		pointer_p99_ms: quantile(pointer.moves, 0.99),
		frame_ms: quantile(pointer.frames, 0.5),
		frame_p99_ms: quantile(pointer.frames, 0.99),
		zoom_ms: quantile(zooms.pictures, 0.5),
		zoom_most_ms: Math.max(...zooms.pictures),
		detail_ms: quantile(zooms.details, 0.5),
		detail_most_ms: Math.max(...zooms.details),
	}),
);
await close();
