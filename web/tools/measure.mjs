// What the programs that measure pages share: one browser, when a picture is on the screen, quantiles.
//
// Times are those of the page's own clock, which starts when it is navigated to. `cpu_ms` is what the
// page's main thread worked: on a busy machine that is the figure to trust.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

/** A file's or a server's address. @param {string} place */
export const addressOf = (place) => (/^https?:/.test(place) ? place : pathToFileURL(place).href);

/** @param {string} [place] what to open */
export async function openPage(place) {
	const browser = await chromium.launch({
		executablePath:
			process.env.CHROMIUM ??
			["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
				existsSync,
			) ??
			"/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-dev-shm-usage"],
	});
	const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
	const page = await context.newPage();
	page.setDefaultTimeout(60000);
	const cdp = await context.newCDPSession(page);
	await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
	// Asks of the page to its server, to tell when all are answered; and when a picture is painted.
	await page.addInitScript(() => {
		const bench = {
			asking: 0,
			answered: 0,
			/** After the next frame is painted. */
			painted: () =>
				new Promise((done) =>
					requestAnimationFrame(() => {
						const channel = new MessageChannel();
						channel.port1.onmessage = () => done(performance.now());
						channel.port2.postMessage(0);
					}),
				),
		};
		const fetch = window.fetch.bind(window);
		window.fetch = async (...args) => {
			bench.asking++;
			try {
				return await fetch(...args);
			} finally {
				bench.asking--;
				bench.answered = performance.now();
			}
		};
		Object.assign(window, { bench });
	});
	if (place) await page.goto(addressOf(place));
	return {
		page,
		/** What its main thread has worked so far. */
		async cpuMs() {
			const { metrics } = await cdp.send("Performance.getMetrics");
			return 1000 * (metrics.find((m) => m.name === "TaskDuration")?.value ?? 0);
		},
		close: () => browser.close(),
	};
}

/** What openPage put into the page. @typedef {{asking: number, answered: number, painted: () => Promise<number>}} InPage */

/** @param {readonly number[]} times @param {number} part 0.5: the median */
export function quantile(times, part) {
	const sorted = [...times].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
