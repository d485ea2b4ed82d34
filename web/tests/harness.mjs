// What the tests of the pages stand on: lode itself, one browser, and pages whose console is clean.
//
//   LODE        the program (default build/release/lode)
//   CHROMIUM    the browser (default chromium, wherever it is)
//   SLOWNESS    how many times slower than this machine the pages shall run (default 1): a test that
//               reads before the page has come to rest fails at 8 or so
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { chromium } from "playwright-core";

export const top = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const samples = join(top, "samples");
const lodePath = resolve(top, process.env.LODE ?? "build/release/lode");
const slowness = Number(process.env.SLOWNESS ?? 1);
const folder = mkdtempSync(join(tmpdir(), "lode-pages-"));

/** A path for a file of the tests. @param {string} name */
export const temporary = (name) => join(folder, name);

/**
 * Runs lode; what it printed. Exit codes 0 and 1 (some input is incomplete) are fine.
 * @param {string[]} args
 */
export function lode(...args) {
	const run = spawnSync(lodePath, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 30 });
	assert.ok(run.status === 0 || run.status === 1, `lode ${args.join(" ")}: ${run.stderr}`);
	return run.stdout;
}

/** Servers of tests that failed before they ended them. @type {Set<import("node:child_process").ChildProcess>} */
const servers = new Set();

/**
 * A server of these inputs. @param {string[]} inputs
 * @returns {Promise<{url: string, end: () => Promise<number | null>}>}
 */
export async function serve(...inputs) {
	const child = spawn(lodePath, ["serve", "--port", "0", ...inputs], { cwd: folder });
	servers.add(child);
	child.on("exit", () => servers.delete(child));
	const ended = new Promise((resolve) => child.on("exit", resolve));
	let said = "";
	child.stderr.on("data", (bytes) => {
		said += bytes;
	});
	const url = await new Promise((resolve, reject) => {
		child.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
		ended.then(() => reject(new Error(`lode serve: ${said}`)));
	});
	// On a busy machine the address may come before the report of a repository.
	while ((await fetch(new URL("api/reports/mine", url))).status === 503)
		await new Promise((resolve) => setTimeout(resolve, 100));
	return {
		url,
		end: () => {
			child.kill("SIGTERM");
			return /** @type {Promise<number | null>} */ (ended);
		},
	};
}

/** @type {Map<string, string>} */
const made = new Map();

/**
 * The page of a command, made once per command line. @param {string[]} args
 * @returns {string} its path
 */
export function pageOf(...args) {
	const key = args.join("\0");
	const known = made.get(key);
	if (known) return known;
	const path = temporary(`page-${made.size}.html`);
	lode(...args, "--html", path);
	made.set(key, path);
	return path;
}

/**
 * A page with documents of one's own, packed as src/document/html.c packs them.
 * @param {string} template a page of lode's, whose reports are replaced
 * @param {Array<{name: string, schema: string, title: string, report: unknown}>} parts
 */
export function pageWith(template, parts) {
	const attribute = (/** @type {string} */ text) =>
		text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
	const scripts = parts.map(
		(part) =>
			`<script type="application/octet-stream" class="lode-report" data-name="${attribute(part.name)}" ` +
			`data-schema="${attribute(part.schema)}" data-title="${attribute(part.title)}" data-encoding="deflate">` +
			`${deflateSync(JSON.stringify(part.report)).toString("base64")}</script>`,
	);
	const html = readFileSync(template, "utf8");
	const first = html.indexOf('<script type="application/octet-stream"');
	const last = html.lastIndexOf('<script type="application/octet-stream"');
	assert.ok(first > 0, "the page has a report");
	const end = html.indexOf("</script>", last) + "</script>".length;
	const path = temporary(`made-${made.size}-${Math.round(performance.now())}.html`);
	writeFileSync(path, html.slice(0, first) + scripts.join("\n") + html.slice(end));
	return path;
}

/**
 * The documents of a page of lode's, by name, with what was set apart from them
 * (src/document/html_split.h). @param {string} path
 */
export async function reportsIn(path) {
	const { inflateSync } = await import("node:zlib");
	const html = readFileSync(path, "utf8");
	const unpack = (/** @type {string} */ text) =>
		inflateSync(Buffer.from(text, "base64")).toString("utf8");
	/** @type {Record<string, any>} */
	const out = {};
	/** @type {Record<string, string[]>} */
	const rest = {};
	let name = "";
	for (const match of html.matchAll(/class="lode-(report|rest)" [^>]*>([^<]*)</g)) {
		const text = unpack(match[2] ?? "");
		if (match[1] === "rest") {
			rest[name] = [...(rest[name] ?? []), ...text.split("\n").slice(0, -1)];
		} else {
			name = /data-name="([^"]*)"/.exec(match[0])?.[1] ?? "";
			out[name] = JSON.parse(text);
		}
	}
	for (const [of, lines] of Object.entries(rest)) {
		const [whole, ...items] = lines.map((line) => JSON.parse(`{${line}}`));
		Object.assign(out[of], whole);
		assert.equal(items.length, out[of].clusters.length, "a line for each item");
		for (const [i, item] of items.entries()) Object.assign(out[of].clusters[i], item);
	}
	return out;
}

function findChromium() {
	const names = process.env.CHROMIUM
		? [process.env.CHROMIUM]
		: ["chromium", "chromium-browser", "google-chrome"];
	for (const name of names) {
		if (existsSync(name)) return name;
		try {
			return execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim();
		} catch {
			// the next one
		}
	}
	throw new Error("no Chromium: tools/install-deps test installs it");
}

const browser = await chromium.launch({
	executablePath: findChromium(),
	args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none"],
});

/** @type {import("playwright-core").Page[]} */
const open = [];

/**
 * Opens a page at a place of its own, from the disk or from a server of lode's; it must end with a
 * clean console (see `close`), and ask for nothing from elsewhere.
 * @param {string} path or "http://127.0.0.1:PORT/"
 * @param {{hash?: string, width?: number, height?: number, dark?: boolean, touch?: boolean, zoom?: number}} [options]
 */
export async function show(path, options = {}) {
	const isServed = path.startsWith("http:");
	const context = await browser.newContext({
		viewport: {
			width: Math.round((options.width ?? 1280) / (options.zoom ?? 1)),
			height: Math.round((options.height ?? 900) / (options.zoom ?? 1)),
		},
		deviceScaleFactor: options.zoom ?? 1,
		colorScheme: options.dark ? "dark" : "light",
		acceptDownloads: true,
		offline: !isServed,
		hasTouch: options.touch ?? false,
		isMobile: options.touch ?? false,
	});
	const page = await context.newPage();
	if (slowness > 1) {
		const session = await context.newCDPSession(page);
		await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
	}
	/** @type {string[]} */
	const complaints = [];
	page.on("console", (message) => {
		if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
	});
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("request", (request) => {
		const url = request.url();
		if (!/^(file|data|blob):/.test(url) && !(isServed && url.startsWith(path)))
			complaints.push(`asked for ${url}`);
	});
	page.on("dialog", (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	open.push(page);
	await page.goto(`${isServed ? "" : "file://"}${path}${options.hash ?? ""}`);
	await page.waitForSelector("main h1, main h2");
	return {
		page,
		/** Closes it; its console must have stayed clean. */
		async close() {
			assert.deepEqual(complaints, [], "the console is clean");
			await context.close();
		},
	};
}

/**
 * Waits until a page has drawn what was last asked of it: events are handled, and what they changed
 * is on the screen. What comes from a server is to be waited for by what it shows.
 * @param {import("playwright-core").Page} page
 */
export async function settled(page) {
	await page.evaluate(
		() =>
			new Promise((done) => {
				const frame = () => requestAnimationFrame(() => setTimeout(second));
				const second = () => requestAnimationFrame(() => setTimeout(done));
				setTimeout(frame);
			}),
	);
}

/**
 * What a click makes the page save. @param {import("playwright-core").Page} page
 * @param {import("playwright-core").Locator} button
 */
export async function saved(page, button) {
	const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
	const path = temporary(`saved-${open.length}-${download.suggestedFilename()}`);
	await download.saveAs(path);
	return { name: download.suggestedFilename(), bytes: readFileSync(path) };
}

/** Rows of a CSV, by the names of its columns. @param {string} text */
export function parseCsv(text) {
	/** @type {string[][]} */
	const rows = [[""]];
	let quoted = false;
	for (let i = 0; i < text.length; i++) {
		const c = text.charAt(i);
		const row = rows.at(-1) ?? [];
		if (quoted) {
			if (c !== '"') row.push(`${row.pop()}${c}`);
			else if (text[i + 1] === '"') {
				row.push(`${row.pop()}"`);
				i++;
			} else quoted = false;
		} else if (c === '"') quoted = true;
		else if (c === ",") row.push("");
		else if (c === "\n") rows.push([""]);
		else if (c !== "\r") row.push(`${row.pop()}${c}`);
	}
	rows.pop();
	const [head = [], ...body] = rows;
	return body.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])));
}

/** Rows that a table shows: the texts of its cells. @param {import("playwright-core").Page} page @param {string} label */
export function tableTexts(page, label) {
	return page
		.locator(`[role=grid][aria-label="${label}"] .table-body [role=row]`)
		.evaluateAll((rows) =>
			rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
		);
}

after(async () => {
	await browser.close();
	for (const server of servers) server.kill("SIGKILL");
	rmSync(folder, { recursive: true, force: true });
});
