// The page's document as drawing wants it: marks of each thread as typed columns.
//
//   item    what RegTime made of a thread: a call, an expression, a gap, in order of start
//   mark    what is drawn: a call, a node of an expression, its folded rest, a gap
//
// Times are ns since the trace's start. A node stands in its expression behind its elder siblings,
// from its caller's beginning on, as wide as its time: widths are true, places are in order of
// first occurrence (docs/timeline.md).
import type { Timeline, TimelinePageReport } from "../../data/reports";

export const CALL = 0;
export const EXPRESSION = 1;
export const GAP = 2;

export const NO_FUNCTION = -1;

export type MarkKind = "call" | "node" | "rest" | "gap";

/** Marks and items of one thread in one window. */
export interface ThreadMarks {
	readonly calls: number;
	/** Call by call: nothing is summarised. */
	readonly single: boolean;

	readonly itemKind: Uint8Array;
	readonly itemDepth: Uint16Array;
	readonly itemStart: Float64Array;
	readonly itemEnd: Float64Array;
	readonly itemCalls: Float64Array;
	/** Of expressions: their first mark; their marks end where the next item's begin. */
	readonly itemMark: Uint32Array;
	/** Of expressions: the row of `fold`. */
	readonly itemFold: Int32Array;
	readonly fold: ReadonlyArray<
		readonly [nodes: number, functions: number, calls: number, own: number]
	>;

	/** In order of start; callers before callees. */
	readonly markStart: Float64Array;
	readonly markEnd: Float64Array;
	readonly markDepth: Uint16Array;
	/** NO_FUNCTION of gaps and rests. */
	readonly markFunction: Int32Array;
	readonly markItem: Uint32Array;
	/** Own time; NaN where a window cuts the call. */
	readonly markOwn: Float64Array;
	/** Calls that it stands for. */
	readonly markCalls: Float64Array;
	/** Caller among the marks of its expression, or -1. */
	readonly markCaller: Int32Array;
	readonly maxDepth: number;
}

/** Marks while they are found: columns that are long enough from the start. */
class Columns {
	readonly start: Float64Array;
	readonly end: Float64Array;
	readonly depth: Uint16Array;
	readonly fn: Int32Array;
	readonly item: Uint32Array;
	readonly own: Float64Array;
	readonly calls: Float64Array;
	readonly caller: Int32Array;
	n = 0;
	maxDepth = 0;

	constructor(most: number) {
		this.start = new Float64Array(most);
		this.end = new Float64Array(most);
		this.depth = new Uint16Array(most);
		this.fn = new Int32Array(most);
		this.item = new Uint32Array(most);
		this.own = new Float64Array(most);
		this.calls = new Float64Array(most);
		this.caller = new Int32Array(most);
	}

	add(
		start: number,
		end: number,
		depth: number,
		fn: number,
		item: number,
		own: number,
		calls: number,
		caller: number,
	) {
		const at = this.n++;
		this.start[at] = start;
		this.end[at] = end;
		this.depth[at] = depth;
		this.fn[at] = fn;
		this.item[at] = item;
		this.own[at] = own;
		this.calls[at] = calls;
		this.caller[at] = caller;
		if (depth > this.maxDepth) this.maxDepth = depth;
	}
}

/** The nodes of an expression: each behind its elder siblings. */
function addNodes(
	out: Columns,
	t: Timeline,
	item: number,
	first: number,
	start: number,
	depth: number,
) {
	const base = out.n;
	const n = t.own[item]!;
	const free = new Float64Array(n + 1).fill(start); // where a caller's next callee stands; 0: none
	for (let k = 0; k < n; k++) {
		const caller = t.node_caller[first + k]!;
		const from = free[caller]!;
		const to = from + t.node_total[first + k]!;
		free[caller] = to;
		free[k + 1] = from;
		out.add(
			from,
			to,
			caller ? out.depth[base + caller - 1]! + 1 : depth,
			t.node_function[first + k]!,
			item,
			t.node_own[first + k]!,
			t.node_calls[first + k]!,
			caller ? base + caller - 1 : -1,
		);
	}
	return free[0]!;
}

export function decodeTimeline(t: Timeline): ThreadMarks {
	const n = t.kind.length;
	const out = new Columns(n + t.node_function.length);
	const itemStart = new Float64Array(n);
	const itemEnd = new Float64Array(n);
	const itemCalls = new Float64Array(n);
	const itemMark = new Uint32Array(n);
	const itemFold = new Int32Array(n).fill(-1);
	let at = 0;
	let node = 0;
	let fold = 0;
	for (let i = 0; i < n; i++) {
		at += t.start[i]!;
		const end = at + t.duration[i]!;
		const depth = t.depth[i]!;
		itemStart[i] = at;
		itemEnd[i] = end;
		itemMark[i] = out.n;
		if (t.kind[i] === CALL) {
			itemCalls[i] = 1;
			const own = t.own[i]!;
			out.add(at, end, depth, t.what[i]!, i, own < 0 ? Number.NaN : own, 1, -1);
		} else if (t.kind[i] === GAP) {
			out.add(at, end, depth, NO_FUNCTION, i, end - at, 0, -1);
		} else {
			itemCalls[i] = t.what[i]!;
			const used = addNodes(out, t, i, node, at, depth);
			node += t.own[i]!;
			itemFold[i] = fold;
			const own = t.fold_own[fold]!;
			if (t.fold_nodes[fold]) {
				const rest = Math.min(own, end - used);
				out.add(used, used + rest, depth, NO_FUNCTION, i, own, t.fold_calls[fold]!, -1);
			}
			fold++;
		}
	}
	return {
		calls: t.calls,
		single: t.single,
		itemKind: Uint8Array.from(t.kind),
		itemDepth: Uint16Array.from(t.depth),
		itemStart,
		itemEnd,
		itemCalls,
		itemMark,
		itemFold,
		fold: t.fold_nodes.map(
			(nodes, k) => [nodes, t.fold_functions[k]!, t.fold_calls[k]!, t.fold_own[k]!] as const,
		),
		markStart: out.start.subarray(0, out.n),
		markEnd: out.end.subarray(0, out.n),
		markDepth: out.depth.subarray(0, out.n),
		markFunction: out.fn.subarray(0, out.n),
		markItem: out.item.subarray(0, out.n),
		markOwn: out.own.subarray(0, out.n),
		markCalls: out.calls.subarray(0, out.n),
		markCaller: out.caller.subarray(0, out.n),
		maxDepth: out.maxDepth,
	};
}

export function kindOf(marks: ThreadMarks, mark: number): MarkKind {
	const item = marks.markItem[mark]!;
	const kind = marks.itemKind[item];
	if (kind === CALL) return "call";
	if (kind === GAP) return "gap";
	return marks.markFunction[mark] === NO_FUNCTION ? "rest" : "node";
}

const NOTHING: Timeline = {
	thread: 0,
	calls: 0,
	single: true,
	kind: [],
	depth: [],
	start: [],
	duration: [],
	what: [],
	own: [],
	fold_nodes: [],
	fold_functions: [],
	fold_calls: [],
	fold_own: [],
	node_function: [],
	node_caller: [],
	node_calls: [],
	node_total: [],
	node_own: [],
};

/** All threads of one window, by thread; decoded when a thread is first asked for. */
export class WindowMarks {
	readonly #columns: ReadonlyArray<Timeline | undefined>;
	readonly #decoded: Array<ThreadMarks | undefined> = [];

	constructor(
		readonly t0: number,
		readonly t1: number,
		timelines: readonly Timeline[],
	) {
		const columns: Array<Timeline | undefined> = [];
		for (const timeline of timelines) columns[timeline.thread] = timeline;
		this.#columns = columns;
	}

	/** Call by call; also where nothing is called. */
	isSingle(thread: number): boolean {
		return this.#columns[thread]?.single ?? true;
	}

	of(thread: number): ThreadMarks {
		const known = this.#decoded[thread];
		if (known) return known;
		const marks = decodeTimeline(this.#columns[thread] ?? NOTHING);
		this.#decoded[thread] = marks;
		return marks;
	}
}

/** A thread as rows show it. */
export interface ThreadInfo {
	readonly index: number;
	readonly tid: number;
	readonly name: string;
	readonly first: number;
	readonly last: number;
	readonly calls: number;
	readonly idle: number;
	readonly outliers: number;
	readonly longest: number;
	readonly longCall: number;
	/** What it calls, also where that is folded: function -> calls and leaf time. */
	readonly called: ReadonlyMap<number, readonly [calls: number, leaf: number]>;
}

export interface FunctionInfo {
	readonly index: number;
	readonly name: string;
	/** Glyphs times threads ([REGTIME24] §4.4). */
	readonly prominence: number;
	readonly glyphs: number;
	readonly threads: number;
	readonly calls: number;
	readonly total: number;
	readonly median: number;
	readonly p99: number;
	readonly max: number;
}

export interface Outlier {
	readonly thread: number;
	readonly fn: number;
	readonly start: number;
	readonly duration: number;
	readonly depth: number;
	readonly timesMedian: number;
}

export interface Model {
	readonly report: TimelinePageReport;
	readonly length: number;
	readonly threads: readonly ThreadInfo[];
	readonly functions: readonly FunctionInfo[];
	readonly byProminence: readonly FunctionInfo[];
	readonly outliers: readonly Outlier[];
	readonly whole: WindowMarks;
}

export function makeModel(report: TimelinePageReport): Model {
	const f = report.functions;
	const o = report.outliers;
	const functions = f.name.map((name, index) => ({
		index,
		name,
		prominence: f.glyphs[index]! * f.threads[index]!,
		glyphs: f.glyphs[index]!,
		threads: f.threads[index]!,
		calls: f.calls[index]!,
		total: f.total_ns[index]!,
		median: f.median_ns[index]!,
		p99: f.p99_ns[index]!,
		max: f.max_ns[index]!,
	}));
	const outliers = o.thread.map((thread, i) => ({
		thread,
		fn: o.function[i]!,
		start: o.start[i]!,
		duration: o.duration[i]!,
		depth: o.depth[i]!,
		timesMedian: o.times_median[i]!,
	}));
	const counts = new Map<number, [number, number]>();
	for (const { thread, duration } of outliers) {
		const known = counts.get(thread) ?? [0, 0];
		counts.set(thread, [known[0] + 1, Math.max(known[1], duration)]);
	}
	const threads = report.threads.map((t, index) => {
		const called = new Map<number, readonly [number, number]>();
		let fn = 0;
		t.called.forEach((step, k) => {
			fn += step;
			called.set(fn, [t.called_calls[k]!, t.called_leaf[k]!]);
		});
		const [many = 0, longest = 0] = counts.get(index) ?? [];
		return {
			index,
			tid: t.tid,
			name: t.name,
			first: t.first,
			last: t.last,
			calls: t.calls,
			idle: t.idle_ns,
			outliers: many,
			longest,
			longCall: t.long_call_ns,
			called,
		};
	});
	return {
		report,
		length: Math.max(1, report.trace.length_ns),
		threads,
		functions,
		byProminence: [...functions].sort(
			(a, b) => b.prominence - a.prominence || b.total - a.total || (a.name < b.name ? -1 : 1),
		),
		outliers,
		whole: new WindowMarks(0, Math.max(1, report.trace.length_ns), report.timelines),
	};
}
