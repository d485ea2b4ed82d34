// The legend: functions by prominence; picking some highlights them, searching hides the threads
// that do not call what is found.
import { useMemo, useState } from "preact/hooks";
import { CsvButton } from "../../shared/csv-button";
import { count, duration } from "../../shared/format";
import { Frame } from "../../shared/name";
import { usePrinting } from "../../shared/printing";
import { wordsOrExpression } from "../../shared/search";
import { category, useColors } from "../../shared/theme";
import type { FunctionInfo, Model } from "./model";

const SHOWN = 60;
const PRINTED = 20;

export function FunctionsPanel(props: {
	model: Model;
	hues: Int8Array;
	query: string;
	highlighted: ReadonlySet<number>;
	onHighlight: (fns: ReadonlySet<number>) => void;
}) {
	const { model, highlighted, query } = props;
	const colors = useColors();
	const [more, setMore] = useState(SHOWN);
	const found = useMemo(() => {
		const matches = wordsOrExpression(query);
		return matches ? model.byProminence.filter((f) => matches(f.name)) : model.byProminence;
	}, [model, query]);
	const shown = found.slice(0, usePrinting() ? PRINTED : more);
	const toggle = (f: FunctionInfo) => {
		const next = new Set(highlighted);
		if (!next.delete(f.index)) next.add(f.index);
		props.onHighlight(next);
	};
	return (
		<section class="tl-functions" aria-label="Functions">
			<div class="section-head">
				<h2>Functions</h2>
				<span class="quiet">
					{found.length === model.functions.length
						? count(found.length)
						: `${count(found.length)} of ${count(model.functions.length)}`}
				</span>
				<span class="spring" />
				{highlighted.size ? (
					<button type="button" class="button" onClick={() => props.onHighlight(new Set())}>
						Clear highlight
					</button>
				) : null}
				<CsvButton
					name="functions"
					label="Functions"
					header={["function", "calls", "threads", "total_ns", "median_ns", "p99_ns", "max_ns"]}
					rows={() =>
						found.map((f) => [f.name, f.calls, f.threads, f.total, f.median, f.p99, f.max])
					}
				/>
			</div>
			{found.length ? (
				<p class="tl-legend-order quiet" title="occurrences on the page × threads">
					<span>by occurrence</span>
					<span>calls</span>
				</p>
			) : null}
			<ul class="tl-legend">
				{shown.map((f) => (
					<li key={f.index}>
						<button
							type="button"
							aria-pressed={highlighted.has(f.index)}
							title={`${count(f.calls)} calls in ${count(f.threads)} threads, ${duration(f.total)} in all; median ${duration(f.median)}, 99 % ${duration(f.p99)}, longest ${duration(f.max)}; ${count(f.glyphs)} marks. Click to highlight it.`}
							onClick={() => toggle(f)}
						>
							<span
								class="chip"
								style={{
									background:
										(props.hues[f.index] ?? -1) >= 0
											? category(colors, props.hues[f.index]!)
											: highlighted.has(f.index)
												? colors.mark
												: colors["cat-7"],
								}}
							/>
							<span class="tl-legend-name">
								<Frame text={f.name} most={90} />
							</span>
							<span class="tl-legend-number quiet">{count(f.calls)}</span>
						</button>
					</li>
				))}
			</ul>
			{found.length > more ? (
				<button type="button" class="button no-print" onClick={() => setMore(more + 300)}>
					{count(found.length - more)} more
				</button>
			) : null}
			{found.length ? null : <p class="empty">No matching functions.</p>}
		</section>
	);
}
