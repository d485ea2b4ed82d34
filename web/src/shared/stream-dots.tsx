// A dot per recording, in groups side by side: what something costs in each.
import { useCallback, useMemo } from "preact/hooks";
import { leftAxis } from "./axis";
import type { Draw } from "./export";
import { costIn, type InUnit } from "./format";
import { Name } from "./name";
import { Picture } from "./picture";
import { linear, type Scale, ticks } from "./scales";
import type { ColorName } from "./theme";
import { TipTable } from "./tooltip";

export interface Dot {
	/** Of the recording; untrusted. */
	readonly title: string;
	readonly value: number;
}

export interface DotGroup {
	/** Stands below its dots; untrusted. */
	readonly title: string;
	readonly colour: ColorName;
	readonly dots: readonly Dot[];
	/** Drawn as a line across them. */
	readonly mean?: number;
}

interface DotsProps {
	name: string;
	label: string;
	report: InUnit;
	groups: readonly DotGroup[];
	/** What a value is called in the tooltip; default: cost. */
	what?: string;
	height?: number;
	/** A click on a dot: its group, and its place there. */
	onPick?: (group: number, at: number) => void;
	/** Has a ring around it. */
	chosen?: { readonly group: number; readonly at: number } | undefined;
}

const LEFT = 58;
const FOOT = 20;
/** Between two groups, in places of dots. */
const GAP = 2;

/** Where each group begins, and how many places there are. */
function placesOf(groups: readonly DotGroup[]) {
	let at = 0;
	const starts = groups.map((group) => {
		const start = at;
		at += Math.max(1, group.dots.length) + GAP;
		return start;
	});
	return { starts, n: Math.max(1, at - GAP) };
}

export function StreamDots(props: DotsProps) {
	const { report, groups, height = 128 } = props;
	const bottom = height - FOOT;
	const places = useMemo(() => placesOf(groups), [groups]);
	const most = useMemo(
		() => groups.reduce((m, g) => g.dots.reduce((k, dot) => Math.max(k, dot.value), m), 1),
		[groups],
	);
	const x = (width: number) => linear([-0.5, places.n - 0.5], [LEFT, width - 6]);
	const y = linear([0, most], [bottom, 8]);
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			const sx = x(width);
			leftAxis(paint, colors, y, {
				at: LEFT,
				ticks: ticks([0, most], 4),
				format: (v) => costIn(report, v),
				gridTo: width - 6,
			});
			const r = places.n > 300 ? 2 : places.n > 60 ? 3 : 4;
			for (const [g, group] of groups.entries()) {
				const start = places.starts[g]!;
				group.dots.forEach((dot, i) => {
					const px = sx(start + i);
					if (!dot.value) {
						if (places.n <= 400) paint.circle(px, bottom, 1.5, colors.faint);
						return;
					}
					if (places.n <= 60) paint.line(px, bottom, px, y(dot.value), colors.grid, 2);
					paint.circle(px, y(dot.value), r, colors[group.colour], 0.8);
				});
				const from = sx(start - 0.5);
				const to = sx(start + Math.max(1, group.dots.length) - 0.5);
				if (group.mean !== undefined)
					paint.line(from, y(group.mean), to, y(group.mean), colors.text, 1.5);
				paint.text(from, height - 4, group.title, {
					fill: colors.quiet,
					size: 12,
					maxWidth: to - from + (groups.length > 1 ? 0 : 6),
				});
			}
		},
		[report, groups, height],
	);
	const find = (px: number, py: number, width: number) =>
		nearest(groups, places.starts, x(width), y, px, py);
	return (
		<Picture
			name={props.name}
			label={props.label}
			height={height}
			draw={draw}
			overlay={(paint, width, _h, colors, pointer) => {
				const { chosen } = props;
				const value = chosen && groups[chosen.group]?.dots[chosen.at]?.value;
				if (chosen && value !== undefined) {
					const px = x(width)(places.starts[chosen.group]! + chosen.at);
					paint.line(px, y(value), px, bottom, colors.mark, 1);
					paint.circle(px, y(value), 5, colors.mark, 0.9);
				}
				const found = pointer ? find(pointer.x, pointer.y, width) : null;
				if (found) paint.circle(found.x, found.y, 6, colors.mark, 0.9);
			}}
			hit={(px, py, width) => {
				const found = find(px, py, width);
				if (!found) return null;
				return {
					key: found.key,
					...(props.onPick ? { pick: () => props.onPick?.(found.group, found.at) } : {}),
					tip: (
						<>
							<Name text={found.dot.title} />
							<TipTable rows={[[props.what ?? "cost", costIn(report, found.dot.value)]]} />
						</>
					),
				};
			}}
		/>
	);
}

interface Found {
	readonly dot: Dot;
	readonly key: string;
	readonly group: number;
	readonly at: number;
	readonly x: number;
	readonly y: number;
}

/** The dot within 12 pixels that is nearest. */
function nearest(
	groups: readonly DotGroup[],
	starts: readonly number[],
	sx: Scale,
	sy: Scale,
	px: number,
	py: number,
) {
	let found: Found | null = null;
	let distance = 144;
	for (const [g, group] of groups.entries())
		group.dots.forEach((dot, i) => {
			const x = sx(starts[g]! + i);
			const y = sy(dot.value);
			const d = (x - px) ** 2 + (y - py) ** 2;
			if (d >= distance) return;
			distance = d;
			found = { dot, key: `${g} ${i}`, group: g, at: i, x, y };
		});
	return found as Found | null;
}
