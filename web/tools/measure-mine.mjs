// Measures a mine page in Chromium, from a file or a server: one JSON line (bench/bench_pages.py).
//
//   list_ms          from the start of navigation to the list of clusters on the screen
//   interactive_ms   ... to the page of the cluster that is clicked right then
//   cpu_ms           what the main thread worked until then
//   open_ms          from a click in the list to a cluster's page, median of ten; open_most_ms
//   search_ms        from a letter in the search to the list that it leaves, median; search_most_ms
//
// usage: node measure-mine.mjs PAGE [CLUSTERS: 10]
import { addressOf, openPage, quantile } from "./measure.mjs";

/** @typedef {import("./measure.mjs").InPage} InPage */

const [place = "", n = "10"] = process.argv.slice(2);
const { page, cpuMs, close } = await openPage();

// In the page: what a person does, and when it is answered. A cluster's page is there with its
// picture, not with its heading alone.
await page.addInitScript(() => {
	const rows = () => [
		.../** @type {NodeListOf<HTMLElement>} */ (
			document.querySelectorAll('[role=grid][aria-label="Clusters"] .table-body [role=row]')
		),
	];
	const inPage = () => /** @type {{bench: InPage}} */ (/** @type {unknown} */ (window)).bench;
	const isOpen = () =>
		/^Cluster \d/.test(document.querySelector("main h1")?.textContent ?? "") &&
		document.querySelector("main canvas") !== null &&
		inPage().asking === 0;
	/** @param {() => boolean} holds */
	const until = (holds) =>
		new Promise((done) => {
			const look = () => {
				if (!holds()) return false;
				observer.disconnect();
				clearInterval(timer);
				inPage().painted().then(done);
				return true;
			};
			const observer = new MutationObserver(look);
			// An answer of the server that changes nothing on the page is one, too.
			const timer = setInterval(look, 10);
			if (!look())
				observer.observe(document, { subtree: true, childList: true, characterData: true });
		});
	/** @param {number} at */
	const open = async (at) => {
		const start = performance.now();
		rows()[at]?.click();
		await until(isOpen);
		return performance.now() - start;
	};
	const back = async () => {
		history.back();
		await until(() => rows().length > 0);
	};
	/** NaN: it leaves as many as before. @param {string} text */
	const search = async (text) => {
		const input = /** @type {HTMLInputElement} */ (document.querySelector("input[type=search]"));
		const left = () => document.querySelector(".table-tools [aria-live]")?.textContent;
		const before = left();
		const start = performance.now();
		input.value = text;
		input.dispatchEvent(new Event("input", { bubbles: true }));
		for (let i = 0; i < 20; i++) {
			const end = await inPage().painted();
			if (left() !== before) return end - start;
		}
		return Number.NaN;
	};
	const first = (async () => {
		await until(() => rows().length > 0);
		const list_ms = performance.now();
		await open(0);
		return { list_ms, interactive_ms: performance.now() };
	})();
	Object.assign(window, { measured: { first, open, back, search } });
});

/** @typedef {{first: Promise<{list_ms: number, interactive_ms: number}>, open: (at: number) => Promise<number>, back: () => Promise<void>, search: (text: string) => Promise<number>}} Measured */

await page.goto(addressOf(place));
const first = await page.evaluate(
	() => /** @type {{measured: Measured}} */ (/** @type {unknown} */ (window)).measured.first,
);
const cpu = await cpuMs();
const later = await page.evaluate(async (n) => {
	const { open, back, search } = /** @type {{measured: Measured}} */ (
		/** @type {unknown} */ (window)
	).measured;
	/** @type {number[]} */
	const opened = [];
	/** @type {number[]} */
	const searched = [];
	await back();
	for (let i = 0; i < n; i++) {
		opened.push(await open(i));
		await back();
	}
	for (const word of ["read", "lock", "zz", "f"])
		for (let i = 1; i <= word.length; i++) searched.push(await search(word.slice(0, i)));
	return { opened, searched: searched.filter((ms) => !Number.isNaN(ms)) };
}, Number(n));
console.log(
	JSON.stringify({
		...first,
		cpu_ms: cpu,
		open_ms: quantile(later.opened, 0.5),
		open_most_ms: Math.max(...later.opened),
		search_ms: quantile(later.searched, 0.5),
		search_most_ms: Math.max(...later.searched),
	}),
);
await close();
