// The times above the rows: dragging over them zooms to a stretch, the wheel zooms.
import { useEffect, useRef, useState } from "preact/hooks";
import type { View } from "./time-axis";

export function Ruler(props: {
	canvas: { current: HTMLCanvasElement | null };
	view: View;
	height: number;
	onSpan: (t0: number, t1: number, isStep?: boolean) => void;
	onWheel: (event: WheelEvent, x: number) => void;
}) {
	const { view } = props;
	const [range, setRange] = useState<readonly [number, number] | null>(null);
	const from = useRef(0);
	const x = (event: MouseEvent) =>
		event.clientX - (props.canvas.current?.getBoundingClientRect().left ?? 0);
	useEffect(() => {
		const element = props.canvas.current;
		const handler = (event: WheelEvent) => {
			props.onWheel(event, x(event));
			if (event.defaultPrevented) return;
			event.preventDefault();
			const plain = new WheelEvent("wheel", {
				ctrlKey: true,
				deltaY: event.deltaY,
				deltaMode: event.deltaMode,
				cancelable: true,
			});
			props.onWheel(plain, x(event));
		};
		element?.addEventListener("wheel", handler, { passive: false });
		return () => element?.removeEventListener("wheel", handler);
	});
	return (
		<div
			class="tl-ruler-box"
			style={{ height: `${props.height}px`, width: `${view.width}px` }}
			title="Drag to zoom to a time range; the wheel zooms"
			onPointerDown={(event) => {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				from.current = x(event);
				setRange([from.current, from.current]);
			}}
			onPointerMove={(event) => {
				if (range) setRange([from.current, x(event)]);
			}}
			onPointerUp={() => {
				if (range) {
					const [a, b] = [Math.min(...range), Math.max(...range)];
					if (b - a > 4)
						props.onSpan(
							Math.floor(view.time(Math.max(0, a))),
							Math.ceil(view.time(Math.min(view.width, b))),
							true,
						);
				}
				setRange(null);
			}}
		>
			<canvas ref={props.canvas} role="img" aria-label="Time axis" />
			{range && Math.abs(range[1] - range[0]) > 2 ? (
				<div
					class="tl-brush"
					style={{ left: `${Math.min(...range)}px`, width: `${Math.abs(range[1] - range[0])}px` }}
				/>
			) : null}
		</div>
	);
}
