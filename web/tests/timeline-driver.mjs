// The timeline page as a person uses it: pointer, keys, and what stands on the screen.
import { writeFileSync } from "node:fs";
import { pageOf, settled, show, temporary } from "./harness.mjs";

/** The page of a trace. @param {string} name @param {string | Buffer} csv @param {string[]} options */
export function pageOfTrace(name, csv, ...options) {
	const trace = temporary(`${name}.csv`);
	writeFileSync(trace, csv);
	return pageOf("timeline", ...options, trace);
}

/** @typedef {import("playwright-core").Page} Page */

/** @param {string} file @param {{hash?: string, width?: number}} [options] */
export async function openTimeline(file, options = {}) {
	const { page, close } = await show(file, options);
	await page.waitForFunction(() => performance.getEntriesByName("lode-timeline-drawn").length > 0);
	return new Timeline(page, close);
}

/** @typedef {{ thread: string, function: string, from: number, lasts: string, depth: number }} LongCall */
/** @typedef {{ idle: number, leaves: Map<string, number> }} Share */

export class Timeline {
	/** @param {Page} page @param {() => Promise<void>} close */
	constructor(page, close) {
		this.page = page;
		/** Its console must have stayed clean. */
		this.close = close;
	}

	/** Threads in sight, by tid. */
	async threads() {
		await settled(this.page);
		const labels = await this.page.locator(".tl-name .quiet").allTextContents();
		return labels.map(Number);
	}

	/** @param {string} text */
	async search(text) {
		await this.page.getByPlaceholder("Function…").fill(text);
	}

	/** Picks a function in the legend. @param {string} name */
	async highlight(name) {
		await this.page.locator(".tl-legend button").filter({ hasText: name }).first().click();
		await settled(this.page);
	}

	/** Where a thread's row is on the screen. @param {number} tid */
	async row(tid) {
		await settled(this.page);
		const head = this.page
			.locator(".tl-head")
			.filter({ has: this.page.getByText(String(tid), { exact: true }) });
		await head.scrollIntoViewIfNeeded();
		const box = await head.first().boundingBox();
		const canvas = await this.page.locator(".tl-canvas").boundingBox();
		if (!box || !canvas) throw new Error(`thread ${tid} has no row`);
		return { y: box.y, height: box.height, x: canvas.x, width: canvas.width, canvasY: canvas.y };
	}

	/**
	 * In which of `parts` equal parts of the time seen a thread's row has something lit: coloured
	 * marks, where everything that is not highlighted is grey. How much of each, 0 to 1.
	 * @param {number} tid @param {number} parts
	 */
	async lit(tid, parts) {
		const row = await this.row(tid);
		return this.page.evaluate(
			({ y, height, parts }) => {
				const canvas = /** @type {HTMLCanvasElement} */ (
					document.querySelector(".tl-canvas canvas")
				);
				const scale = canvas.width / canvas.clientWidth;
				const copy = document.createElement("canvas");
				copy.width = canvas.width;
				copy.height = Math.floor(height * scale);
				const context = copy.getContext("2d", { willReadFrequently: true });
				context?.drawImage(canvas, 0, -Math.round(y * scale));
				const image = context?.getImageData(0, 0, copy.width, copy.height).data;
				if (!image) throw new Error("no picture");
				const out = new Array(parts).fill(0);
				const w = canvas.width;
				for (let x = 0; x < w; x++)
					for (let at = x * 4; at < image.length; at += w * 4) {
						const rgb = [image[at] ?? 0, image[at + 1] ?? 0, image[at + 2] ?? 0];
						if (Math.max(...rgb) - Math.min(...rgb) < 45) continue;
						out[Math.floor((x * parts) / w)] += parts / w;
						break;
					}
				return out;
			},
			{ y: row.y - row.canvasY, height: row.height - 2, parts },
		);
	}

	/** The tooltip as it stands: its words by their names. */
	async tip() {
		const tip = this.page.locator(".tooltip");
		if (!(await tip.count())) return null;
		const name = (await tip.locator(".tl-tip-name").count())
			? await tip.locator(".tl-tip-name").innerText()
			: "";
		const words = await tip.locator("div.quiet").first().innerText();
		return { name, words, facts: await this.#facts(tip) };
	}

	/** @param {import("playwright-core").Locator} where @returns {Promise<Map<string, string>>} */
	async #facts(where) {
		const rows = where.locator(".tip-rows").first().locator("> div");
		const pairs = await rows.evaluateAll((elements) =>
			elements.map((e) => [
				e.querySelector("dt")?.textContent ?? "",
				e.querySelector("dd")?.textContent ?? "",
			]),
		);
		return new Map(/** @type {Array<[string, string]>} */ (pairs));
	}

	/** Points along a thread's row, and gathers the gaps between calls. @param {number} tid */
	async gaps(tid, step = 6) {
		const row = await this.row(tid);
		/** @type {Map<string, { x: number, y: number, from: number, to: number }>} */
		const found = new Map();
		for (let x = 2; x < row.width; x += step) {
			const at = { x: row.x + x, y: row.y + 8 };
			await this.page.mouse.move(at.x, at.y);
			const tip = await this.tip();
			if (tip?.words !== "no call") continue;
			const from = seconds(tip.facts.get("from"));
			const to = seconds(tip.facts.get("to"));
			found.set(`${from} ${to}`, { ...at, from, to });
		}
		return [...found.values()];
	}

	/** @param {number} tid @param {number} part of the time seen @param {number} depth */
	async click(tid, part, depth = 0) {
		const row = await this.row(tid);
		await this.selecting(() =>
			this.page.mouse.click(row.x + row.width * part, row.y + 8 + depth * 18),
		);
	}

	/** The table of long calls, all of it. @returns {Promise<LongCall[]>} */
	async longCalls() {
		const table = this.page.getByRole("grid", { name: "Long calls" });
		const body = table.locator(".table-body");
		/** @type {Map<string, LongCall>} */
		const rows = new Map();
		for (let y = 0; ; y += 200) {
			await table.evaluate((element, top) => {
				element.scrollTop = top;
				element.dispatchEvent(new Event("scroll"));
			}, y);
			await settled(this.page);
			const texts = await body
				.locator(".table-row")
				.evaluateAll((elements) =>
					elements.map((row) => [
						row.getAttribute("aria-rowindex") ?? "",
						...Array.from(row.children, (c) => c.textContent ?? ""),
					]),
				);
			for (const [index = "", fn = "", thread = "", from = "", lasts = "", , depth = ""] of texts)
				rows.set(index, { function: fn, thread, from: seconds(from), lasts, depth: Number(depth) });
			const isDone = await table.evaluate(
				(e) => e.scrollTop + e.clientHeight >= e.scrollHeight - 1,
			);
			if (isDone) break;
		}
		return [...rows.values()];
	}

	/** Picks a long call. @param {(row: LongCall) => boolean} wanted */
	async pickLongCalls(wanted) {
		return (await this.longCalls()).filter(wanted);
	}

	/** Picks one row of the table of long calls by what it says. @param {string} thread @param {string} from */
	async pickLongCall(thread, from) {
		const row = this.page
			.getByRole("grid", { name: "Long calls" })
			.locator(".table-row")
			.filter({ hasText: thread })
			.filter({ hasText: from });
		await this.selecting(() => row.first().click());
	}

	async details() {
		await settled(this.page);
		const details = this.page.locator("#timeline-details");
		return { title: await details.locator("h2").innerText(), facts: await this.#facts(details) };
	}

	/** Selects something, and waits until the page says so. @param {() => Promise<unknown>} how */
	async selecting(how) {
		const before = await this.page.evaluate(() => location.hash);
		await how();
		await this.page.waitForFunction((hash) => location.hash !== hash, before);
		await settled(this.page);
		await this.page.waitForSelector(".tl-meanwhiles[aria-busy=false]");
	}

	/** Waits until the URL names the stretch of time that is seen, or "" where all of it is. @param {RegExp} w */
	async rests(w) {
		await this.page.waitForFunction(
			(source) =>
				new RegExp(source).test(new URLSearchParams(location.hash.split("?")[1]).get("w") ?? ""),
			w.source,
		);
	}

	/** What each thread did during what is selected. @returns {Promise<Map<number, Share>>} */
	async meanwhile() {
		await this.page.waitForSelector(".tl-meanwhiles[aria-busy=false]");
		const items = await this.page.locator(".tl-meanwhile > li").evaluateAll((elements) =>
			elements.map((e) => ({
				thread: e.querySelector(".tl-meanwhile-thread bdi")?.textContent ?? "",
				idle: e.querySelector(".tl-meanwhile-thread .quiet")?.textContent ?? "",
				leaves: Array.from(e.querySelectorAll("ol li"), (leaf) => [
					(leaf.querySelector(".frame") ?? leaf.querySelector(".quiet"))?.textContent?.trim() ?? "",
					leaf.querySelector(".tl-legend-number")?.textContent ?? "",
				]),
			})),
		);
		return new Map(
			items.map(({ thread, idle, leaves }) => [
				Number(/(\d+)$/.exec(thread)?.[1]),
				{
					idle: percentOf(idle),
					leaves: new Map(leaves.map(([name = "", part = ""]) => [name, percentOf(part)])),
				},
			]),
		);
	}
}

/** @param {string} text "idle 12.3 %" */
export function percentOf(text) {
	return Number(/([\d.]+)\s*%/.exec(text.replace("<", ""))?.[1] ?? Number.NaN);
}

/** @param {string | undefined} text "+1.234567890 s" */
export function seconds(text) {
	return Number(/\+([\d.]+)/.exec(text ?? "")?.[1] ?? Number.NaN);
}

/** The function that took most of a thread's time. @param {Share | undefined} share */
export function dominant(share) {
	return [...(share?.leaves ?? [])].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** @param {string} text "8 min 40 s", "12.0 ms" */
export function secondsOf(text) {
	const units = { h: 3600, min: 60, s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 };
	let total = 0;
	for (const [, value, unit] of text.replace(/,/g, "").matchAll(/([\d.]+)\s*(h|min|s|ms|µs|ns)\b/g))
		total += Number(value) * units[/** @type {keyof units} */ (unit)];
	return total;
}
