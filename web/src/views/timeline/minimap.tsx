// The whole trace by time, one line per thread, with what is seen framed: to see where one is, and
// to go elsewhere. All is pale but calls that took much longer than their function does.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { plural } from "../../shared/format";
import { canvasPaint } from "../../shared/paint";
import { useColors } from "../../shared/theme";
import { CALL, GAP, type Model, type ThreadInfo } from "./model";
import { makePalette } from "./palette";

const HEIGHT = 40;
/** A call is marked that took so many times the median of its function. */
const UNUSUAL = 10;

export function Minimap(props: {
	model: Model;
	hues: Int8Array;
	threads: readonly ThreadInfo[];
	span: readonly [number, number];
	/** Left of it, in pixels. */
	head: number;
	width: number;
	onSpan: (t0: number, t1: number) => void;
}) {
	const { model, width, span, onSpan } = props;
	const canvas = useRef<HTMLCanvasElement>(null);
	const drag = useRef<{ x: number; span: readonly [number, number]; grip: -1 | 0 | 1 } | null>(
		null,
	);
	const colors = useColors();
	const scale = width / model.length;
	// Callers before what they call, which made them long.
	const unusual = useMemo(
		() =>
			model.outliers
				.filter((outlier) => outlier.timesMedian >= UNUSUAL)
				.sort((a, b) => a.depth - b.depth),
		[model],
	);

	useLayoutEffect(() => {
		const element = canvas.current;
		const ratio = window.devicePixelRatio || 1;
		if (!element || width < 1) return;
		element.width = Math.round(width * ratio);
		element.height = Math.round(HEIGHT * ratio);
		const context = element.getContext("2d");
		if (!context) return;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const paint = canvasPaint(context, colors.font);
		const palette = makePalette(colors, props.hues, new Set());
		const each = HEIGHT / Math.max(1, props.threads.length);
		props.threads.forEach((thread, i) => {
			const marks = model.whole.of(thread.index);
			const bar = Math.max(1, each - (each > 2 ? 1 : 0));
			for (let k = 0; k < marks.itemKind.length; k++) {
				if (marks.itemKind[k] === GAP) continue;
				const mark = marks.itemMark[k]!;
				const fn = marks.markFunction[mark] ?? -1;
				const x = Math.min(marks.itemStart[k]! * scale, width - 1);
				const w = Math.max(1, marks.itemEnd[k]! * scale - x);
				const own =
					marks.itemKind[k] === CALL
						? marks.markOwn[mark]! / Math.max(1, marks.itemEnd[k]! - marks.itemStart[k]!)
						: 0.7;
				paint.rect(x, i * each, w, bar, palette.of(fn), 0.15 + 0.3 * Math.min(1, own || 0));
			}
		});
		const rows = new Map(props.threads.map((thread, i) => [thread.index, i]));
		for (const outlier of unusual) {
			const row = rows.get(outlier.thread);
			if (row === undefined) continue;
			const bar = Math.max(2, each - (each > 2 ? 1 : 0));
			const w = Math.max(2, outlier.duration * scale);
			paint.rect(outlier.start * scale, row * each, w, bar, palette.of(outlier.fn), 1);
			paint.rect(outlier.start * scale, row * each, w, 1, colors.text, 1);
		}
	}, [model, unusual, props.threads, props.hues, width, colors]);

	const x0 = span[0] * scale;
	const x1 = span[1] * scale;
	const isAll = span[0] <= 0 && span[1] >= model.length;
	const at = (event: PointerEvent) =>
		event.clientX - (canvas.current?.getBoundingClientRect().left ?? 0);
	const go = (from: number, to: number) => {
		const t0 = Math.max(0, Math.min(model.length - 20, Math.floor(from)));
		onSpan(t0, Math.max(t0 + 20, Math.min(model.length, Math.ceil(to))));
	};
	return (
		<div
			class="tl-minimap no-print"
			role="img"
			aria-label={`The whole trace, with the range shown below; ${plural(unusual.length, "call")} marked, at least ten times as long as usual`}
			title="The whole trace by time; marks are calls at least ten times as long as usual. Drag the frame or its edges, or click to move"
			style={{ marginLeft: `${props.head}px`, width: `${width}px`, height: `${HEIGHT}px` }}
			onPointerDown={(event) => {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				const x = at(event);
				let now = span;
				if (x < x0 - 5 || x > x1 + 5) {
					const half = (span[1] - span[0]) / 2;
					const middle = Math.max(half, Math.min(model.length - half, x / scale));
					now = [middle - half, middle + half];
					go(...now);
				}
				const grip = Math.abs(x - x0) < 6 ? -1 : Math.abs(x - x1) < 6 ? 1 : 0;
				drag.current = { x, span: now, grip };
			}}
			onPointerMove={(event) => {
				const state = drag.current;
				if (!state) return;
				const by = (at(event) - state.x) / scale;
				const [from, to] = state.span;
				if (state.grip < 0) go(Math.min(from + by, to - 20), to);
				else if (state.grip > 0) go(from, Math.max(from + 20, to + by));
				else {
					const start = Math.max(0, Math.min(model.length - (to - from), from + by));
					go(start, start + (to - from));
				}
			}}
			onPointerUp={() => {
				drag.current = null;
			}}
		>
			<canvas ref={canvas} aria-hidden="true" />
			<div class="tl-shade" style={{ left: 0, width: `${Math.max(0, x0)}px` }} />
			<div class="tl-shade" style={{ left: `${x1}px`, right: 0 }} />
			<div
				class={isAll ? "tl-frame tl-frame-all" : "tl-frame"}
				style={{ left: `${x0}px`, width: `${Math.max(3, x1 - x0)}px` }}
			/>
		</div>
	);
}
