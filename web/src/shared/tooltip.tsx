// One tooltip for the whole page; it stays inside of the window and never takes the pointer.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { shorten, visible } from "./format";

interface Shown {
	x: number;
	y: number;
	content: ComponentChildren;
}

let show: (tip: Shown | null) => void = () => {};

/** At window coordinates; null takes it away. */
export function setTooltip(tip: Shown | null) {
	show(tip);
}

export function TooltipLayer() {
	const [tip, set] = useState<Shown | null>(null);
	const box = useRef<HTMLDivElement>(null);
	show = set;
	// A finger that touches anything else, or scrolls, is done with it.
	useEffect(() => {
		const done = (event: Event) => {
			if (!(event.target instanceof Element && event.target.closest(".picture-box"))) set(null);
		};
		const options = { capture: true, passive: true };
		addEventListener("touchstart", done, options);
		addEventListener("scroll", done, options);
		return () => {
			removeEventListener("touchstart", done, options);
			removeEventListener("scroll", done, options);
		};
	}, []);
	useLayoutEffect(() => {
		const element = box.current;
		if (!element || !tip) return;
		const { offsetWidth: w, offsetHeight: h } = element;
		const right = tip.x + 14 + w > innerWidth - 8;
		const below = tip.y + 16 + h > innerHeight - 8;
		element.style.left = `${Math.max(8, right ? tip.x - 12 - w : tip.x + 14)}px`;
		element.style.top = `${Math.max(8, below ? tip.y - 12 - h : tip.y + 16)}px`;
	});
	return tip ? (
		<div class="tooltip" role="tooltip" ref={box}>
			{tip.content}
		</div>
	) : null;
}

/** Rows of "what: value", as most tooltips are. */
export function TipTable({ rows }: { rows: ReadonlyArray<readonly [string, ComponentChildren]> }) {
	return (
		<dl class="tip-rows">
			{rows.map(([name, value]) => (
				<div key={name}>
					<dt>{shorten(visible(name), 60)}</dt>
					<dd>{typeof value === "string" ? visible(value) : value}</dd>
				</div>
			))}
		</dl>
	);
}
