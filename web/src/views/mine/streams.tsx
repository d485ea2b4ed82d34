import { useCallback, useMemo } from "preact/hooks";
import type { MineReport } from "../../data/reports";
import { leftAxis } from "../../shared/axis";
import type { Draw } from "../../shared/export";
import { count } from "../../shared/format";
import { Name } from "../../shared/name";
import { Picture } from "../../shared/picture";
import { linear, ticks } from "../../shared/scales";
import { Section } from "../../shared/section";
import { TipTable } from "../../shared/tooltip";
import type { Cluster } from "./clusters";
import { costIn } from "./page";

const HEIGHT = 128;
const LEFT = 58;
const BOTTOM = 108;

/** A dot per stream, in the order of the inputs: what the cluster costs there. */
export function StreamDots({ report, cluster }: { report: MineReport; cluster: Cluster }) {
	const { stream, cost_ns } = cluster.by_stream!;
	const most = useMemo(() => Math.max(1, ...cost_ns), [cost_ns]);
	const x = (width: number) => linear([-0.5, Math.max(1, report.streams) - 0.5], [LEFT, width - 6]);
	const y = linear([0, most], [BOTTOM, 8]);
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			const sx = x(width);
			leftAxis(paint, colors, y, {
				at: LEFT,
				ticks: ticks([0, most], 4),
				format: (v) => costIn(report, v),
				gridTo: width - 6,
			});
			const r = report.streams > 300 ? 2 : report.streams > 60 ? 3 : 4;
			const there = new Set(stream);
			if (report.streams <= 400)
				for (let i = 0; i < report.streams; i++)
					if (!there.has(i)) paint.circle(sx(i), BOTTOM, 1.5, colors.faint);
			for (let i = 0; i < stream.length; i++) {
				if (report.streams <= 60)
					paint.line(sx(stream[i]!), BOTTOM, sx(stream[i]!), y(cost_ns[i]!), colors.grid, 2);
				paint.circle(sx(stream[i]!), y(cost_ns[i]!), r, colors.accent, 0.8);
			}
			paint.text(LEFT, HEIGHT - 4, `recordings, 1 to ${count(report.streams)}`, {
				fill: colors.quiet,
				size: 11,
			});
		},
		[report, cluster],
	);
	const find = (px: number, py: number, width: number) => {
		const sx = x(width);
		let best = -1;
		let distance = 144;
		for (let i = 0; i < stream.length; i++) {
			const d = (sx(stream[i]!) - px) ** 2 + (y(cost_ns[i]!) - py) ** 2;
			if (d < distance) {
				best = i;
				distance = d;
			}
		}
		return best;
	};
	return (
		<Section title="Streams" note="cost in each recording">
			<Picture
				name={`streams-${cluster.rank}`}
				label={`Cost of cluster ${cluster.rank} in each of ${report.streams} recordings`}
				height={HEIGHT}
				draw={draw}
				overlay={(paint, width, _h, colors, pointer) => {
					const i = pointer ? find(pointer.x, pointer.y, width) : -1;
					if (i >= 0) paint.circle(x(width)(stream[i]!), y(cost_ns[i]!), 6, colors.mark, 0.9);
				}}
				hit={(px, py, width) => {
					const i = find(px, py, width);
					if (i < 0) return null;
					const input = report.inputs[stream[i]!];
					return {
						key: String(i),
						tip: (
							<>
								<Name text={input?.path ?? `recording ${stream[i]! + 1}`} />
								<TipTable rows={[["cost", costIn(report, cost_ns[i]!)]]} />
							</>
						),
					};
				}}
			/>
		</Section>
	);
}
