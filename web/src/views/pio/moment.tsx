// One interval in full: its rules, and the raw counters around it.
import { useMemo } from "preact/hooks";
import type { PioReport } from "../../data/reports";
import { CsvButton } from "../../shared/csv-button";
import { count, duration, number, pct } from "../../shared/format";
import { Name } from "../../shared/name";
import { dateText, linear } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { deviationOf, type Range, rulesAt, type Series, timeAt, valueAt } from "./model";

interface Row {
	series: Series;
	value: number | null;
	/** Outside of what is healthy: 1 above, -1 below. */
	out: number;
}

function outOf(series: Series, value: number | null): number {
	if (!deviationOf(series, value)) return 0;
	return value! > series.high! ? 1 : -1;
}

export function Moment(props: {
	report: PioReport;
	interval: number;
	range: Range;
	/** With the rules that decided it. */
	hasRules: boolean;
	onClose: () => void;
}) {
	const { report, interval, range } = props;
	const i = report.intervals[interval];
	const rules = rulesAt(report, interval);
	const rows = useMemo(
		() =>
			report.series.map((series): Row => {
				const value = valueAt(report, series, interval);
				return { series, value, out: outOf(series, value) };
			}),
		[report, interval],
	);
	const columns = useMemo(
		() => columnsOf(report, interval, range),
		[report, interval, range.from, range.to],
	);
	if (!i) return null;
	const byRules = props.hasRules
		? `, ${i.estimated} by the rules, intensity ${count(i.intensity)}`
		: "";
	return (
		<Section
			title={`${dateText(timeAt(report, interval))} UTC`}
			note={
				report.has_log && i.sa_ratio !== undefined
					? `${pct(100 * i.sa_ratio)} of ${count(i.requests)} requests slow: ${i.class}${byRules}`
					: byRules.slice(2)
			}
			tools={
				<button type="button" class="button no-print" onClick={props.onClose}>
					Close
				</button>
			}
		>
			<div class={props.hasRules ? "moment" : "moment moment-alone"}>
				<div hidden={!props.hasRules}>
					<h3>
						Deciding rules{" "}
						<CsvButton
							name="rules"
							label="Deciding rules"
							header={["ruleset", "then", "rule", "covered", "wrong"]}
							rows={() => rules.map((r) => [r.ruleset, r.then, r.text, r.covered, r.wrong])}
						/>
					</h3>
					<ul class="plain mono rules">
						{rules.map((rule) => (
							<li key={`${rule.ruleset} ${rule.then} ${rule.rule}`}>
								<Name text={rule.text} most={300} />
								<span class="quiet">
									{" "}
									{count(rule.covered - rule.wrong)} of {count(rule.covered)} in training
								</span>
							</li>
						))}
						{rules.length ? null : <li class="quiet">none: no counters</li>}
					</ul>
				</div>
				<div>
					<h3>
						Raw counters
						{report.series_step_ns > report.step_ns
							? `, the most extreme value in ${duration(report.series_step_ns)}`
							: ""}
					</h3>
					<Table
						name="counters"
						label="Raw counters at this moment"
						rows={rows}
						columns={columns}
						keyOf={(row) => `${row.series.server} ${row.series.counter}`}
						search={(row) => `${row.series.server} ${row.series.counter}`}
						sort="out"
						most={14}
						rowHeight={28}
						rowClass={(row) => (row.out ? "counter-out" : "")}
						empty="This report has no raw counters."
					/>
				</div>
			</div>
		</Section>
	);
}

function columnsOf(report: PioReport, interval: number, range: Range): Column<Row>[] {
	return [
		{
			key: "server",
			title: "server",
			value: (r) => r.series.server,
			cell: (r) => <Name text={r.series.server || "(no server)"} />,
			width: "90px",
		},
		{
			key: "counter",
			title: "counter",
			value: (r) => r.series.counter,
			cell: (r) => <Name text={r.series.counter} />,
			width: "minmax(110px, 1.2fr)",
		},
		{
			key: "value",
			title: "value",
			value: (r) => r.value,
			cell: (r) => (r.value === null ? "–" : number(r.value)),
			numeric: true,
			width: "84px",
		},
		{
			key: "out",
			title: "range",
			help: "outside the healthy range",
			value: (r) => Math.abs(r.out),
			csv: [["out", (r) => r.out]],
			cell: (r) => (r.out > 0 ? "↑ above" : r.out < 0 ? "↓ below" : "healthy"),
			numeric: true,
			width: "72px",
		},
		{
			key: "median",
			title: "median",
			help: "in healthy training time",
			value: (r) => r.series.median,
			cell: (r) => (r.series.median === undefined ? "–" : number(r.series.median)),
			numeric: true,
			width: "76px",
		},
		{
			key: "range",
			title: "healthy range",
			value: (r) => r.series.low,
			csv: [
				["low", (r) => r.series.low],
				["high", (r) => r.series.high],
			],
			cell: (r) =>
				r.series.low === undefined || r.series.high === undefined
					? "–"
					: `${number(r.series.low)} to ${number(r.series.high)}`,
			numeric: true,
			width: "130px",
		},
		{
			key: "trend",
			title: "in the range shown",
			value: () => "",
			csv: [],
			cell: (r) => <Trend report={report} series={r.series} interval={interval} range={range} />,
			width: "minmax(150px, 2fr)",
		},
	];
}

const W = 300;
const H = 24;

/** The counter over the range shown, its healthy range shaded. */
function Trend(props: { report: PioReport; series: Series; interval: number; range: Range }) {
	const { report, series, interval, range } = props;
	const per = report.series_step_ns / report.step_ns;
	const first = Math.floor(range.from / per);
	const last = Math.min(series.values.length, Math.ceil(range.to / per));
	const shown = series.values.slice(first, last);
	const known = shown.filter((v): v is number => v !== null);
	if (!known.length) return <span class="quiet">no value</span>;
	const low = known.reduce((a, b) => Math.min(a, b), series.low ?? known[0]!);
	const high = known.reduce((a, b) => Math.max(a, b), series.high ?? known[0]!);
	const x = linear([first, Math.max(first + 1, last)], [0, W]);
	const y = linear([low, high === low ? low + 1 : high], [H - 2, 2]);
	let path = "";
	let pen = "M";
	shown.forEach((v, i) => {
		if (v === null) pen = "M";
		else {
			path += `${pen}${x(first + i + 0.5).toFixed(1)} ${y(v).toFixed(1)}`;
			pen = "L";
		}
	});
	const at = x(interval / per + 0.5 / per);
	return (
		<svg class="trend" viewBox={`0 0 ${W} ${H}`} preserveAspectRatio="none" aria-hidden="true">
			{series.low !== undefined && series.high !== undefined ? (
				<rect
					class="trend-healthy"
					x="0"
					width={W}
					y={y(series.high)}
					height={Math.max(1, y(series.low) - y(series.high))}
				/>
			) : null}
			<path d={path} />
			<line x1={at} x2={at} y1="0" y2={H} />
		</svg>
	);
}
