// Where each thread stands: one row below the other, as high as its stacks are deep.
import type { Model, ThreadInfo } from "./model";
import { ANY_DEPTH } from "./pick";

export interface Row {
	readonly thread: ThreadInfo;
	readonly y: number;
	readonly height: number;
	/** Of one level of calls. */
	readonly level: number;
	readonly isOpen: boolean;
	/** One band: at each time what was innermost. */
	readonly isFlat: boolean;
}

/** How threads are shown: as stacks, or, where these do not fit, as one band each. */
export type RowStyle = "stacks" | "leaves";

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
const MIN_ROW = 24; // a head is a target
const LEAST_LEVEL = 3;
const SCROLLED_LEVEL = 6; // where it does not fit, it may as well be seen

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

/** Of one level, that all rows fit into `room` pixels, if they can. */
function levelIn(model: Model, threads: readonly ThreadInfo[], room: number): number {
	let level = OPEN_LEVEL;
	const height = () =>
		threads.reduce((sum, t) => sum + Math.max(MIN_ROW, levels(model, t) * level + 2 * PAD), 0);
	while (level > LEAST_LEVEL && height() > room) level--;
	return height() <= room ? level : 0;
}

/** `style`: undefined: stacks when they fit into `room` pixels. */
export function layoutRows(
	model: Model,
	threads: readonly ThreadInfo[],
	open: ReadonlySet<number>,
	room: number,
	style?: RowStyle,
): { rows: Row[]; height: number; style: RowStyle } {
	const fits = style === "leaves" ? 0 : levelIn(model, threads, room);
	const shown = style ?? (fits || threads.length < 2 ? "stacks" : "leaves");
	const level = fits || SCROLLED_LEVEL;
	const flat = Math.max(MIN_ROW, Math.min(26, Math.floor(room / Math.max(1, threads.length))));
	const rows: Row[] = [];
	let y = 0;
	for (const thread of threads) {
		const isOpen = open.has(thread.index);
		const isFlat = shown === "leaves" && !isOpen;
		const each = isOpen ? OPEN_LEVEL : level;
		const height = isFlat ? flat : Math.max(MIN_ROW, levels(model, thread) * each + 2 * PAD);
		rows.push({ thread, y, height, level: isFlat ? flat - 4 : each, isOpen, isFlat });
		y += height;
	}
	return { rows, height: y, style: shown };
}

export function rowAt(rows: readonly Row[], y: number): Row | undefined {
	return rows.find((row) => y >= row.y && y < row.y + row.height);
}

/** The level of a place in a row; ANY_DEPTH where it has one for all. */
export function depthAt(row: Row, y: number): number {
	return row.isFlat ? ANY_DEPTH : Math.max(0, Math.floor((y - row.y - PAD) / row.level));
}

/** Top of a level in its row. */
export function levelTop(row: Row, depth: number): number {
	return row.isFlat ? 2 : PAD + depth * row.level;
}
