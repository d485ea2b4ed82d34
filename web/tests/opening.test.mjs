// What every page says first: the sentence and the command of the terminal and of --json, and every
// number in it is one of the document, or a share or a sum of such.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lode, pageOf, samples, show, temporary, top } from "./harness.mjs";
import { loopSample } from "./loop-sample.mjs";
import { pioSample } from "./pio-sample.mjs";

const startup = join(samples, "startup");
const mailroom = join(samples, "mailroom");
const { before, after, signatures } = loopSample();
const none = temporary("none.txt");
writeFileSync(none, "");
/** Recordings that are not in the tree, where they lie beside it. @returns {Record<string, string[]>} */
function sharedSets() {
	const shared = join(top, "..", "shared");
	if (!existsSync(join(shared, "traces"))) return {};
	const traces = (/** @type {string[]} */ ...path) => join(shared, "traces", ...path);
	const ledger = (/** @type {string} */ n) => traces("ledger", `statement-${n}.perf.data.zst`);
	const ls = (/** @type {string} */ name) => traces("syscalls-ls", `ls-${name}.perf.data.zst`);
	const site = (/** @type {string} */ part) => {
		const at = (/** @type {string} */ file) => join(shared, "pio", "auction", part, file);
		const counters = ["web", "app", "db"].map((s) => `${s}=${at(`counters_${s}.csv.zst`)}`);
		return ["--log", at("access.log.zst"), ...counters.flatMap((c) => ["-c", c])];
	};
	const model = temporary("auction.model");
	lode("pio", "train", "-o", model, ...site("P1"));
	return {
		"mine of shared recordings": [
			"mine",
			traces("startup", "gitstatus-01.perf.data.zst"),
			ledger("08"),
		],
		"suspects of shared system calls": ["suspects", ls("05-dwarf")],
		"suspects of two shared sets": [
			"suspects",
			ls("02-color-warm"),
			"--versus",
			ls("03-never-cold"),
		],
		"timeline of a shared trace": ["timeline", traces("function", "nonsequitur-example")],
		"diff of shared recordings": [
			"diff",
			"-a",
			ledger("16"),
			"-a",
			ledger("17"),
			"-b",
			ledger("08"),
		],
		"pio of a shared day": ["pio", "-m", model, ...site("P2")],
	};
}

const loop = ["--unit", "ns", "--signatures", signatures];

/** @type {Record<string, string[]>} */
const commands = {
	mine: ["mine", startup],
	"mine of one recording": ["mine", join(startup, "startup-22.perf.data.zst")],
	"mine without a cluster": ["mine", "--min-cost", "1000s", startup],
	suspects: ["suspects", join(samples, "orders")],
	"suspects of two sets": [
		"suspects",
		join(startup, "startup-22.perf.data.zst"),
		"--versus",
		join(startup, "startup-08.perf.data.zst"),
	],
	"suspects of a set and itself": ["suspects", startup, "--versus", startup],
	timeline: [
		"timeline",
		"--symbols",
		join(mailroom, "symbols.tsv"),
		join(mailroom, "mailroom.xray.zst"),
	],
	pio: pioSample(),
	diff: ["diff", "--unit", "ns", before, after],
	next: ["next", ...loop, before, after],
	coverage: ["coverage", ...loop, "--by", "path", before, after],
	triage: ["triage", ...loop, after],
	analyze: ["analyze", samples],
	"next without a signature": ["next", "--unit", "ns", "--signatures", none, before, after],
	"coverage without a signature": ["coverage", "--unit", "ns", "--signatures", none, after],
	"triage without a signature": ["triage", "--unit", "ns", "--signatures", none, after],
	...sharedSets(),
};

/** A trace in which no call is long, and the same day of a service twice: nothing stands out. */
const calm = temporary("calm.csv");
writeFileSync(calm, "1,enter,f,0\n1,exit,f,10\n1,enter,f,20\n1,exit,f,30\n");
const quiet = temporary("quiet.log");
const idle = temporary("idle.csv");
{
	const start = 1795230000;
	const requests = [];
	const counters = ["time,cpu"];
	for (let t = 0; t < 300; t++) {
		counters.push(`${start + t + 1},${20 + (t % 5)}`);
		for (let k = 0; k < 10; k++)
			requests.push(
				`10.0.0.1 - u [21/Nov/2026:02:00:00 +0000] "GET /shop HTTP/1.1" 200 100 "-" "-" 0.010 0.010 ${(start + t + k / 10 + 0.01).toFixed(3)}`,
			);
	}
	writeFileSync(quiet, `${requests.join("\n")}\n`);
	writeFileSync(idle, `${counters.join("\n")}\n`);
}
Object.assign(commands, {
	"timeline in which no call stands out": ["timeline", calm],
	"pio of a quiet day": ["pio", "-m", "model", "--log", quiet, "-c", `web=${idle}`],
	"suspects of nothing slow": ["suspects", "--thresholds", "8s,9s", join(samples, "orders")],
	"next of clusters": ["next", "--unit", "ns", before, after],
	"analyze of one trace": ["analyze", join(samples, "mailroom")],
});

/** "3.97 s" in ns, and half of its last digit. @param {string} text @param {string} unit */
function measure(text, unit) {
	const size = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit] ?? 1;
	const digits = text.split(".")[1]?.length ?? 0;
	return { ns: Number(text) * size, slack: 0.5 * size * 10 ** -digits * (1 + 1e-9) };
}

/**
 * What a sentence may say that no member is: differences of two numbers of one thing, what a list comes
 * to, and what calls with a caller take beyond others. @param {any} value @param {number[]} into
 */
function derivedFrom(value, into = []) {
	if (!value || typeof value !== "object") return into;
	if (Array.isArray(value)) {
		/** @type {Map<string, number>} */
		const sums = new Map();
		for (const item of value)
			for (const [key, x] of Object.entries(item ?? {}))
				if (typeof x === "number") sums.set(key, (sums.get(key) ?? 0) + x);
		into.push(...sums.values());
		for (const item of value) derivedFrom(item, into);
		return into;
	}
	const own = Object.values(value)
		.flatMap((x) => (x && typeof x === "object" && !Array.isArray(x) ? Object.values(x) : [x]))
		.filter((x) => typeof x === "number");
	for (const x of own) for (const y of own) into.push(x - y);
	const { with: a, without: b } = value;
	if (a?.n && b?.n) into.push(a.n * (a.mean_ns - b.mean_ns));
	for (const item of Object.values(value)) derivedFrom(item, into);
	return into;
}

/** Numbers of a document, with how many items its lists have. @param {any} value @param {Set<number>} into */
function numbersOf(value, into = new Set()) {
	if (typeof value === "number") into.add(value);
	else if (value && typeof value === "object") {
		if (Array.isArray(value)) into.add(value.length);
		for (const item of Object.values(value)) numbersOf(item, into);
	}
	return into;
}

const plain = (/** @type {string} */ text) => text.replace(/[\s\u202f]+/g, " ").trim();

for (const [name, args] of Object.entries(commands))
	test(`${name}: the page begins as the terminal and --json do`, async () => {
		const said = JSON.parse(
			lode(...args, "--json", ...(args[0] === "analyze" ? [] : ["--top", "0"])),
		);
		const { page, close } = await show(pageOf(...args));
		assert.equal(plain(await page.locator(".headline").innerText()), plain(said.finding));
		const command = page.locator(".next-command code");
		// A page does not send its reader to itself.
		const next = said.next_command?.includes(" --html ") ? undefined : said.next_command;
		assert.equal(await command.count(), next ? 1 : 0);
		if (next) assert.equal(await command.innerText(), next);
		const terminal = plain(lode(...args));
		assert.ok(terminal.includes(plain(said.finding)), terminal.slice(0, 400));
		await close();

		const all = numbersOf(said);
		const known = [...all];
		const has = (/** @type {(n: number) => boolean} */ is) => known.some(is);
		const sentence = plain(said.finding);
		// Of several reports it is the first one's sentence: that one's own test is above.
		const isOfReport = (/** @type {string} */ words) => said.runs?.[0].summary.includes(words);
		for (const [, text = ""] of sentence.matchAll(
			/(?<![\w.,-])(\d{1,3}(?:,\d{3})+)(?![\w.,]*\d)/g,
		)) {
			const n = Number(text.replaceAll(",", ""));
			assert.ok(
				isOfReport(text) || has((x) => x === n || all.has(n - x)),
				`${text} in ${sentence}`,
			);
		}
		const derived = derivedFrom(said);
		for (const [words, text = "", unit = ""] of sentence.matchAll(
			/(?<![\w.,+:])(\d+(?:\.\d+)?) (ns|µs|ms|s)(?![\w])/g,
		)) {
			if (/\d (h|min) /.test(sentence.slice(0, sentence.indexOf(words) + 1).slice(-8))) continue;
			const { ns, slack } = measure(text, unit);
			const is = (/** @type {number} */ x) => Math.abs(Math.abs(x) - ns) <= slack;
			assert.ok(isOfReport(words) || has(is) || derived.some(is), `${words} in ${sentence}`);
		}
		// Shares: of two numbers of the document, as the sentence rounds them.
		for (const [, text = ""] of sentence.matchAll(/(?<![\w.,])(\d+(?:\.\d+)?) %/g)) {
			const digits = text.split(".")[1]?.length ?? 0;
			const is = (/** @type {number} */ share) => (100 * share).toFixed(digits) === text;
			const isShare = (/** @type {number} */ part) =>
				is(part) ||
				is(1 - part) ||
				is(part - 1) ||
				has(
					(whole) =>
						whole > 0 && (is(part / whole) || is(part / whole - 1) || is(1 - part / whole)),
				);
			assert.ok(isOfReport(`${text} %`) || has(isShare), `${text} % in ${sentence}`);
		}
	});
