// Where each thread stands: one row below the other, as high as its stacks are deep.
import type { Model, ThreadInfo } from "./model";

export interface Row {
	readonly thread: ThreadInfo;
	readonly y: number;
	readonly height: number;
	/** Of one level of calls. */
	readonly level: number;
	readonly isOpen: boolean;
}

export type SortKey = "trace" | "name" | "calls" | "outliers" | "idle" | "start";

export const SORTS: ReadonlyArray<readonly [SortKey, string]> = [
	["trace", "by thread id"],
	["name", "by name"],
	["start", "by start"],
	["outliers", "by longest call"],
	["calls", "by calls"],
	["idle", "by idle time"],
];

const PAD = 3;
const OPEN_LEVEL = 18;
const MIN_ROW = 22;

const orders: Record<SortKey, (a: ThreadInfo, b: ThreadInfo) => number> = {
	trace: (a, b) => a.index - b.index,
	name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.index - b.index),
	calls: (a, b) => b.calls - a.calls || a.index - b.index,
	outliers: (a, b) => b.longest - a.longest || a.index - b.index,
	idle: (a, b) => b.idle - a.idle || a.index - b.index,
	start: (a, b) => a.first - b.first || a.index - b.index,
};

export function sortThreads(threads: readonly ThreadInfo[], key: SortKey): ThreadInfo[] {
	return [...threads].sort(orders[key]);
}

/** Levels that a thread's row has. */
export function levels(model: Model, thread: ThreadInfo): number {
	return model.whole.of(thread.index).maxDepth + 1;
}

/** `room`: pixels that all rows should fit into, if they can. */
export function layoutRows(
	model: Model,
	threads: readonly ThreadInfo[],
	open: ReadonlySet<number>,
	room: number,
): { rows: Row[]; height: number } {
	const total = threads.reduce((sum, thread) => sum + levels(model, thread), 0);
	const level = Math.max(
		3,
		Math.min(18, Math.floor((room - threads.length * 2 * PAD) / Math.max(1, total))),
	);
	const rows: Row[] = [];
	let y = 0;
	for (const thread of threads) {
		const isOpen = open.has(thread.index);
		const height = isOpen ? OPEN_LEVEL : level;
		const rowHeight = Math.max(MIN_ROW, levels(model, thread) * height + 2 * PAD);
		rows.push({ thread, y, height: rowHeight, level: height, isOpen });
		y += rowHeight;
	}
	return { rows, height: y };
}

export function rowAt(rows: readonly Row[], y: number): Row | undefined {
	return rows.find((row) => y >= row.y && y < row.y + row.height);
}

/** Top of a level in its row. */
export function levelTop(row: Row, depth: number): number {
	return PAD + depth * row.level;
}
