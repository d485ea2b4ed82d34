// The timelines as pictures. Nothing is computed here but places.
//
//   ┌────────────┐  an expression: a box from its first call's start to its last one's end; in it a
//   │▇▇▇▇▇│▇▇│   │  mark per function and stack, as wide as its time, callees below callers, the
//   │▇▇▇│        │  rest folded (hatched)
//   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇  a call that is long: as it is, framed
//   ╶╶╶╶╶╶╶╶╶╶╶╶╶╶  a gap, on a pale ground: no call
//
// The darker a mark, the more of its time is its own. A row of one band has the same marks, all of
// them as high as the row, callees over callers: what is seen at each time is innermost. There, what
// is highlighted comes last, so that it is seen with its callees.
import type { Paint } from "../../shared/paint";
import type { Colors } from "../../shared/theme";
import { CALL, GAP, NO_FUNCTION, type ThreadMarks } from "./model";
import { type Palette, readableOn } from "./palette";
import { levelTop, type Row } from "./rows";
import type { View } from "./time-axis";

const LEAST_MARK = 0.5; // px: narrower nodes are not drawn on their own
const LEAST_CALL = 1;
const LEAST_OUTLIER = 2;
const LABEL_FROM = 28;

export interface Scene {
	readonly view: View;
	readonly colors: Colors;
	readonly palette: Palette;
	readonly nameOf: (fn: number) => string;
}

/** What is drawn: all; or, where marks stand on each other, what is not lit, then what is. */
type Pass = "all" | "ground" | "lit";

interface Brush {
	readonly paint: Paint;
	readonly scene: Scene;
	readonly row: Row;
	readonly marks: ThreadMarks;
	/** The row's top in the picture. */
	readonly y: number;
	/** Height of a mark. */
	readonly bar: number;
	readonly pass: Pass;
}

/** What is lit is seen, however little of its time is its own. */
function opacityOf(brush: Brush, mark: number, total: number, isLit: boolean): number {
	if (!isLit) return 0.45;
	if (brush.row.isFlat) return 1;
	const own = brush.marks.markOwn[mark]!;
	const share = total > 0 && !Number.isNaN(own) ? Math.min(1, Math.max(0, own / total)) : 0;
	const least = brush.scene.palette.isHighlighting ? 0.6 : 0.16;
	return Math.max(least, 0.16 + 0.84 * Math.sqrt(share));
}

function label(
	brush: Brush,
	x: number,
	y: number,
	w: number,
	fn: number,
	fill: string,
	opacity: number,
) {
	const { paint, scene, row } = brush;
	const size = row.level >= 15 ? 11 : 9;
	if (w < LABEL_FROM || row.level < 11) return;
	const from = Math.max(0, x);
	const room = Math.min(x + w, scene.view.width) - from - 6;
	if (room < LABEL_FROM - 6) return;
	paint.text(from + 3, y + (row.level - 1) / 2, scene.nameOf(fn), {
		fill: readableOn(scene.colors, fill, opacity),
		size,
		baseline: "middle",
		maxWidth: room,
	});
}

/** Idle time is pale, so that what stands out is what was done. */
function drawGap({ paint, scene, bar }: Brush, x0: number, x1: number, top: number) {
	const y = top + bar / 2;
	if (x1 - x0 < 3) return;
	paint.rect(x0, top, x1 - x0, bar, scene.colors.grid, 0.6);
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
	const bar = row.level > 5 && !row.isFlat ? row.level - 1 : row.level;
	const passes: Pass[] = row.isFlat && scene.palette.isHighlighting ? ["ground", "lit"] : ["all"];
	for (const pass of passes) drawItems({ paint, scene, row, marks, y, bar, pass });
}

function drawItems(brush: Brush) {
	const { scene, row, marks, y } = brush;
	const { view } = scene;
	const { itemKind, itemStart, itemEnd, itemDepth, itemMark } = marks;
	const n = itemKind.length;
	for (let i = 0; i < n; i++) {
		if (itemEnd[i]! < view.t0 || itemStart[i]! > view.t1) continue;
		// What is at the very end is on the last pixel.
		const x0 = Math.min(
			Math.round(view.x(Math.max(itemStart[i]!, view.t0))),
			Math.floor(view.width) - LEAST_OUTLIER,
		);
		const x1 = Math.round(view.x(Math.min(itemEnd[i]!, view.t1)));
		const top = y + levelTop(row, itemDepth[i]!);
		if (itemKind[i] === GAP) {
			// Between callees it is their caller's own time, which stands there already.
			if (brush.pass !== "lit" && !(row.isFlat && itemDepth[i]!)) drawGap(brush, x0, x1, top);
		} else if (itemKind[i] === CALL) {
			drawCall(brush, i, x0, x1, top);
		} else {
			drawExpression(brush, i, i + 1 < n ? itemMark[i + 1]! : marks.markStart.length, x0, x1);
		}
	}
}

function drawCall(brush: Brush, i: number, x0: number, x1: number, top: number) {
	const { paint, scene, row, marks, bar, pass } = brush;
	const { colors, palette } = scene;
	const mark = marks.itemMark[i]!;
	const fn = marks.markFunction[mark]!;
	const isLit = pass !== "ground" && palette.isLit(fn);
	if (pass === "lit" && !isLit) return;
	const duration = marks.itemEnd[i]! - marks.itemStart[i]!;
	const isOutlier = duration > row.thread.longCall;
	const w = Math.max(isOutlier ? LEAST_OUTLIER : LEAST_CALL, x1 - x0);
	const opacity = opacityOf(brush, mark, duration, isLit);
	const fill = isLit ? palette.of(fn) : colors.line;
	paint.rect(x0, top, w, bar, fill, opacity);
	if (isOutlier && w > 3 && bar > 6 && isLit) paint.frame(x0, top, w, bar, colors.text, 1);
	// On a band, callees would stand on it.
	if (isLit && !(row.isFlat && marks.markOwn[mark]! < duration / 2))
		label(brush, x0, top, w, fn, fill, opacity);
}

/** How deep an expression is where there is something to see. */
function deepestSeen(marks: ThreadMarks, item: number, last: number, scale: number): number {
	let deepest = marks.itemDepth[item]!;
	for (let m = marks.itemMark[item]!; m < last; m++)
		if (
			marks.markDepth[m]! > deepest &&
			(marks.markEnd[m]! - marks.markStart[m]!) * scale >= LEAST_MARK
		)
			deepest = marks.markDepth[m]!;
	return deepest;
}

function drawExpression(brush: Brush, i: number, last: number, x0: number, x1: number) {
	const { paint, scene, row, marks, y, bar, pass } = brush;
	const { view, colors } = scene;
	const depth = marks.itemDepth[i]!;
	const scale = (x1 - x0) / Math.max(1, marks.itemEnd[i]! - marks.itemStart[i]!);
	const deepest = row.isFlat ? depth : deepestSeen(marks, i, last, scale);
	const top = y + levelTop(row, depth);
	const height = (deepest - depth) * row.level + bar;
	const width = Math.max(1, x1 - x0);
	// Less than a pixel of calls, among hours of nothing, is seen all the same; what is empty of a
	// box on a band is its caller's own time.
	if (view.x(marks.itemEnd[i]!) - view.x(marks.itemStart[i]!) < LEAST_MARK && pass !== "lit")
		paint.rect(x0, top, LEAST_OUTLIER, bar, colors.quiet);
	else if (pass !== "lit" && !(row.isFlat && depth))
		paint.rect(x0, top, width, height, colors.raised);
	const runs = new Runs(brush);
	for (let m = marks.itemMark[i]!; m < last; m++) {
		if (marks.markEnd[m]! < view.t0 || marks.markStart[m]! > view.t1) continue;
		drawNode(brush, m, runs);
	}
	runs.end();
	if (pass !== "lit" && width > 4 && height > 5)
		paint.frame(x0, top, width, height, colors.faint, 1);
}

function drawNode(brush: Brush, m: number, runs: Runs) {
	const { paint, scene, row, marks, y, bar, pass } = brush;
	const { view, colors, palette } = scene;
	const fn = marks.markFunction[m]!;
	const isLit = pass !== "ground" && fn !== NO_FUNCTION && palette.isLit(fn);
	if (pass === "lit" && !isLit) return;
	const from = view.x(Math.max(marks.markStart[m]!, view.t0));
	const w = view.x(Math.min(marks.markEnd[m]!, view.t1)) - from;
	const isWanted = isLit && palette.isHighlighting;
	if (w < LEAST_MARK && !isWanted) {
		if (!row.isFlat || marks.markCaller[m]! < 0) runs.add(marks.markDepth[m]!, from, from + w);
		return;
	}
	const at = y + levelTop(row, marks.markDepth[m]!);
	if (fn === NO_FUNCTION) {
		hatch(paint, colors, from, at, w, bar);
		return;
	}
	const opacity = opacityOf(brush, m, marks.markEnd[m]! - marks.markStart[m]!, isLit);
	const fill = isLit ? palette.of(fn) : colors.line;
	const shown = w > 3 ? w - 0.5 : Math.max(w, isWanted ? 1 : 0);
	paint.rect(from, at, shown, bar, fill, opacity);
	if (isLit && w >= LABEL_FROM && !(row.isFlat && hasCallees(marks, m)))
		label(brush, from, at, w, fn, fill, opacity);
}

function hasCallees(marks: ThreadMarks, m: number): boolean {
	return marks.markOwn[m]! < (marks.markEnd[m]! - marks.markStart[m]!) / 2;
}

/** Marks that are too narrow each stand together, as one run per level. */
class Runs {
	readonly #brush: Brush;
	readonly #from: Array<number | undefined> = [];
	readonly #to: number[] = [];

	constructor(brush: Brush) {
		this.#brush = brush;
	}

	add(depth: number, from: number, to: number) {
		if (this.#from[depth] === undefined || from - this.#to[depth]! > 0.6) {
			this.#draw(depth);
			this.#from[depth] = from;
		}
		this.#to[depth] = to;
	}

	#draw(depth: number) {
		const from = this.#from[depth];
		const width = this.#to[depth]! - (from ?? 0);
		this.#from[depth] = undefined;
		if (from === undefined || width <= 0.3) return;
		const { paint, scene, row, y, bar } = this.#brush;
		const top = y + levelTop(row, depth);
		paint.rect(from, top, Math.max(LEAST_MARK, width), bar, scene.colors.faint, 0.4);
	}

	end() {
		for (let depth = 0; depth < this.#from.length; depth++) this.#draw(depth);
	}
}
