// The whole picture of timelines: rows on a canvas, on an SVG, and what follows the pointer.
import { duration, visible } from "../../shared/format";
import type { Paint } from "../../shared/paint";
import { sinceText, timeTicks } from "../../shared/scales";
import type { Colors } from "../../shared/theme";
import { drawThread, type Scene } from "./draw";
import type { ThreadInfo, WindowMarks } from "./model";
import type { Pick } from "./pick";
import { levelTop, type Row } from "./rows";
import type { View } from "./time-axis";

export function threadTitle(thread: ThreadInfo): string {
	return thread.name ? `${visible(thread.name)} ${thread.tid}` : `thread ${thread.tid}`;
}

export function stepOf(values: readonly number[], span: number): number {
	return values.length > 1 ? values[1]! - values[0]! : span;
}

/** Vertical rules at round times: on the readable axis, only where there is room. */
export function timeRules(view: View, most: number): Array<{ t: number; x: number }> {
	const out: Array<{ t: number; x: number }> = [];
	let free = Number.NEGATIVE_INFINITY;
	for (const t of timeTicks([view.t0, view.t1], most)) {
		const x = view.x(t);
		if (x < free) continue;
		out.push({ t, x });
		free = x + 12;
	}
	return out;
}

/** Rows [y, y + height) of all of them, onto a picture whose top is `y`. */
export function drawRows(
	paint: Paint,
	scene: Scene,
	rows: readonly Row[],
	marks: WindowMarks,
	y: number,
	height: number,
) {
	const { view, colors } = scene;
	for (const { x } of timeRules(view, Math.max(2, Math.floor(view.width / 110))))
		paint.line(Math.round(x) + 0.5, 0, Math.round(x) + 0.5, height, colors.grid);
	for (const row of rows) {
		const top = row.y - y;
		if (top + row.height <= 0 || top >= height) continue;
		paint.clip(0, Math.max(0, top), view.width, row.height, () =>
			drawThread(paint, scene, row, marks.of(row.thread.index), top),
		);
		paint.line(0, top + row.height - 0.5, view.width, top + row.height - 0.5, colors.line);
	}
}

/** The time that a mark means, over all threads, and the mark itself. */
export function drawBand(
	paint: Paint,
	scene: Scene,
	pick: Pick,
	rows: readonly Row[],
	y: number,
	height: number,
	isSelection: boolean,
) {
	const { view, colors } = scene;
	const x0 = Math.max(-2, view.x(Math.max(pick.t0, view.t0 - 1)));
	const x1 = Math.min(view.width + 2, view.x(Math.min(pick.t1, view.t1 + 1)));
	if (x1 < 0 || x0 > view.width) return;
	const width = Math.max(1, x1 - x0);
	if (isSelection) {
		// What is outside of it steps back, so that colours inside stay true.
		paint.rect(0, 0, Math.max(0, x0), height, colors.bg, 0.5);
		paint.rect(x0 + width, 0, Math.max(0, view.width - x0 - width), height, colors.bg, 0.5);
	} else paint.rect(x0, 0, width, height, colors.good, 0.09);
	const edge = isSelection ? colors.accent : colors.good;
	for (const x of [x0, x0 + width]) {
		const at = Math.round(x) + 0.5;
		paint.line(at, 0, at, height, edge, isSelection ? 1.5 : 1);
	}
	const row = rows.find((r) => r.thread.index === pick.thread);
	if (!row) return;
	const box = markBox(pick, row, view);
	const top = row.y - y + box.y;
	paint.frame(box.x - 1, top - 1, box.w + 2, box.h + 1, edge, 2);
}

function markBox(pick: Pick, row: Row, view: View): { x: number; y: number; w: number; h: number } {
	const { marks, mark, item } = pick;
	let from = pick.t0;
	let to = pick.t1;
	let h = row.level;
	if (row.isFlat) {
		from = mark >= 0 ? marks.markStart[mark]! : from;
		to = mark >= 0 ? marks.markEnd[mark]! : to;
	} else if (mark >= 0) {
		from = marks.markStart[mark]!;
		to = marks.markEnd[mark]!;
	} else if (item >= 0) {
		const last =
			item + 1 < marks.itemMark.length ? marks.itemMark[item + 1]! : marks.markStart.length;
		let deepest = pick.depth;
		for (let m = marks.itemMark[item]!; m < last; m++)
			deepest = Math.max(deepest, marks.markDepth[m]!);
		h = (deepest - pick.depth + 1) * row.level;
	} else h = row.height - 6;
	const x = Math.max(-3, view.x(Math.max(from, view.t0 - 1)));
	const end = Math.min(view.width + 3, view.x(Math.min(to, view.t1 + 1)));
	return { x, y: levelTop(row, pick.depth), w: Math.max(2, end - x), h };
}

/** How long the marked time is, at its top. */
export function drawBandLabel(
	paint: Paint,
	colors: Colors,
	view: View,
	t0: number,
	t1: number,
	y: number,
	isSelection: boolean,
) {
	const text = duration(t1 - t0);
	const w = paint.measure(text, 12, 600) + 10;
	const middle = (Math.max(0, view.x(t0)) + Math.min(view.width, view.x(t1))) / 2;
	const x = Math.max(0, Math.min(view.width - w, middle - w / 2));
	paint.rect(x, y, w, 16, isSelection ? colors.accent : colors.good);
	paint.text(x + 5, y + 8, text, { fill: colors.bg, size: 12, weight: 600, baseline: "middle" });
}

const RULER = 22;
const STRIP = 26;

export function rulerHeight(isReadable: boolean): number {
	return isReadable ? 2 * RULER + STRIP : RULER;
}

function ticksOn(
	paint: Paint,
	colors: Colors,
	at: number,
	marks: ReadonlyArray<{ t: number; x: number }>,
	step: number,
	width: number,
) {
	let free = Number.NEGATIVE_INFINITY;
	for (const { t, x } of marks) {
		const text = sinceText(t, step);
		const half = paint.measure(text, 12) / 2;
		const middle = Math.max(half, Math.min(width - half, x));
		if (middle - half < free) continue;
		free = middle + half + 14;
		paint.text(middle, at + 9, text, {
			fill: colors.quiet,
			size: 12,
			anchor: "middle",
			baseline: "middle",
		});
		paint.line(Math.round(x) + 0.5, at + RULER - 4, Math.round(x) + 0.5, at + RULER, colors.faint);
	}
}

/**
 * Time above the rows. On the readable axis both: time as it passes at the top, where it stands
 * below, and the strip between them that leads from one to the other; darker where time has more
 * room than it takes.
 */
export function drawRuler(paint: Paint, colors: Colors, view: View, linear: View) {
	const most = Math.max(2, Math.floor(view.width / 90));
	const marks = timeTicks([view.t0, view.t1], most);
	const step = stepOf(marks, view.t1 - view.t0);
	if (view.axis.kind === "linear") {
		ticksOn(
			paint,
			colors,
			0,
			marks.map((t) => ({ t, x: view.x(t) })),
			step,
			view.width,
		);
		return;
	}
	ticksOn(
		paint,
		colors,
		0,
		marks.map((t) => ({ t, x: linear.x(t) })),
		step,
		view.width,
	);
	const parts = 96;
	let from = view.t0;
	for (let i = 1; i <= parts; i++) {
		const to = view.t0 + ((view.t1 - view.t0) * i) / parts;
		const a = linear.x(from);
		const b = linear.x(to);
		const c = view.x(from);
		const d = view.x(to);
		const growth = Math.log2(Math.max(1e-3, d - c) / Math.max(1e-3, b - a));
		const opacity = growth > 0 ? Math.min(0.55, 0.1 + growth * 0.12) : 0.05;
		paint.polygon([a, RULER, b, RULER, d, RULER + STRIP, c, RULER + STRIP], colors.accent, opacity);
		from = to;
	}
	for (const t of marks) {
		paint.line(linear.x(t), RULER, view.x(t), RULER + STRIP, colors.accent, 1);
	}
	const fine = timeTicks([view.t0, view.t1], most * 4);
	ticksOn(
		paint,
		colors,
		RULER + STRIP,
		fine.map((t) => ({ t, x: view.x(t) })),
		stepOf(fine, step),
		view.width,
	);
}
