// A picture: drawn by one function onto a canvas, at the screen's resolution, in the theme's
// colours; with a tooltip, a pointer, keys, and itself as SVG or PNG.
//
//   draw     all of it; runs again when its data, the size or the theme changes
//   overlay  what follows the pointer (rules, highlights): cheap, drawn on a second canvas, so that
//            moving the pointer never draws the picture again
//   hit      what is at a point: its tooltip, and what is done when it is picked
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Draw, downloadPng, downloadSvg } from "./export";
import { canvasPaint, type Paint, svgPaint } from "./paint";
import { usePrinting } from "./printing";
import { type Colors, currentColors, useColors } from "./theme";
import { setTooltip } from "./tooltip";

export interface Hit {
	/** Two points with the same key are on the same thing. */
	readonly key: string;
	readonly tip?: ComponentChildren;
	/** Picking it does something: the pointer shows that. */
	readonly pick?: () => void;
}

export interface PictureProps {
	/** What it shows, in a sentence: its name for those who cannot see it, and its title. */
	label: string;
	/** Name of exported files. */
	name: string;
	height: number;
	draw: Draw;
	overlay?: (
		paint: Paint,
		width: number,
		height: number,
		colors: Colors,
		pointer: Pointer | null,
	) => void;
	hit?: (x: number, y: number, width: number) => Hit | null;
	onPointer?: (pointer: Pointer | null) => void;
	/** True: the key was for the picture. */
	onKey?: (event: KeyboardEvent) => boolean;
	onWheel?: (event: WheelEvent, x: number, width: number) => boolean;
	/** Dragging over it: from x0 to x1; `done` when the button is released. */
	onDrag?: (x0: number, x1: number, done: boolean, width: number) => void;
	/** Further buttons beside those for SVG and PNG. */
	exports?: ComponentChildren;
	/** No buttons for SVG and PNG: the view has its own. */
	bare?: boolean;
	class?: string;
}

export interface Pointer {
	readonly x: number;
	readonly y: number;
}

function prepare(canvas: HTMLCanvasElement, width: number, height: number) {
	const scale = window.devicePixelRatio || 1;
	const w = Math.round(width * scale);
	const h = Math.round(height * scale);
	if (canvas.width !== w) canvas.width = w;
	if (canvas.height !== h) canvas.height = h;
	const context = canvas.getContext("2d");
	if (!context) return null;
	context.setTransform(scale, 0, 0, scale, 0, 0);
	context.clearRect(0, 0, width, height);
	return context;
}

/** The width that an element has, in whole pixels; 0 until it is known. */
export function useWidth<T extends HTMLElement>() {
	const ref = useRef<T>(null);
	const [width, set] = useState(0);
	useLayoutEffect(() => {
		const element = ref.current;
		if (!element) return;
		const measure = () => set(Math.floor(element.clientWidth));
		measure();
		const observer = new ResizeObserver(measure);
		observer.observe(element);
		return () => observer.disconnect();
	}, []);
	return { ref, width };
}

export function Picture(props: PictureProps) {
	const { ref, width } = useWidth<HTMLDivElement>();
	const base = useRef<HTMLCanvasElement>(null);
	const over = useRef<HTMLCanvasElement>(null);
	const pointer = useRef<Pointer | null>(null);
	const drag = useRef<{ from: number; moved: boolean } | null>(null);
	/** What a finger has touched: the first time explains it, the second picks it. */
	const touched = useRef("");
	const colors = useColors();
	const printing = usePrinting();
	const { height, draw } = props;

	useLayoutEffect(() => {
		if (!base.current || width < 1) return;
		const context = prepare(base.current, width, height);
		if (context) draw(canvasPaint(context, colors.font), width, height, colors);
	}, [draw, width, height, colors]);

	const drawOverlay = () => {
		if (!over.current || !props.overlay || width < 1) return;
		const context = prepare(over.current, width, height);
		if (context)
			props.overlay(canvasPaint(context, colors.font), width, height, colors, pointer.current);
	};
	useLayoutEffect(drawOverlay);
	useEffect(() => () => setTooltip(null), []);

	const at = (event: MouseEvent): Pointer => {
		const box = ref.current!.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	};
	const move = (event: PointerEvent) => {
		const p = at(event);
		pointer.current = p;
		if (drag.current && props.onDrag) {
			if (Math.abs(p.x - drag.current.from) > 3) drag.current.moved = true;
			if (drag.current.moved) props.onDrag(drag.current.from, p.x, false, width);
		}
		const hit = props.hit?.(p.x, p.y, width);
		ref.current!.style.cursor = hit?.pick ? "pointer" : "";
		setTooltip(hit?.tip ? { x: event.clientX, y: event.clientY, content: hit.tip } : null);
		props.onPointer?.(p);
		drawOverlay();
	};
	const leave = (event: PointerEvent) => {
		if (event.pointerType === "touch") return; // what was explained stays
		pointer.current = null;
		setTooltip(null);
		props.onPointer?.(null);
		drawOverlay();
	};
	const interactive = Boolean(props.onKey || props.hit || props.onDrag);
	return (
		<figure class={`picture ${props.class ?? ""}`}>
			<div
				class="picture-box"
				ref={ref}
				role={interactive ? "application" : "img"}
				aria-label={props.label}
				aria-roledescription="picture"
				tabIndex={props.onKey ? 0 : -1}
				style={printing ? {} : { height: `${height}px` }}
				onPointerMove={move}
				onPointerLeave={leave}
				onPointerDown={(event) => {
					if (event.button !== 0) return;
					drag.current = { from: at(event).x, moved: false };
					if (event.pointerType === "touch") move(event);
					if (props.onDrag) ref.current!.setPointerCapture(event.pointerId);
				}}
				onPointerUp={(event) => {
					const state = drag.current;
					drag.current = null;
					const p = at(event);
					if (state?.moved && props.onDrag) props.onDrag(state.from, p.x, true, width);
					else if (state) {
						const hit = props.hit?.(p.x, p.y, width);
						const isFirst = event.pointerType === "touch" && touched.current !== hit?.key;
						touched.current = hit?.key ?? "";
						if (!isFirst || !hit?.tip) hit?.pick?.();
					}
				}}
				onKeyDown={(event) => {
					if (props.onKey?.(event)) event.preventDefault();
				}}
				onWheel={(event) => {
					if (props.onWheel?.(event, at(event).x, width)) event.preventDefault();
				}}
			>
				<canvas ref={base} aria-hidden="true" />
				{props.overlay ? <canvas ref={over} class="overlay" aria-hidden="true" /> : null}
				{printing && width > 0 ? (
					<Printed
						draw={(paint, w, h, now) => {
							draw(paint, w, h, now);
							props.overlay?.(paint, w, h, now, null);
						}}
						label={props.label}
						width={width}
						height={height}
					/>
				) : null}
			</div>
			{props.bare ? null : (
				<PictureExport
					name={props.name}
					label={props.label}
					draw={draw}
					width={width}
					height={height}
					more={props.exports}
				/>
			)}
		</figure>
	);
}

let printed = 0; // pictures so far: their ids must differ

/**
 * A picture on paper: as wide as the sheet, sharp, in the colours for white. The window's canvases
 * are as many pixels as the window had, so `.picture-box` hides them there.
 */
export function Printed(props: { draw: Draw; label: string; width: number; height: number }) {
	const box = useRef<HTMLDivElement>(null);
	const { width, height } = props;
	useLayoutEffect(() => {
		const colors = currentColors();
		const paint = svgPaint(colors.font, `p${printed++}-`);
		props.draw(paint, width, height, colors);
		const text = paint.finish(width, height, colors.bg, props.label);
		const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
		box.current?.replaceChildren(document.importNode(svg, true));
	});
	return <div class="printed" ref={box} />;
}

export function PictureExport(props: {
	name: string;
	label: string;
	draw: Draw;
	width: number;
	height: number;
	more?: ComponentChildren;
}) {
	const { name, label, draw, width, height } = props;
	return (
		<div class="exports no-print">
			{props.more}
			<button
				type="button"
				title="save this picture as SVG"
				aria-label={`${label}: save as SVG`}
				onClick={() => downloadSvg(name, label, draw, width, height, currentColors())}
			>
				SVG
			</button>
			<button
				type="button"
				title="save this picture as PNG"
				aria-label={`${label}: save as PNG`}
				onClick={() => downloadPng(name, draw, width, height, currentColors())}
			>
				PNG
			</button>
		</div>
	);
}
