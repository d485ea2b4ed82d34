import { useCallback, useMemo } from "preact/hooks";
import type { CoverageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import type { Draw } from "../../shared/export";
import { costIn, percent, visible } from "../../shared/format";
import { goTo } from "../../shared/location";
import { Picture } from "../../shared/picture";
import { linear } from "../../shared/scales";
import { TipTable } from "../../shared/tooltip";
import { paintPart } from "./paint";
import { partsOf, type Signature } from "./parts";

const BAR = 34;

/** All symptom time as one bar. */
export function CoverageBar(props: {
	report: CoverageReport;
	reference: ReportRef;
	named: readonly Signature[];
}) {
	const { report, reference, named } = props;
	const places = useMemo(() => {
		let at = 0;
		return partsOf(
			named.map((s) => s.name),
			named.map((s) => s.exclusive_ns),
			report,
		).map((part) => {
			const from = at;
			at += part.ns;
			return { part, from, to: at };
		});
	}, [report, named]);
	const whole = Math.max(1, report.symptom_ns);
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			const x = linear([0, whole], [0, width]);
			paint.rect(0, 0, width, BAR, colors.grid);
			for (const { part, from, to } of places) {
				const w = x(to) - x(from);
				paintPart(paint, colors, part, x(from), 0, Math.max(0, w - (w > 4 ? 1 : 0)), BAR);
				if (w > 44)
					paint.text(x(from) + 4, BAR + 15, part.title, {
						fill: colors.quiet,
						size: 12,
						maxWidth: w - 8,
					});
				if (w > 44)
					paint.text(x(from) + 4, BAR + 30, percent(part.ns, report.symptom_ns), {
						fill: colors.text,
						size: 12,
						weight: 600,
						maxWidth: w - 8,
					});
			}
		},
		[places, whole],
	);
	return (
		<Picture
			name="coverage"
			label={`Coverage: ${percent(report.covered_ns, report.symptom_ns)} of symptom time is explained`}
			height={BAR + 36}
			draw={draw}
			hit={(px, _py, width) => {
				const at = linear([0, whole], [0, width]).invert(px);
				const place = places.find((p) => at >= p.from && at < p.to);
				if (!place) return null;
				const { part } = place;
				const signature = named[part.at];
				const tip = (
					<>
						<b>
							<bdi>{visible(part.title)}</bdi>
						</b>
						<TipTable
							rows={[
								[
									signature ? "alone" : "time",
									`${costIn(report, part.ns)}, ${percent(part.ns, report.symptom_ns)}`,
								],
								...(signature
									? [["with others", costIn(report, signature.total_ns)] as const]
									: []),
							]}
						/>
					</>
				);
				if (!signature) return { key: part.key, tip };
				return {
					key: part.key,
					tip,
					pick: () => goTo({ path: [reference.name, signature.name], params: new Map() }),
				};
			}}
		/>
	);
}
