// Rows of threads on a canvas: pointer, wheel, drag and keys.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { visible } from "../../shared/format";
import { canvasPaint } from "../../shared/paint";
import { useWidth } from "../../shared/picture";
import { type Shortcut, TIME_KEYS, timeKey, useShortcuts } from "../../shared/shortcuts";
import { useColors } from "../../shared/theme";
import { setTooltip } from "../../shared/tooltip";
import type { Scene } from "./draw";
import { Minimap } from "./minimap";
import type { Model, ThreadInfo } from "./model";
import { makePalette } from "./palette";
import {
	ANY_DEPTH,
	callee,
	caller,
	formatPick,
	neighbour,
	type Pick,
	pickAt,
	pickMark,
} from "./pick";
import { RowHead } from "./row-head";
import { depthAt, type Row, rowAt } from "./rows";
import { Ruler } from "./ruler";
import { drawBand, drawBandLabel, drawRows, drawRuler, rulerHeight } from "./scene";
import { type AxisKind, timeAxis, View } from "./time-axis";
import { PickTip } from "./tip";
import type { Detail } from "./windows";

/** Names of threads, left of their rows: narrower where there is hardly room for the rows. */
const headOf = (full: number) => (full < 640 ? 104 : 176);
const KEYS: readonly Shortcut[] = [
	...TIME_KEYS,
	["← →", "earlier and later"],
	["Home", "the whole trace"],
	["↑ ↓", "other threads, at the same time"],
	["Shift ← →", "previous and next mark"],
	["Shift ↑ ↓", "caller and callee"],
	["Z", "zoom to the selection"],
	["Enter", "show details"],
	["Esc", "deselect"],
];
const LEAST_ROOM = 320;
const DOUBLE_MS = 500; // two clicks within it are one double click

export interface ChartProps {
	model: Model;
	hues: Int8Array;
	threads: readonly ThreadInfo[];
	span: readonly [number, number];
	axis: AxisKind;
	detail: Detail;
	highlighted: ReadonlySet<number>;
	chosen: ReadonlySet<number>;
	selection: Pick | null;
	/** How the rows are laid out; they are told the room that there is. */
	rows: readonly Row[];
	height: number;
	onRoom: (pixels: number) => void;
	/** How much is seen, and how exactly. */
	words: string;
	/** A step is an entry of the history at once. */
	onSpan: (t0: number, t1: number, isStep?: boolean) => void;
	onSelect: (pick: Pick | null, isWalk?: boolean) => void;
	onOpen: (thread: number) => void;
	onChoose: (threads: readonly number[], isChosen: boolean) => void;
	onThread: (thread: number) => void;
}

function context(canvas: HTMLCanvasElement | null, width: number, height: number) {
	if (!canvas || width < 1 || height < 1) return null;
	const scale = window.devicePixelRatio || 1;
	const w = Math.round(width * scale);
	const h = Math.round(height * scale);
	if (canvas.width !== w) canvas.width = w;
	if (canvas.height !== h) canvas.height = h;
	const result = canvas.getContext("2d");
	result?.setTransform(scale, 0, 0, scale, 0, 0);
	result?.clearRect(0, 0, width, height);
	return result;
}

export function Chart(props: ChartProps) {
	const { model, span, detail, selection, rows, height } = props;
	const colors = useColors();
	useShortcuts("Timeline", KEYS);
	const { ref: box, width: full } = useWidth<HTMLDivElement>();
	const scroller = useRef<HTMLDivElement>(null);
	const base = useRef<HTMLCanvasElement>(null);
	const over = useRef<HTMLCanvasElement>(null);
	const ruler = useRef<HTMLCanvasElement>(null);
	const [top, setTop] = useState(0);
	const [room, setRoom] = useState(LEAST_ROOM);
	const hover = useRef<Pick | null>(null);
	const drag = useRef<{ x: number; span: readonly [number, number]; moved: boolean } | null>(null);
	const lastChosen = useRef(-1);
	const clicked = useRef(0);
	const head = headOf(full);
	const width = Math.max(0, full - head - 14);

	const axis = useMemo(() => timeAxis(model.report, props.axis), [model, props.axis]);
	const straight = useMemo(() => timeAxis(model.report, "linear"), [model]);
	const view = useMemo(
		() => new View(axis, span[0], span[1], width),
		[axis, span[0], span[1], width],
	);
	const linear = useMemo(
		() => new View(straight, span[0], span[1], width),
		[straight, span[0], span[1], width],
	);
	const shown = Math.min(room, Math.max(height, 60));
	const scene: Scene = useMemo(
		() => ({
			view,
			colors,
			palette: makePalette(colors, props.hues, props.highlighted),
			nameOf: (fn) => visible(model.functions[fn]?.name ?? ""),
		}),
		[view, colors, props.hues, props.highlighted, model],
	);

	useLayoutEffect(() => {
		const measure = () => {
			const at = (box.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
			const free = window.innerHeight - at - rulerHeight(props.axis === "readable") - 72;
			setRoom(Math.max(LEAST_ROOM, free));
			props.onRoom(Math.max(LEAST_ROOM, free));
		};
		measure();
		window.addEventListener("resize", measure);
		return () => window.removeEventListener("resize", measure);
	}, [props.axis]);

	useLayoutEffect(() => {
		const c = context(base.current, width, shown);
		if (!c) return;
		drawRows(canvasPaint(c, colors.font), scene, rows, detail.marks, top, shown);
		performance.mark("lode-timeline-drawn");
	}, [scene, rows, detail.marks, top, width, shown]);

	useLayoutEffect(() => {
		const c = context(ruler.current, width, rulerHeight(props.axis === "readable"));
		if (c) drawRuler(canvasPaint(c, colors.font), colors, view, linear);
	}, [view, linear, colors, width, props.axis]);

	const drawOverlay = () => {
		const c = context(over.current, width, shown);
		if (!c) return;
		const paint = canvasPaint(c, colors.font);
		if (selection) drawBand(paint, scene, selection, rows, top, shown, true);
		const pick = hover.current;
		if (pick) {
			drawBand(paint, scene, pick, rows, top, shown, false);
			drawBandLabel(paint, colors, view, pick.t0, pick.t1, 0, false);
		} else if (selection) drawBandLabel(paint, colors, view, selection.t0, selection.t1, 0, true);
	};
	useLayoutEffect(drawOverlay);
	useEffect(() => () => setTooltip(null), []);

	/** A selection that the keys moved to is brought into sight. */
	useLayoutEffect(() => {
		const row = selection && rows.find((r) => r.thread.index === selection.thread);
		const element = scroller.current;
		if (!row || !element) return;
		if (row.y < element.scrollTop) element.scrollTop = row.y;
		else if (row.y + row.height > element.scrollTop + shown)
			element.scrollTop = row.y + row.height - shown;
	}, [selection, rows]);

	const find = (event: MouseEvent): { pick: Pick; x: number; row: Row } | null => {
		const place = over.current!.getBoundingClientRect();
		const x = event.clientX - place.left;
		const y = event.clientY - place.top + top;
		const row = rowAt(rows, y);
		if (!row || x < 0 || x > width) return null;
		const slack = Math.max(0, view.time(x + 1.5) - view.time(x));
		const depth = depthAt(row, y);
		const pick = pickAt(model, row.thread.index, detail.marks, view.time(x), depth, slack);
		return { pick, x, row };
	};
	const point = (event: MouseEvent) => {
		const found = find(event);
		hover.current = found?.pick ?? null;
		drawOverlay();
		setTooltip(
			found
				? {
						x: event.clientX,
						y: event.clientY,
						content: <PickTip model={model} pick={found.pick} />,
					}
				: null,
		);
	};
	const move = (event: PointerEvent) => {
		const state = drag.current;
		if (state && (event.buttons & 1) === 1) {
			const by = state.x - event.clientX;
			if (Math.abs(by) > 3) state.moved = true;
			if (state.moved) {
				const from = new View(axis, state.span[0], state.span[1], width);
				props.onSpan(...from.panned(by, model.length));
				hover.current = null;
				setTooltip(null);
				return;
			}
		}
		point(event);
	};
	const leave = () => {
		hover.current = null;
		setTooltip(null);
		drawOverlay();
	};
	const zoom = (factor: number, x = width / 2) =>
		props.onSpan(...view.zoomed(factor, x, model.length));
	const wheel = (event: WheelEvent, x: number) => {
		const by = event.deltaMode === 1 ? 16 : 1;
		if (event.ctrlKey || event.metaKey) zoom(Math.exp(event.deltaY * by * 0.002), x);
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			props.onSpan(...view.panned((event.deltaX || event.deltaY) * by, model.length));
		else return;
		event.preventDefault();
	};
	// Preact's handlers are passive for wheels: the page would zoom as well.
	useEffect(() => {
		const element = scroller.current;
		if (!element) return;
		const handler = (event: WheelEvent) =>
			wheel(event, event.clientX - (over.current?.getBoundingClientRect().left ?? 0));
		element.addEventListener("wheel", handler, { passive: false });
		return () => element.removeEventListener("wheel", handler);
	});

	const select = (pick: Pick | null) => {
		if (pick && (pick.t1 < view.t0 || pick.t0 > view.t1)) {
			const half = (view.t1 - view.t0) / 2;
			const from = Math.max(0, Math.min(model.length - 2 * half, (pick.t0 + pick.t1) / 2 - half));
			props.onSpan(Math.floor(from), Math.ceil(from + 2 * half));
		}
		props.onSelect(pick, true);
	};
	const firstIn = (thread: number): Pick | null => {
		const marks = detail.marks.of(thread);
		const at = marks.markEnd.findIndex((end) => end > view.t0);
		return at >= 0 ? pickMark(thread, marks, at) : null;
	};
	/** From what is selected on a thread, in the marks that are drawn. */
	const walk = (thread: number | undefined, next: (from: Pick) => Pick | null) => {
		if (thread === undefined) return;
		const marks = detail.marks.of(thread);
		const from = selection?.thread === thread ? selection : null;
		const here = from && from.marks !== marks ? { ...from, marks, item: -1, mark: -1 } : from;
		const found = here ? next(here) : firstIn(thread);
		if (found) select(found);
	};
	/** What the thread above or below does at the time of what is selected. */
	const cross = (by: 1 | -1) => {
		const at = rows.findIndex((row) => row.thread.index === selection?.thread);
		const row = rows[at < 0 ? 0 : at + by];
		if (!row) return;
		if (!selection || at < 0) return select(firstIn(row.thread.index));
		const from = Math.max(selection.t0, view.t0);
		const t = from + (Math.min(selection.t1, view.t1) - from) / 2;
		const depth = row.isFlat ? ANY_DEPTH : 0;
		select(pickAt(model, row.thread.index, detail.marks, Math.max(view.t0, t), depth, 0));
	};
	/** From name to name. */
	const focusHead = (thread: number, by: 1 | -1) => {
		const next = rows[rows.findIndex((row) => row.thread.index === thread) + by];
		const heads = scroller.current?.querySelectorAll<HTMLElement>(".tl-name");
		if (next) heads?.[rows.indexOf(next)]?.focus();
	};
	const key = (event: KeyboardEvent, thread?: number) => {
		if (event.altKey || event.ctrlKey || event.metaKey) return;
		const row = thread ?? selection?.thread ?? rows[0]?.thread.index;
		const pan = (part: number) => props.onSpan(...view.panned(width * part, model.length));
		const actions: Record<string, () => void> = {
			"+": () => zoom(0.5),
			"-": () => zoom(2),
			Earlier: () => pan(-1 / 8),
			Later: () => pan(1 / 8),
			Home: () => props.onSpan(0, model.length, true),
			Escape: () => props.onSelect(null),
			ArrowLeft: () => (event.shiftKey ? walk(row, (from) => neighbour(from, -1)) : pan(-1 / 8)),
			ArrowRight: () => (event.shiftKey ? walk(row, (from) => neighbour(from, 1)) : pan(1 / 8)),
			ArrowUp: () => {
				if (event.shiftKey) walk(row, caller);
				else if (thread === undefined) cross(-1);
				else focusHead(thread, -1);
			},
			ArrowDown: () => {
				if (event.shiftKey) walk(row, callee);
				else if (thread === undefined) cross(1);
				else focusHead(thread, 1);
			},
			Enter: () => {
				if (row !== undefined) select(selection?.thread === row ? selection : firstIn(row));
				document.getElementById("timeline-details")?.focus();
			},
			z: () => {
				if (selection) props.onSpan(...around(selection, model.length), true);
			},
		};
		const action = actions[timeKey(event)];
		if (
			!action ||
			(event.key === "Enter" && event.target instanceof HTMLButtonElement && thread === undefined)
		)
			return;
		event.preventDefault();
		action();
	};

	/** With Shift, all from the one that was ticked before to this one. */
	const choose = (thread: number, isChosen: boolean, isRange: boolean) => {
		const at = rows.findIndex((row) => row.thread.index === thread);
		const from = isRange ? rows.findIndex((row) => row.thread.index === lastChosen.current) : at;
		const first = from < 0 ? at : Math.min(at, from);
		const last = from < 0 ? at : Math.max(at, from);
		lastChosen.current = thread;
		props.onChoose(
			rows.slice(first, last + 1).map((row) => row.thread.index),
			isChosen,
		);
	};

	// As `side` in page.tsx: hundreds of heads are not gone through at each step of zooming.
	const acts = useRef({ ...props, choose, key });
	acts.current = { ...props, choose, key };
	const current = selection?.thread;
	const heads = useMemo(
		() => (
			<div role="list" aria-label="Threads">
				{rows.map((row) => (
					<RowHead
						key={row.thread.index}
						row={row}
						isChosen={props.chosen.has(row.thread.index)}
						isCurrent={current === row.thread.index}
						onOpen={(thread) => acts.current.onOpen(thread)}
						onChoose={(...change) => acts.current.choose(...change)}
						onThread={(thread) => acts.current.onThread(thread)}
						onKey={(...pressed) => acts.current.key(...pressed)}
					/>
				))}
			</div>
		),
		[rows, props.chosen, current],
	);

	return (
		<div class="tl-chart" ref={box} style={{ "--head": `${head}px` }}>
			<div class="tl-resolution quiet" aria-live="polite">
				{props.words}
			</div>
			<Minimap
				model={model}
				hues={props.hues}
				threads={props.threads}
				span={span}
				onSpan={props.onSpan}
				head={head}
				width={width}
			/>
			<div class="tl-ruler" style={{ marginLeft: `${head}px` }}>
				<Ruler
					canvas={ruler}
					view={view}
					height={rulerHeight(props.axis === "readable")}
					onSpan={props.onSpan}
					onWheel={wheel}
				/>
			</div>
			<div
				class="tl-rows"
				ref={scroller}
				style={{ height: `${shown}px` }}
				onScroll={(event) => setTop(event.currentTarget.scrollTop)}
			>
				<div class="tl-all" style={{ height: `${Math.max(height, shown)}px` }}>
					{heads}
					<div
						class="tl-canvas"
						role="application"
						tabIndex={0}
						aria-roledescription="timelines"
						aria-label={`Timelines of ${rows.length} threads. W and S, or plus and minus, zoom; A and D, or left and right, move in time, up and down go to other threads, Home shows all, Shift with an arrow goes from mark to mark and along stacks, Enter opens show details. The tables below show the same as text.`}
						style={{
							height: `${shown}px`,
							left: `${head}px`,
							width: `${width}px`,
							marginLeft: `${head}px`,
						}}
						onPointerMove={move}
						onPointerLeave={leave}
						onPointerDown={(event) => {
							if (event.button !== 0) return;
							drag.current = { x: event.clientX, span, moved: false };
							event.currentTarget.setPointerCapture(event.pointerId);
						}}
						onPointerUp={(event) => {
							const state = drag.current;
							drag.current = null;
							if (!state || state.moved) return;
							const found = find(event);
							const isSame =
								found &&
								selection &&
								formatPick(model, found.pick) === formatPick(model, selection);
							// The second click of two is for zooming.
							if (!isSame || performance.now() - clicked.current > DOUBLE_MS)
								props.onSelect(found && !isSame ? found.pick : null);
							clicked.current = performance.now();
						}}
						onDblClick={(event) => {
							const found = find(event);
							if (!found) return;
							props.onSelect(found.pick);
							props.onSpan(...around(found.pick, model.length), true);
						}}
						onKeyDown={(event) => key(event)}
					>
						<canvas ref={base} aria-hidden="true" />
						<canvas ref={over} class="tl-over" aria-hidden="true" />
					</div>
				</div>
			</div>
			{rows.length ? null : <p class="empty">No thread calls this function.</p>}
		</div>
	);
}

/** A span with what is left and right of it. */
export function around(pick: { t0: number; t1: number }, length: number): [number, number] {
	const room = Math.max(20, (pick.t1 - pick.t0) * 0.15);
	return [Math.max(0, Math.floor(pick.t0 - room)), Math.min(length, Math.ceil(pick.t1 + room))];
}
