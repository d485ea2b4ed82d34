// Function traces whose answers are known, because they are made for them: in the spirit of the
// questions that the users of NonSequitur were asked ([REGTIME24] appendix A). As CSV
// (docs/formats/calls-csv.md), the same each time.

const MS = 1e6;
const S = 1e9;

/** Seeded (splitmix32): the same traces everywhere. @param {number} seed */
function random(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x9e3779b9) >>> 0;
		let x = state ^ (state >>> 16);
		x = Math.imul(x, 0x21f0aaad);
		x ^= x >>> 15;
		x = Math.imul(x, 0x735a2d97);
		return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
	};
}

/** One thread as it lives: calls take time, and contain calls. */
class Thread {
	/** @param {string[]} lines @param {number} tid @param {() => number} next */
	constructor(lines, tid, next, start = 0) {
		this.lines = lines;
		this.tid = tid;
		this.next = next;
		this.now = start;
	}
	/** @param {string} name @param {number} ns @param {() => void} [inside] */
	call(name, ns, inside) {
		this.lines.push(`${this.tid},enter,${name},${this.now}`);
		const end = this.now + ns;
		inside?.();
		this.now = Math.max(this.now, end);
		this.lines.push(`${this.tid},exit,${name},${this.now}`);
	}
	/** @param {number} ns */
	idle(ns) {
		this.now += ns;
	}
	/** About so long: half to one and a half times. @param {number} ns */
	about(ns) {
		return Math.round(ns * (0.5 + this.next()));
	}
	/** Again and again, until a time. @param {number} end @param {() => void} step */
	until(end, step) {
		while (this.now < end) step();
	}
}

/** @param {number} seed @param {(thread: (tid: number, start?: number) => Thread) => void} fill */
function trace(seed, fill) {
	/** @type {string[]} */
	const lines = ["tid,event,function,ns"];
	const next = random(seed);
	fill((tid, start) => new Thread(lines, tid, next, start));
	return `${lines.join("\n")}\n`;
}

/** A storage engine that answers queries, half a minute. */
export function normal() {
	return trace(1, (thread) => {
		for (const [tid, isPaging] of /** @type {const} */ ([
			[2, (/** @type {number} */ t) => t < 3 * S || t > 27 * S],
			[6, (/** @type {number} */ t) => t < 4 * S],
			[7, () => true],
		])) {
			const t = thread(tid);
			t.until(30 * S, () => {
				t.call("evict_lru_walk", t.about(6 * MS));
				if (isPaging(t.now)) t.call("evict_page", t.about(4 * MS));
				t.idle(t.about(2 * MS));
			});
		}
		for (const tid of [9, 15]) {
			const t = thread(tid, 0.2 * S);
			for (let i = 0; i < 2; i++) {
				t.until(t.now + 2 * S, () => t.call("sweep_handles", t.about(10 * MS)));
				t.call("cond_wait_signal", 10 * S);
			}
			t.until(30 * S, () => t.call("sweep_handles", t.about(10 * MS)));
		}
		for (const tid of [1, 13]) {
			const t = thread(tid);
			t.until(30 * S, () => t.call("cond_wait_signal", 90 * MS));
		}
		const checkpoints = thread(24);
		/** @type {Array<[number, number]>} */
		const pauses = [];
		for (let i = 0; i < 5; i++) {
			const end = checkpoints.now + 2 * S;
			checkpoints.until(end, () => checkpoints.call("checkpoint_tree", checkpoints.about(15 * MS)));
			pauses.push([checkpoints.now, checkpoints.now + 4 * S]);
			checkpoints.idle(4 * S);
		}
		checkpoints.call("checkpoint_tree", 10 * MS);
		const isPause = (/** @type {number} */ t) => pauses.some(([from, to]) => t >= from && t < to);
		for (const [tid, share] of /** @type {const} */ ([
			[5, 0.9],
			[8, 0.3],
			[10, 0.5],
		])) {
			const t = thread(tid);
			t.until(30 * S, () => {
				if (isPause(t.now)) {
					t.call("sleep_until_signal", Math.round(40 * MS * share));
					t.call("scan_table", Math.round(40 * MS * (1 - share)));
				} else t.call("scan_table", 40 * MS);
			});
		}
		const waits = thread(21);
		const reader = thread(17);
		for (let i = 0; i < 6; i++) {
			waits.call("apply_batch", 1.5 * S, () => {
				waits.call("copy_rows", 0.6 * S);
				waits.call("cond_wait_signal", 0.8 * S);
			});
			reader.until(waits.now, () =>
				reader.call("insert", reader.about(9 * MS), () => reader.call("log_write", 3 * MS)),
			);
			const from = waits.now;
			waits.call("cond_wait_signal", 0.9 * S);
			reader.now = Math.max(reader.now, from);
			reader.until(waits.now, () =>
				reader.call("lookup", 9.1 * MS, () => {
					reader.call("file_search", 5 * MS);
					reader.call("cursor_set_key", 4 * MS);
				}),
			);
		}
	});
}

/** The same under a load of updates, five minutes. */
export function large() {
	return trace(2, (thread) => {
		const late = thread(13);
		late.call("cond_wait_signal", 25 * S);
		late.until(300 * S, () => late.call("evict_lru_pages", late.about(40 * MS)));
		const always = thread(14);
		always.until(300 * S, () => always.call("evict_lru_pages", always.about(40 * MS)));
		const last = thread(12);
		last.until(270 * S, () => last.call("evict_lru_pages", last.about(40 * MS)));
		last.call("cond_wait_signal", 8 * S);
		for (const [tid, first] of /** @type {const} */ ([
			[18, 2],
			[23, 5],
		])) {
			const t = thread(tid);
			t.until(first * S, () => t.call("update_row", t.about(20 * MS)));
			t.call("cond_wait_signal", 15 * S);
			t.call("update_row", 5 * MS);
			t.call("cond_wait_signal", 12 * S);
			t.until(300 * S, () => t.call("update_row", t.about(20 * MS)));
		}
		const nearly = thread(20);
		nearly.until(200 * S, () => nearly.call("update_row", nearly.about(20 * MS)));
		nearly.call("cond_wait_signal", 9 * S);
		nearly.until(300 * S, () => nearly.call("update_row", nearly.about(20 * MS)));
		const reads = thread(24);
		reads.until(300 * S, () => {
			const isBusy = reads.now >= 2 * S && reads.now < 29 * S;
			reads.call("read_page", 30 * MS, () => {
				reads.call("verify_checksum", 6 * MS);
				reads.call("block_read_off", isBusy ? 20 * MS : 4 * MS);
			});
			reads.idle(isBusy ? 0 : 10 * MS);
		});
	});
}

/** Another engine, with parallel writes, twenty minutes. */
export function rocks() {
	return trace(3, (thread) => {
		const pool = thread(22);
		pool.call("db::ThreadPool::BGThread", 40 * S);
		pool.idle(500 * S);
		pool.until(1200 * S, () => pool.call("db::DB::BGWorkFlush", pool.about(300 * MS)));
		const eager = thread(23);
		eager.call("db::ThreadPool::BGThread", 40 * S);
		eager.until(1200 * S, () => eager.call("db::DB::BGWorkFlush", eager.about(300 * MS)));
		for (const tid of [1, 13]) {
			const t = thread(tid, S);
			t.call("db::WriteThread::LinkOne", 520 * S);
			t.until(1200 * S, () => t.call("db::DB::Write", t.about(200 * MS)));
		}
		const shorter = thread(2);
		shorter.until(600 * S, () => shorter.call("db::DB::Write", shorter.about(200 * MS)));
		shorter.call("db::WriteThread::LinkOne", 480 * S);
		const flush = thread(11);
		flush.until(60 * S, () => flush.call("db::DB::BGWorkFlush", flush.about(300 * MS)));
		const from = flush.now;
		flush.idle(600 * S);
		const to = flush.now;
		flush.until(1200 * S, () => flush.call("db::DB::BGWorkFlush", flush.about(300 * MS)));
		for (const [tid, name, share] of /** @type {const} */ ([
			[4, "db::CondVar::Wait", 0.7],
			[18, "db::WriteThread::LinkOne", 0.8],
			[25, "db::ThreadPool::BGThread", 0.9],
		])) {
			const t = thread(tid);
			t.until(1200 * S, () => {
				const isIdle = t.now >= from && t.now < to;
				const part = isIdle ? share : 0.1;
				t.call("db::DB::Write", 400 * MS, () => t.call(name, Math.round(400 * MS * part)));
			});
		}
	});
}

/** More threads, with deeper stacks, than a screen has room for; each ends in a function of its own. */
export function crowd() {
	return trace(4, (thread) => {
		for (let tid = 1; tid <= 40; tid++) {
			const t = thread(tid);
			const down = (/** @type {number} */ depth, /** @type {number} */ ns) =>
				t.call(depth ? `level_${depth}` : `leaf_${tid % 5}`, ns, () => {
					if (depth) down(depth - 1, ns - 10);
				});
			t.until(2 * S, () => {
				down(11, t.about(100 * MS));
				t.idle(30 * MS);
			});
		}
	});
}

/** Names that would like to be something else. */
export function hostile() {
	const template = `std::map<${"std::vector<unsigned long, alloc>, ".repeat(290)}int>`;
	const names = [
		"<script>document.title='owned'</script>",
		"<img src=x onerror=document.title='owned'>",
		"javascript:document.title='owned'",
		"\u202egnirts lamron a\u202c",
		"\u001b[2J\u001b]0;owned\u0007",
		"__proto__",
		"constructor",
		'"><svg onload=alert(1)>',
		template,
	];
	/** @type {Buffer[]} */
	const parts = [Buffer.from("tid,event,function,ns\n")];
	let now = 0;
	const quoted = (/** @type {string} */ name) => `"${name.replaceAll('"', '""')}"`;
	for (let round = 0; round < 40; round++)
		for (const name of names) {
			const ns = round === 20 ? 5e6 : 1000;
			parts.push(
				Buffer.from(`7,enter,${quoted(name)},${now}\n7,exit,${quoted(name)},${now + ns}\n`),
			);
			now += ns + 10;
		}
	parts.push(Buffer.from(`7,enter,bad_\xff\xfe_bytes,${now}\n7,exit,,${now + 9e6}\n`, "latin1"));
	return { csv: Buffer.concat(parts), names };
}
