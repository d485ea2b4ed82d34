// Distributions of durations: a bar per bucket on a logarithmic axis, thresholds drawn in; with a
// second one hanging below, each on its own scale, so that shapes can be compared.
import { useCallback, useMemo } from "preact/hooks";
import { bottomAxis } from "./axis";
import type { Draw } from "./export";
import { cost as costText, count, percent } from "./format";
import { Picture } from "./picture";
import { linear, logarithmic, logTicks } from "./scales";
import { TipTable } from "./tooltip";

export interface Bucket {
	readonly from: number;
	readonly to: number;
	readonly n: number;
}

export interface Distribution {
	readonly title: string;
	readonly n: number;
	readonly mean_ns: number;
	readonly histogram: readonly Bucket[];
}

/** Up to `success` succeeded, above `failed` failed; between neither. */
export interface Bounds {
	readonly prune: number;
	readonly success: number;
	readonly failed: number;
}

export interface HistogramProps {
	name: string;
	label: string;
	unit: string;
	up: Distribution;
	down?: Distribution | undefined;
	bounds?: Bounds | undefined;
	/** Of both, so that several pictures have one axis. */
	height?: number;
	logCounts?: boolean;
}

const LEFT = 8;
const RIGHT = 8;
const TOP = 36;
const AXIS = 22;

const most = (d: Distribution | undefined) =>
	Math.max(1, ...(d?.histogram.map((bucket) => bucket.n) ?? []));

export function Histogram(props: HistogramProps) {
	const { up, down, bounds, unit, logCounts } = props;
	const height = props.height ?? (down ? 240 : 200);
	const domain = useMemo((): [number, number] => {
		const all = [...up.histogram, ...(down?.histogram ?? [])];
		const low = Math.min(...all.map((b) => Math.max(1, b.from)));
		const high = Math.max(...all.map((b) => b.to));
		return all.length ? [low * 0.8, Math.max(low * 2, high * 1.1)] : [1, 10];
	}, [up, down]);
	const base = down ? TOP + (height - TOP - AXIS) / 2 : height - AXIS;
	const x = useCallback((width: number) => logarithmic(domain, [LEFT, width - RIGHT]), [domain]);
	const bar = useCallback(
		(n: number, of: Distribution, room: number) => {
			const top = most(of);
			return logCounts
				? linear([0, Math.log1p(top)], [0, room])(Math.log1p(n))
				: linear([0, top], [0, room])(n);
		},
		[logCounts],
	);
	const room = base - TOP - 4;
	const draw: Draw = useCallback(
		(paint, width, _h, colors) => {
			const sx = x(width);
			bottomAxis(paint, colors, sx, {
				at: height - AXIS,
				ticks: logTicks(domain),
				format: (v) => costText(v, unit),
				gridTo: TOP,
			});
			const kind = (b: Bucket) =>
				!bounds
					? colors.accent
					: b.from > bounds.failed
						? colors.mark
						: b.to - 1 <= bounds.success
							? colors.wait
							: colors.faint;
			const bars = (d: Distribution, sign: 1 | -1) => {
				for (const b of d.histogram) {
					const x0 = sx(Math.max(1, b.from));
					const w = Math.max(1, sx(b.to) - x0 - 1);
					const h = Math.max(1, bar(b.n, d, room));
					paint.rect(x0, sign > 0 ? base - h : base + 1, w, h, kind(b), sign > 0 ? 0.9 : 0.55);
				}
			};
			bars(up, 1);
			if (down) {
				bars(down, -1);
				paint.line(LEFT, base + 0.5, width - RIGHT, base + 0.5, colors.line);
				for (const [d, y] of [
					[up, TOP + 2],
					[down, height - AXIS - 16],
				] as const) {
					const words = `${d.title}: ${count(d.n)}`;
					paint.rect(LEFT, y, paint.measure(words, 12, 600) + 8, 15, colors.bg, 0.8);
					paint.text(LEFT + 2, y + 11, words, { fill: colors.text, size: 12, weight: 600 });
				}
			}
			if (!down) {
				const words = count(most(up));
				paint.text(LEFT, base - room - 4, words, { fill: colors.quiet, size: 12 });
			}
			if (bounds) {
				for (const [at, text, y] of [
					[bounds.success, "not slow up to", TOP - 22],
					[bounds.failed, "slow above", TOP - 7],
				] as const) {
					if (at < domain[0] || at > domain[1]) continue;
					const px = Math.round(sx(at)) + 0.5;
					paint.line(px, y - 10, px, height - AXIS, colors.text, 1, [3, 3]);
					const words = `${text} ${costText(at, unit)}`;
					const w = paint.measure(words, 12);
					const right = px + 5 + w < width;
					paint.rect(right ? px + 3 : px - 7 - w, y - 11, w + 4, 14, colors.bg, 0.9);
					paint.text(right ? px + 5 : px - 5, y, words, {
						fill: colors.quiet,
						size: 12,
						anchor: right ? "start" : "end",
					});
				}
			}
			const mean = (d: Distribution, y0: number, y1: number) => {
				if (!d.n || d.mean_ns < domain[0]) return;
				const px = sx(d.mean_ns);
				paint.line(px, y0, px, y1, colors.text, 1.5);
				if (d !== up) return;
				const w = paint.measure("mean", 12) + 6;
				const right = px + w < width;
				paint.rect(right ? px + 1 : px - w - 1, y0, w, 15, colors.bg, 0.8);
				paint.text(right ? px + 4 : px - 4, y0 + 11, "mean", {
					fill: colors.text,
					size: 12,
					anchor: right ? "start" : "end",
				});
			};
			mean(up, base - room, base);
			if (down) mean(down, base, height - AXIS);
		},
		[x, bar, domain, bounds, unit, up, down, base, room, height],
	);
	const at = (px: number, py: number, width: number) => {
		const d = down && py > base ? down : up;
		const value = x(width).invert(px);
		return { d, bucket: d.histogram.find((b) => value >= b.from && value < b.to) };
	};
	return (
		<Picture
			name={props.name}
			label={props.label}
			height={height}
			draw={draw}
			hit={(px, py, width) => {
				const { d, bucket } = at(px, py, width);
				if (!bucket) return null;
				return {
					key: `${d.title} ${bucket.from}`,
					tip: (
						<TipTable
							rows={[
								[d.title, `${count(bucket.n)} of ${count(d.n)}, ${percent(bucket.n, d.n)}`],
								["from", costText(bucket.from, unit)],
								["below", costText(bucket.to, unit)],
								["mean of all", costText(d.mean_ns, unit)],
							]}
						/>
					),
				};
			}}
		/>
	);
}

/** The same, tiny, for a table's cell. */
export function Spark(props: {
	histogram: readonly Bucket[];
	domain: readonly [number, number];
	bounds?: Bounds | undefined;
}) {
	const { histogram, domain, bounds } = props;
	const W = 160;
	const H = 20;
	const x = logarithmic(domain, [0, W]);
	const top = Math.max(1, ...histogram.map((b) => b.n));
	return (
		<svg
			class="spark"
			viewBox={`0 0 ${W} ${H}`}
			width={W}
			height={H}
			preserveAspectRatio="none"
			aria-hidden="true"
		>
			{histogram.map((b) => {
				const x0 = x(Math.max(1, b.from));
				const h = Math.max(1, H * (Math.log1p(b.n) / Math.log1p(top)));
				const kind = !bounds
					? ""
					: b.from > bounds.failed
						? "spark-failed"
						: b.to - 1 <= bounds.success
							? ""
							: "spark-between";
				return (
					<rect
						key={b.from}
						class={kind}
						x={x0}
						y={H - h}
						width={Math.max(0.8, x(b.to) - x0 - 0.4)}
						height={h}
					/>
				);
			})}
		</svg>
	);
}
