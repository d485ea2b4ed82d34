// The timelines as pictures. Nothing is computed here but places.
//
//   ┌────────────┐  an expression: a box from its first call's start to its last one's end; in it a
//   │▇▇▇▇▇│▇▇│   │  mark per function and stack, as wide as its time, callees below callers, the
//   │▇▇▇│        │  rest folded (hatched)
//   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇  a call that is long: as it is, framed
//   ╶╶╶╶╶╶╶╶╶╶╶╶╶╶  a gap: nothing was called
//
// The darker a mark, the more of its time is its own.
import { visible } from "../../shared/format";
import type { Paint } from "../../shared/paint";
import type { Colors } from "../../shared/theme";
import { CALL, GAP, NO_FUNCTION, type ThreadMarks } from "./model";
import type { Palette } from "./palette";
import { levelTop, type Row } from "./rows";
import type { View } from "./time-axis";

const LEAST_MARK = 0.5; // px: narrower nodes are not drawn on their own
const LEAST_OUTLIER = 2;
const LABEL_FROM = 28;

export interface Scene {
	readonly view: View;
	readonly colors: Colors;
	readonly palette: Palette;
	readonly nameOf: (fn: number) => string;
}

/** What is lit is seen, however little of its time is its own. */
function opacityOf(own: number, total: number, isHighlighted: boolean): number {
	const share = total > 0 && !Number.isNaN(own) ? Math.min(1, Math.max(0, own / total)) : 0;
	return Math.max(isHighlighted ? 0.6 : 0.16, 0.16 + 0.84 * Math.sqrt(share));
}

function label(
	paint: Paint,
	scene: Scene,
	row: Row,
	x: number,
	y: number,
	w: number,
	fn: number,
	strong: boolean,
) {
	const size = row.level >= 15 ? 11 : 9;
	if (w < LABEL_FROM || row.level < 11) return;
	const from = Math.max(0, x);
	const room = Math.min(x + w, scene.view.width) - from - 6;
	if (room < LABEL_FROM - 6) return;
	paint.text(from + 3, y + (row.level - 1) / 2, scene.nameOf(fn), {
		fill: strong ? scene.colors.bg : scene.colors.text,
		size,
		baseline: "middle",
		maxWidth: room,
	});
}

function drawGap(paint: Paint, scene: Scene, x0: number, x1: number, y: number) {
	if (x1 - x0 < 3) return;
	paint.line(
		x0 + 1,
		Math.round(y) + 0.5,
		x1 - 1,
		Math.round(y) + 0.5,
		scene.colors.faint,
		1,
		[1, 3],
	);
}

function hatch(paint: Paint, colors: Colors, x: number, y: number, w: number, h: number) {
	paint.rect(x, y, w, h, colors.faint, 0.18);
	if (w < 5 || h < 4) return;
	paint.clip(x, y, w, h, () => {
		for (let at = x - h; at < x + w; at += 4) paint.line(at, y + h, at + h, y, colors.faint, 0.7);
	});
}

/** One thread; `y` is the row's top in the picture. */
export function drawThread(paint: Paint, scene: Scene, row: Row, marks: ThreadMarks, y: number) {
	const { view } = scene;
	const bar = row.level > 5 ? row.level - 1 : row.level;
	const { itemKind, itemStart, itemEnd, itemDepth, itemMark } = marks;
	const n = itemKind.length;
	for (let i = 0; i < n; i++) {
		if (itemEnd[i]! < view.t0 || itemStart[i]! > view.t1) continue;
		const x0 = Math.round(view.x(Math.max(itemStart[i]!, view.t0)));
		const x1 = Math.round(view.x(Math.min(itemEnd[i]!, view.t1)));
		const top = y + levelTop(row, itemDepth[i]!);
		if (itemKind[i] === GAP) {
			drawGap(paint, scene, x0, x1, top + bar / 2);
		} else if (itemKind[i] === CALL) {
			drawCall(paint, scene, row, marks, i, x0, x1, top, bar);
		} else {
			const last = i + 1 < n ? itemMark[i + 1]! : marks.markStart.length;
			drawExpression(paint, scene, row, marks, i, last, x0, x1, y, bar);
		}
	}
}

function drawCall(
	paint: Paint,
	scene: Scene,
	row: Row,
	marks: ThreadMarks,
	i: number,
	x0: number,
	x1: number,
	top: number,
	bar: number,
) {
	const { colors, palette } = scene;
	const mark = marks.itemMark[i]!;
	const fn = marks.markFunction[mark]!;
	const duration = marks.itemEnd[i]! - marks.itemStart[i]!;
	const isOutlier = duration > row.thread.longCall;
	const isLit = palette.isLit(fn);
	const w = Math.max(isOutlier ? LEAST_OUTLIER : LEAST_MARK, x1 - x0);
	const opacity = opacityOf(marks.markOwn[mark]!, duration, isLit && palette.isHighlighting);
	paint.rect(x0, top, w, bar, isLit ? palette.of(fn) : colors.line, isLit ? opacity : 0.45);
	if (isOutlier && w > 3 && bar > 6 && isLit) paint.frame(x0, top, w, bar, colors.text, 1);
	if (isLit) label(paint, scene, row, x0, top, w, fn, opacity > 0.75);
}

function drawExpression(
	paint: Paint,
	scene: Scene,
	row: Row,
	marks: ThreadMarks,
	i: number,
	last: number,
	x0: number,
	x1: number,
	y: number,
	bar: number,
) {
	const { view, colors, palette } = scene;
	const first = marks.itemMark[i]!;
	const scale = (x1 - x0) / Math.max(1, marks.itemEnd[i]! - marks.itemStart[i]!);
	let deepest = marks.itemDepth[i]!;
	for (let m = first; m < last; m++) {
		const depth = marks.markDepth[m]!;
		// As deep as there is something to see.
		if (depth > deepest && (marks.markEnd[m]! - marks.markStart[m]!) * scale >= LEAST_MARK)
			deepest = depth;
	}
	const top = y + levelTop(row, marks.itemDepth[i]!);
	const height = (deepest - marks.itemDepth[i]! + 1) * row.level - (row.level > 5 ? 1 : 0);
	const width = Math.max(1, x1 - x0);
	paint.rect(x0, top, width, height, colors.raised);
	// Marks that are too narrow each stand together, as one run per level.
	const runFrom: number[] = [];
	const runTo: number[] = [];
	const flush = (depth: number) => {
		const from = runFrom[depth];
		const to = runTo[depth]!;
		if (from === undefined) return;
		delete runFrom[depth];
		if (to - from > 0.3)
			paint.rect(
				from,
				y + levelTop(row, depth),
				Math.max(LEAST_MARK, to - from),
				bar,
				colors.faint,
				0.4,
			);
	};
	for (let m = first; m < last; m++) {
		if (marks.markEnd[m]! < view.t0 || marks.markStart[m]! > view.t1) continue;
		const fn = marks.markFunction[m]!;
		const depth = marks.markDepth[m]!;
		const from = view.x(Math.max(marks.markStart[m]!, view.t0));
		const to = view.x(Math.min(marks.markEnd[m]!, view.t1));
		const w = to - from;
		const isLit = fn !== NO_FUNCTION && palette.isLit(fn);
		if (w < LEAST_MARK && !(isLit && palette.isHighlighting)) {
			if (runFrom[depth] === undefined || from - runTo[depth]! > 0.6) {
				flush(depth);
				runFrom[depth] = from;
			}
			runTo[depth] = to;
			continue;
		}
		const at = y + levelTop(row, depth);
		if (fn === NO_FUNCTION) {
			hatch(paint, colors, from, at, w, bar);
			continue;
		}
		const opacity = opacityOf(
			marks.markOwn[m]!,
			marks.markEnd[m]! - marks.markStart[m]!,
			isLit && palette.isHighlighting,
		);
		const shown = w > 3 ? w - 0.5 : Math.max(w, isLit && palette.isHighlighting ? 1 : 0);
		paint.rect(from, at, shown, bar, isLit ? palette.of(fn) : colors.line, isLit ? opacity : 0.45);
		if (isLit) label(paint, scene, row, from, at, w, fn, opacity > 0.75);
	}
	for (let depth = 0; depth < runFrom.length; depth++) flush(depth);
	if (width > 4 && height > 5) paint.frame(x0, top, width, height, colors.faint, 1);
}

export function markLabel(names: readonly { name: string }[], fn: number): string {
	return fn === NO_FUNCTION ? "" : visible(names[fn]?.name ?? "");
}
