// What is at a point of a thread's row, and what a link's selection names.
import {
	CALL,
	EXPRESSION,
	GAP,
	type Model,
	NO_FUNCTION,
	type ThreadMarks,
	type WindowMarks,
} from "./model";

const KINDS = ["call", "node", "rest", "expression", "gap", "idle"] as const;
export type PickKind = (typeof KINDS)[number];

/** Of rows that show what is innermost alone. */
export const ANY_DEPTH = -1;

export interface Pick {
	readonly kind: PickKind;
	readonly thread: number;
	/** The time that it means: of a node that of its expression. */
	readonly t0: number;
	readonly t1: number;
	readonly depth: number;
	readonly marks: ThreadMarks;
	/** -1: no call, and that for too short to be a gap of its own; or, of another kind
	    than that, it is not among the marks at hand. */
	readonly item: number;
	/** -1: a box, or nothing. */
	readonly mark: number;
	/** The marks at hand end before it does. */
	readonly isCut?: boolean;
}

/** What a link names, but the marks at hand do not have. */
export function isUnseen(pick: Pick): boolean {
	return pick.item < 0 && pick.kind !== "idle";
}

/** The mark at a depth, or the innermost one (ANY_DEPTH); of equals the one that is drawn last. */
function markAt(marks: ThreadMarks, t: number, depth: number, slack: number): number {
	let found = -1;
	for (let m = 0; m < marks.markStart.length; m++) {
		const item = marks.markItem[m]!;
		if (marks.itemStart[item]! > t + slack) break;
		if (marks.itemKind[item] === GAP) continue;
		if (depth !== ANY_DEPTH && marks.markDepth[m] !== depth) continue;
		const start = marks.markStart[m]!;
		const end = marks.markEnd[m]!;
		if (start - slack > t || end + slack < t) continue;
		const isInside = start <= t && t <= end;
		// A thin mark stands on its caller.
		const isThin = depth === ANY_DEPTH && end - start < slack;
		if (found < 0 || isInside || isThin) found = m;
	}
	return found;
}

function boxAt(marks: ThreadMarks, t: number, depth: number): number {
	for (let i = 0; i < marks.itemKind.length && marks.itemStart[i]! <= t; i++)
		if (marks.itemKind[i] === EXPRESSION && marks.itemEnd[i]! >= t && marks.itemDepth[i]! <= depth)
			return i;
	return -1;
}

function gapAt(marks: ThreadMarks, t: number): number {
	let found = -1;
	for (let i = 0; i < marks.itemKind.length && marks.itemStart[i]! <= t; i++)
		if (marks.itemKind[i] === GAP && marks.itemEnd[i]! >= t) found = i;
	return found;
}

/**
 * From the end of what was called before to the start of what is called next. A window knows
 * nothing of what is outside of it: where its calls begin later, or end before, it is cut there.
 */
function idleAt(
	model: Model,
	thread: number,
	window: WindowMarks,
	t: number,
): readonly [from: number, to: number, isCut: boolean] {
	const { first, last } = model.threads[thread]!;
	if (t < first) return [0, first, false];
	if (t > last) return [last, model.length, false];
	let from = -1;
	let to = -1;
	const marks = window.of(thread);
	for (let i = 0; i < marks.itemKind.length; i++) {
		if (marks.itemDepth[i] !== 0 || marks.itemKind[i] === GAP) continue;
		if (marks.itemStart[i]! > t) {
			to = marks.itemStart[i]!;
			break;
		}
		from = Math.max(from, marks.itemEnd[i]!);
	}
	const isCut = (from < 0 && first < window.t0) || (to < 0 && last > window.t1);
	return [
		from < 0 ? Math.max(first, window.t0) : from,
		to < 0 ? Math.min(last, window.t1) : to,
		isCut,
	];
}

function pickItem(thread: number, marks: ThreadMarks, item: number, mark: number): Pick {
	const kinds: Record<number, PickKind> = {
		[CALL]: "call",
		[GAP]: "gap",
		[EXPRESSION]: "expression",
	};
	let kind = kinds[marks.itemKind[item]!]!;
	if (kind === "expression" && mark >= 0)
		kind = marks.markFunction[mark] === NO_FUNCTION ? "rest" : "node";
	return {
		kind,
		thread,
		t0: marks.itemStart[item]!,
		t1: marks.itemEnd[item]!,
		depth: mark >= 0 ? marks.markDepth[mark]! : marks.itemDepth[item]!,
		marks,
		item,
		mark,
	};
}

export function pickMark(thread: number, marks: ThreadMarks, mark: number): Pick {
	return pickItem(thread, marks, marks.markItem[mark]!, mark);
}

/** `slack`: ns that a pixel or two are, so that thin marks can be pointed at. */
export function pickAt(
	model: Model,
	thread: number,
	window: WindowMarks,
	t: number,
	depth: number,
	slack: number,
): Pick {
	const marks = window.of(thread);
	const mark = markAt(marks, t, depth, slack);
	if (mark >= 0) return pickItem(thread, marks, marks.markItem[mark]!, mark);
	const box = boxAt(marks, t, depth === ANY_DEPTH ? Number.POSITIVE_INFINITY : depth);
	if (box >= 0) return pickItem(thread, marks, box, -1);
	// A window need not see both ends of a gap.
	for (const known of [marks, model.whole.of(thread)]) {
		const gap = gapAt(known, t);
		if (gap >= 0) return pickItem(thread, known, gap, known.itemMark[gap]!);
	}
	// Below what is innermost: the call that was running.
	for (let above = depth - 1; above >= 0; above--) {
		const running = markAt(marks, t, above, 0);
		if (running >= 0) return pickItem(thread, marks, marks.markItem[running]!, running);
	}
	const [t0, t1, isCut] = idleAt(model, thread, window, t);
	return { kind: "idle", thread, t0, t1, depth: 0, marks, item: -1, mark: -1, isCut };
}

/** Functions of callers, outermost first: kept calls around, then nodes above. */
export function callersOf(pick: Pick): number[] {
	const { marks, item, mark } = pick;
	const out: number[] = [];
	if (item < 0) return out;
	const below = marks.itemDepth[item]!;
	for (let i = 0; i < item; i++)
		if (
			marks.itemKind[i] === CALL &&
			marks.itemDepth[i]! < below &&
			marks.itemEnd[i]! >= pick.t1 &&
			marks.itemStart[i]! <= pick.t0
		)
			out[marks.itemDepth[i]!] = marks.markFunction[marks.itemMark[i]!]!;
	const nodes: number[] = [];
	if (mark >= 0)
		for (let at = marks.markCaller[mark]!; at >= 0; at = marks.markCaller[at]!)
			nodes.unshift(marks.markFunction[at]!);
	return [...out.filter((fn) => fn !== undefined), ...nodes];
}

/* ---- Links ---- */

export function formatPick(model: Model, pick: Pick): string {
	const order = pick.mark >= 0 && pick.item >= 0 ? pick.mark - pick.marks.itemMark[pick.item]! : -1;
	const { tid } = model.threads[pick.thread]!;
	return [tid, pick.t0, pick.t1, pick.depth, pick.kind, order].join("_");
}

/** The same in other marks; where it is not there, its time of its thread. */
export function parsePick(
	model: Model,
	text: string,
	marksOf: (thread: number) => ThreadMarks,
): Pick | null {
	const [tid, t0, t1, depth, kind, order] = text.split("_");
	const thread = model.threads.findIndex((t) => String(t.tid) === tid);
	const from = Number(t0);
	const to = Number(t1);
	if (thread < 0 || !(from >= 0) || !(to >= from)) return null;
	for (const marks of [marksOf(thread), model.whole.of(thread)])
		for (let i = 0; i < marks.itemKind.length; i++) {
			if (marks.itemStart[i] !== from || marks.itemEnd[i] !== to) continue;
			const mark = Number(order) >= 0 ? marks.itemMark[i]! + Number(order) : -1;
			const isThere =
				mark < 0 || (marks.markItem[mark] === i && marks.markDepth[mark] === Number(depth));
			const pick = pickItem(thread, marks, i, isThere ? mark : -1);
			if (isThere && pick.kind === kind) return pick;
		}
	return {
		kind: KINDS.find((known) => known === kind) ?? "idle",
		thread,
		t0: from,
		t1: Math.min(to, model.length),
		depth: Math.max(0, Number(depth) || 0),
		marks: model.whole.of(thread),
		item: -1,
		mark: -1,
	};
}

/* ---- Keys: from mark to mark, and along stacks ---- */

function lastMark(marks: ThreadMarks, item: number): number {
	return (
		(item + 1 < marks.itemMark.length ? marks.itemMark[item + 1]! : marks.markStart.length) - 1
	);
}

function pickWhole(thread: number, marks: ThreadMarks, item: number): Pick {
	const isBox = marks.itemKind[item] === EXPRESSION;
	return pickItem(thread, marks, item, isBox ? -1 : marks.itemMark[item]!);
}

/** The next (by = 1) or the one before (-1): of a node its siblings, then items; null at the ends. */
export function neighbour(pick: Pick, by: 1 | -1): Pick | null {
	const { marks, thread } = pick;
	let item = pick.item;
	if (item < 0) {
		item = marks.itemStart.findIndex((start) => start >= pick.t1);
		item = item < 0 ? marks.itemStart.length : item;
		if (by > 0) item--;
	} else if (pick.kind === "node" || pick.kind === "rest") {
		const [first, last] = [marks.itemMark[item]!, lastMark(marks, item)];
		for (let m = pick.mark + by; m >= first && m <= last; m += by)
			if (marks.markCaller[m] === marks.markCaller[pick.mark])
				return pickItem(thread, marks, item, m);
	}
	item += by;
	return item >= 0 && item < marks.itemKind.length ? pickWhole(thread, marks, item) : null;
}

/** Its first callee: of a box its first node; null where it has none. */
export function callee(pick: Pick): Pick | null {
	const { marks, thread, item } = pick;
	if (item < 0 || pick.kind === "gap") return null;
	if (marks.itemKind[item] === EXPRESSION) {
		for (let m = marks.itemMark[item]!; m <= lastMark(marks, item); m++)
			if (marks.markCaller[m] === pick.mark && m !== pick.mark)
				return pickItem(thread, marks, item, m);
		return null;
	}
	const next = item + 1;
	return next < marks.itemKind.length &&
		marks.itemDepth[next]! > marks.itemDepth[item]! &&
		marks.itemStart[next]! < pick.t1
		? pickWhole(thread, marks, next)
		: null;
}

/** What called it: of an outermost node its box, of a box the call around it. */
export function caller(pick: Pick): Pick | null {
	const { marks, thread, item, mark } = pick;
	if (item < 0) return null;
	if (marks.itemKind[item] === EXPRESSION && mark >= 0)
		return pickItem(thread, marks, item, marks.markCaller[mark]!);
	for (let i = item - 1; i >= 0; i--)
		if (marks.itemKind[i] === CALL && marks.itemDepth[i]! < marks.itemDepth[item]!)
			return marks.itemEnd[i]! >= pick.t1 ? pickWhole(thread, marks, i) : null;
	return null;
}
