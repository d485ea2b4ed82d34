// Questions of the kinds that users of NonSequitur had to answer ([REGTIME24] appendix A), answered
// through the page alone, on traces that were made to have the answers.
//
//   T1   what does a thread do over time?
//   T2   which calls were unusually long, and when?
//   T3   what did one thread do while another was blocked, or did nothing?
//
// In a file, and those about the others also of a server, whose engine is asked for them.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { serve, temporary } from "./harness.mjs";
import { dominant, openTimeline, pageOfTrace, secondsOf, Timeline } from "./timeline-driver.mjs";
import { large, normal, rocks } from "./timeline-traces.mjs";

/** "beginning", "end", "throughout" of what is lit in ten parts of a thread's life. @param {number[]} parts */
function when(parts) {
	const isLit = parts.map((share) => share > 0.15);
	const words = [];
	if (isLit.slice(1, 9).every(Boolean)) return "throughout";
	if (isLit[0]) words.push("beginning");
	if (isLit.slice(2, 8).some(Boolean)) words.push("middle");
	if (isLit[9]) words.push("end");
	return words.join(" and ");
}

/** A trace's page from the disk, or from a server. @typedef {{file: () => Promise<Timeline>, served: () => Promise<Timeline>}} Homes */

/** @param {string} name @param {() => string} make @param {(homes: Homes) => void} ask */
function about(name, make, ask) {
	describe(name, () => {
		/** @type {string} */
		let file;
		/** @type {Awaited<ReturnType<typeof serve>>} */
		let server;
		before(async () => {
			const csv = make();
			file = pageOfTrace(name, csv);
			const trace = temporary(`served-${name}.csv`);
			writeFileSync(trace, csv);
			server = await serve(trace);
		});
		after(() => server.end());
		ask({
			file: () => openTimeline(file),
			served: () => openTimeline(server.url, { hash: "#/timeline" }),
		});
	});
}

/** @param {string} words @param {Homes} homes @param {(page: Timeline) => Promise<void>} answer */
function question(words, homes, answer) {
	test(words, async () => {
		// What the others did is what only an engine knows of any span.
		for (const open of words.startsWith("T3") ? [homes.file, homes.served] : [homes.file]) {
			const timeline = await open();
			await answer(timeline);
			await timeline.close();
		}
	});
}

about("normal", normal, (homes) => {
	question(
		"T1: which thread executes evict_lru_walk throughout its lifetime, but evict_page only at its beginning and its end?",
		homes,
		async (page) => {
			await page.search("evict_page");
			assert.deepEqual(await page.threads(), [2, 6, 7]); // the others never call it, and are gone
			const answers = [];
			for (const tid of await page.threads())
				if (when(await page.lit(tid, 10)) === "beginning and end") answers.push(tid);
			await page.search("evict_lru_walk");
			for (const tid of answers) assert.equal(when(await page.lit(tid, 10)), "throughout");
			assert.deepEqual(answers, [2]);
		},
	);

	question(
		"T2: which threads have invocations of cond_wait_signal that last 10 seconds, and when?",
		homes,
		async (page) => {
			await page.search("cond_wait_signal");
			const calls = (await page.longCalls()).filter(
				(call) => Math.abs(secondsOf(call.lasts) - 10) < 0.5,
			);
			assert.deepEqual([...new Set(calls.map((call) => call.thread))].sort(), [
				"thread 15",
				"thread 9",
			]);
			// Throughout: of the half minute that the trace lasts, one in the first half, one in the second.
			for (const thread of ["thread 15", "thread 9"]) {
				const starts = calls.filter((call) => call.thread === thread).map((call) => call.from);
				assert.equal(starts.length, 2);
				assert.ok(Math.min(...starts) < 5 && Math.max(...starts) > 12);
			}
			// Threads 1 and 13 wait as long in all, but never so long at once.
			assert.ok((await page.threads()).includes(13));
		},
	);

	question(
		"T3: while thread 24 executes no function, which thread spends most of its time in sleep_until_signal?",
		homes,
		async (page) => {
			const gaps = (await page.gaps(24)).filter((gap) => gap.to - gap.from > 3.9);
			assert.equal(gaps.length, 5);
			for (const gap of gaps) {
				await page.selecting(() => page.page.mouse.click(gap.x, gap.y));
				const shares = [...(await page.meanwhile())]
					.map(
						([tid, share]) =>
							/** @type {const} */ ([tid, share.leaves.get("sleep_until_signal") ?? 0]),
					)
					.sort((a, b) => b[1] - a[1]);
				assert.equal(shares[0]?.[0], 5);
				assert.ok(Math.abs(shares[0][1] - 90) < 2 && Math.abs((shares[1]?.[1] ?? 0) - 50) < 2);
			}
		},
	);

	question(
		"T3: while thread 21 calls cond_wait_signal at depth 0, what leaf functions does thread 17 call?",
		homes,
		async (page) => {
			await page.highlight("cond_wait_signal");
			const waits = (await page.longCalls()).filter(
				(call) => call.thread === "thread 21" && call.depth === 0,
			);
			assert.equal(waits.length, 6);
			for (const wait of waits) {
				await page.pickLongCall("thread 21", `+${wait.from.toFixed(9)}`);
				const leaves = [...((await page.meanwhile()).get(17)?.leaves ?? [])];
				const names = leaves.filter(([, part]) => part > 5).map(([name]) => name);
				assert.deepEqual(names.sort(), ["cursor_set_key", "file_search"]);
			}
		},
	);
});

about("large", large, (homes) => {
	question(
		"T1: which thread makes one invocation of cond_wait_signal, and then evict_lru_pages again and again?",
		homes,
		async (page) => {
			await page.search("evict_lru_pages");
			assert.deepEqual(await page.threads(), [12, 13, 14]);
			const answers = [];
			for (const tid of await page.threads()) {
				await page.search("evict_lru_pages");
				const evicting = await page.lit(tid, 20);
				await page.search("cond_wait_signal");
				if (!(await page.threads()).includes(tid)) continue;
				const waiting = await page.lit(tid, 20);
				if (
					waiting[0] > 0.9 &&
					waiting.slice(2).every((x) => x < 0.1) &&
					evicting.slice(2).every((x) => x > 0.5)
				)
					answers.push(tid);
			}
			assert.deepEqual(answers, [13]);
		},
	);

	question(
		"T2: which threads have invocations of cond_wait_signal over 10 seconds, and when?",
		homes,
		async (page) => {
			await page.search("cond_wait_signal");
			const calls = (await page.longCalls()).filter((call) => secondsOf(call.lasts) > 10);
			const of = (/** @type {string} */ thread) => calls.filter((call) => call.thread === thread);
			assert.deepEqual([...new Set(calls.map((call) => call.thread))].sort(), [
				"thread 13",
				"thread 18",
				"thread 23",
			]);
			// 18 and 23 twice each; all at the beginning of their lives of five minutes.
			assert.deepEqual([of("thread 18").length, of("thread 23").length], [2, 2]);
			for (const call of calls) assert.ok(call.from < 30);
			for (const tid of [18, 23]) assert.equal(when(await page.lit(tid, 10)), "beginning");
		},
	);

	question(
		"T3: what does thread 24 call at the top of its stack all the time, but more while thread 18 waits for over 10 seconds?",
		homes,
		async (page) => {
			const leavesOf24 = async () => (await page.meanwhile()).get(24)?.leaves ?? new Map();
			await page.highlight("cond_wait_signal");
			const [wait] = (await page.longCalls()).filter((call) => call.thread === "thread 18");
			assert.ok(wait);
			await page.pickLongCall("thread 18", `+${wait.from.toFixed(9)}`);
			const during = await leavesOf24();
			// And at some other time: an expression of thread 24 in the middle of the trace.
			await page.page.getByRole("button", { name: "All", exact: true }).click();
			await page.click(24, 0.6, 0);
			const usually = await leavesOf24();
			const more = [...usually.keys()].filter(
				(name) => (during.get(name) ?? 0) > 1.5 * (usually.get(name) ?? 0),
			);
			assert.deepEqual(more, ["block_read_off"]);
			assert.ok(Math.abs((during.get("block_read_off") ?? 0) - 66.7) < 2);
		},
	);
});

about("rocks", rocks, (homes) => {
	question(
		"T1: which thread calls BGThread, is idle for long, and then calls BGWorkFlush again and again?",
		homes,
		async (page) => {
			await page.search("BGThread");
			const candidates = await page.threads();
			await page.search("BGWorkFlush");
			const both = (await page.threads()).filter((tid) => candidates.includes(tid));
			const answers = [];
			for (const tid of both) {
				const flushing = await page.lit(tid, 24);
				const gaps = (await page.gaps(tid, 12)).filter((gap) => gap.to - gap.from > 300);
				if (
					gaps.length &&
					flushing.slice(12).every((x) => x > 0.5) &&
					flushing.slice(0, 10).every((x) => x < 0.1)
				)
					answers.push(tid);
			}
			assert.deepEqual(answers, [22]);
		},
	);

	question(
		"T2: which threads have invocations of LinkOne over 500 seconds, and when?",
		homes,
		async (page) => {
			await page.search("linkone");
			// As people say it: 8 minutes and 20 seconds.
			const calls = (await page.longCalls()).filter((call) => secondsOf(call.lasts) > 500);
			assert.deepEqual(calls.map((call) => call.thread).sort(), ["thread 1", "thread 13"]);
			for (const call of calls) assert.ok(call.from <= 1);
		},
	);

	question(
		"T3: while thread 11 is idle between two BGWorkFlush, which leaf function dominates threads 4, 18 and 25?",
		homes,
		async (page) => {
			const [gap] = (await page.gaps(11, 12)).filter((one) => one.to - one.from > 500);
			assert.ok(gap);
			await page.selecting(() => page.page.mouse.click(gap.x, gap.y));
			const shares = await page.meanwhile();
			assert.equal(dominant(shares.get(4)), "db::CondVar::Wait");
			assert.equal(dominant(shares.get(18)), "db::WriteThread::LinkOne");
			assert.equal(dominant(shares.get(25)), "db::ThreadPool::BGThread");
		},
	);
});
