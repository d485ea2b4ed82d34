// What each thread did during a span (T3): exact where lode worked it out or where no expression is
// cut by the span; else in parts, and said so.
import { CALL, GAP, type Model, NO_FUNCTION, type ThreadMarks, type WindowMarks } from "./model";

export interface Leaf {
	readonly fn: number; // NO_FUNCTION: others
	readonly ns: number;
}

export interface ThreadShare {
	readonly thread: number;
	readonly idle: number;
	readonly leaves: readonly Leaf[];
	readonly isExact: boolean;
}

export interface Meanwhile {
	readonly t0: number;
	readonly t1: number;
	readonly threads: readonly ThreadShare[];
	readonly isExact: boolean;
}

export interface GivenMeanwhile {
	readonly t0: number;
	readonly t1: number;
	readonly idle: readonly number[];
	readonly leaves: ReadonlyArray<readonly number[]>;
}

/** From a document of lode. */
export function givenMeanwhile(given: GivenMeanwhile): Meanwhile {
	const length = given.t1 - given.t0;
	return {
		t0: given.t0,
		t1: given.t1,
		isExact: true,
		threads: given.idle.map((idle, thread) => {
			const leaves: Leaf[] = [];
			const pairs = given.leaves[thread] ?? [];
			let rest = length - idle;
			for (let i = 0; i + 1 < pairs.length; i += 2) {
				leaves.push({ fn: pairs[i]!, ns: pairs[i + 1]! });
				rest -= pairs[i + 1]!;
			}
			if (rest > 0) leaves.push({ fn: NO_FUNCTION, ns: rest });
			return { thread, idle, leaves, isExact: true };
		}),
	};
}

function shareOf(thread: number, marks: ThreadMarks, t0: number, t1: number): ThreadShare {
	const leaves = new Map<number, number>();
	const add = (fn: number, ns: number) => leaves.set(fn, (leaves.get(fn) ?? 0) + ns);
	const running: number[] = []; // functions of the kept calls around, by depth
	let busy = 0;
	let isExact = true;
	for (let i = 0; i < marks.itemKind.length && marks.itemStart[i]! < t1; i++) {
		const start = marks.itemStart[i]!;
		const end = marks.itemEnd[i]!;
		const depth = marks.itemDepth[i]!;
		const fn = marks.markFunction[marks.itemMark[i]!] ?? NO_FUNCTION;
		const part = Math.min(end, t1) - Math.max(start, t0);
		const kind = marks.itemKind[i];
		if (kind === CALL) running[depth] = fn;
		if (part <= 0 || kind === GAP) continue;
		let used = part;
		if (kind === CALL) {
			add(fn, part);
		} else {
			const share = part / (end - start);
			if (share < 1) isExact = false;
			const last = i + 1 < marks.itemKind.length ? marks.itemMark[i + 1]! : marks.markStart.length;
			used = 0;
			for (let m = marks.itemMark[i]!; m < last; m++) {
				add(marks.markFunction[m]!, marks.markOwn[m]! * share);
				used += marks.markOwn[m]! * share;
			}
		}
		if (depth > 0 && running[depth - 1] !== undefined) add(running[depth - 1]!, -used);
		else busy += used;
	}
	return {
		thread,
		idle: Math.max(0, t1 - t0 - busy),
		leaves: [...leaves]
			.map(([fn, ns]) => ({ fn, ns }))
			.filter((leaf) => leaf.ns > 0)
			.sort((a, b) => b.ns - a.ns || a.fn - b.fn),
		isExact,
	};
}

/** From the marks at hand. */
export function readMeanwhile(model: Model, marks: WindowMarks, t0: number, t1: number): Meanwhile {
	const from = marks.t0 <= t0 && t1 <= marks.t1 ? marks : model.whole;
	const threads = model.threads.map((thread) => {
		const best = shareOf(thread.index, from.of(thread.index), t0, t1);
		return best.isExact || from === model.whole
			? best
			: ([best, shareOf(thread.index, model.whole.of(thread.index), t0, t1)].find(
					(s) => s.isExact,
				) ?? best);
	});
	return { t0, t1, threads, isExact: threads.every((thread) => thread.isExact) };
}

export function meanwhileOf(model: Model, marks: WindowMarks, t0: number, t1: number): Meanwhile {
	const given = model.report.meanwhile.find((m) => m.t0 === t0 && m.t1 === t1);
	return given ? givenMeanwhile(given) : readMeanwhile(model, marks, t0, t1);
}
