// What a choice of server and of time leaves of a report, and a sentence with its figures.
import { useMemo } from "preact/hooks";
import type { PioReport } from "../../data/reports";
import { asThey, type Choices, chosenOf, distinct, FilterBar, real } from "../../shared/filter-bar";
import { count, duration, number, percent, plural } from "../../shared/format";
import { usePlace } from "../../shared/location";
import { Name } from "../../shared/name";
import { clockText, dateText } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { deviationOf, type Period, placeAt, type Range, type Series, timeAt } from "./model";

const FACETS = ["server"] as const;

/** `whole` as one server has it: its evidence, its counters, and the periods whose bottleneck it was. */
export function useServer(whole: PioReport) {
	const { params } = usePlace();
	const server = params.get("f.server") ?? "";
	return useMemo(() => {
		const chosen = chosenOf(FACETS, params);
		if (!server) return { report: whole, chosen };
		const has = (of: { server: string }) => of.server === server;
		const isIts = (p: Period) => p.servers.some((s) => has(s) && s.bottleneck);
		const report: PioReport = {
			...whole,
			servers: whole.servers.filter(has),
			series: whole.series.filter(has),
			matrix: whole.matrix.filter(has),
			periods: whole.periods.filter(isIts),
			unfelt: whole.unfelt.filter((p) => p.counters.some(has)),
			unexplained: [],
		};
		return { report, chosen };
	}, [whole, server]);
}

/** The part of a period that is in the range, in intervals. */
function overlap(report: PioReport, range: Range, period: Period): number {
	const from = Math.max(range.from, placeAt(report, period.start));
	return Math.max(0, Math.min(range.to, placeAt(report, period.end)) - from);
}

const periodsIn = (report: PioReport, range: Range, periods: readonly Period[]) =>
	periods.filter((period) => overlap(report, range, period) > 0);

export function PioFilters(props: {
	whole: PioReport;
	shown: ReturnType<typeof useServer>;
	/** Null: all of it. */
	range: Range | null;
}) {
	const { whole, range } = props;
	const { report, chosen } = props.shown;
	const choices = useMemo(
		(): Choices<"server">[] =>
			real([
				{
					facet: "server",
					title: "Server",
					values: asThey(distinct(whole.series.map((s) => s.server).filter(Boolean))),
				},
			]),
		[whole],
	);
	const { from, to } = range ?? { from: 0, to: whole.intervals.length };
	const sum = useMemo(() => {
		const all = { slow: 0, requests: 0, n: 0 };
		for (let i = Math.ceil(from); i < to; i++) {
			all.slow += whole.intervals[i]?.slow ?? 0;
			all.requests += whole.intervals[i]?.requests ?? 0;
			all.n++;
		}
		return all;
	}, [whole, from, to]);
	const inside = periodsIn(report, { from, to }, report.periods);
	const slow = inside.reduce((total, p) => total + overlap(report, { from, to }, p), 0);
	return (
		<FilterBar
			choices={choices}
			chosen={chosen}
			also={
				range
					? [
							[
								`${dateText(timeAt(whole, from))} to ${clockText(timeAt(whole, to))} UTC`,
								"zoom",
							] as const,
						]
					: []
			}
			passes={
				<>
					{duration(slow * whole.step_ns)} of {duration(sum.n * whole.step_ns)} slow, in{" "}
					{count(inside.length)} of {plural(whole.periods.length, "slow period")}
					{chosen.server ? " (with this server as bottleneck)" : ""}
					{whole.has_log
						? `; ${count(sum.slow)} of ${plural(sum.requests, "request")} slow (${percent(sum.slow, sum.requests)})${chosen.server ? " on all servers" : ""}`
						: ""}
					. The summary is not filtered.
				</>
			}
		/>
	);
}

interface Out {
	readonly series: Series;
	/** Values outside the healthy range, and all that there are. */
	readonly n: number;
	readonly of: number;
	/** The value furthest outside, and how far. */
	readonly value: number;
	readonly deviation: number;
}

/** Counters outside of their healthy range in a stretch of time, the most often first. */
function outIn(report: PioReport, range: Range): Out[] {
	const per = report.series_step_ns / report.step_ns;
	const first = Math.floor(range.from / per);
	const last = Math.ceil(range.to / per);
	const rows = report.series.flatMap((series) => {
		if (series.drifting) return [];
		let n = 0;
		let of = 0;
		let worst = 0;
		let value = 0;
		for (const at of series.values.slice(first, last)) {
			if (at === null) continue;
			of++;
			const deviation = deviationOf(series, at);
			if (!deviation) continue;
			n++;
			if (deviation > worst) [worst, value] = [deviation, at];
		}
		return n ? [{ series, n, of, value, deviation: worst }] : [];
	});
	return rows.sort((a, b) => b.n / b.of - a.n / a.of || b.deviation - a.deviation);
}

const OUT_COLUMNS: readonly Column<Out>[] = [
	{
		key: "counter",
		title: "counter",
		value: (o) => `${o.series.server}/${o.series.counter}`,
		cell: (o) => <Name text={`${o.series.server}/${o.series.counter}`} most={60} />,
		width: "minmax(140px, 1fr)",
	},
	{
		key: "share",
		title: "out of range",
		help: "share of its values in this time range outside its healthy range",
		value: (o) => o.n / o.of,
		csv: [
			["out", (o) => o.n],
			["values", (o) => o.of],
		],
		cell: (o) => `${percent(o.n, o.of)} of ${count(o.of)}`,
		numeric: true,
		width: "120px",
		give: 0,
	},
	{
		key: "value",
		title: "furthest",
		help: "most extreme value",
		value: (o) => o.value,
		cell: (o) => number(o.value),
		numeric: true,
		width: "90px",
	},
	{
		key: "deviation",
		title: "times",
		help: "distance from the median, relative to the bound of the healthy range",
		value: (o) => o.deviation,
		cell: (o) => `${o.deviation < 100 ? o.deviation.toFixed(1) : count(o.deviation)}\u202f×`,
		numeric: true,
		width: "76px",
	},
	{
		key: "healthy",
		title: "healthy",
		value: (o) => `${o.series.low} to ${o.series.high}`,
		csv: [
			["low", (o) => o.series.low],
			["high", (o) => o.series.high],
		],
		cell: (o) => `${number(o.series.low ?? 0)} to ${number(o.series.high ?? 0)}`,
		numeric: true,
		width: "130px",
	},
];

/** What left its healthy range in the time that is seen. */
export function RangeCounters({ report, range }: { report: PioReport; range: Range }) {
	const rows = useMemo(() => outIn(report, range), [report, range.from, range.to]);
	return (
		<Section
			title="Counters in this time range"
			note="outside their healthy range, most frequent first"
		>
			<Table
				name="range"
				label="Counters in this time range"
				rows={rows}
				columns={OUT_COLUMNS}
				keyOf={(o) => `${o.series.server} ${o.series.counter}`}
				search={(o) => `${o.series.server}/${o.series.counter}`}
				most={10}
				empty="All counters stayed within their healthy ranges."
			/>
		</Section>
	);
}
