// What the views of PIO share: one axis of intervals for all tracks.
import type { PioReport } from "../../data/reports";
import { count } from "../../shared/format";

export type Period = PioReport["periods"][number];
export type Interval = PioReport["intervals"][number];
export type Series = PioReport["series"][number];
export type RuleName = { list: "low_other" | "med_high"; ruleset: number; rule: number };

/** The part of the intervals that is shown: [from, to). */
export interface Range {
	readonly from: number;
	readonly to: number;
}

/** What is left out of the axis; reports of before had nothing of the kind. */
export function pausesOf(report: PioReport) {
	return report.pauses ?? [];
}

/** Where a time stands among the intervals; in a pause that is left out: where it is cut. */
export function placeAt(report: PioReport, t: number): number {
	let leftOut = 0;
	for (const pause of pausesOf(report)) {
		const cut = report.start + pause.interval * report.step_ns;
		if (t >= cut + pause.left_out_ns) leftOut = pause.left_out_ns;
		else if (t > cut + leftOut) return pause.interval;
	}
	return (t - report.start - leftOut) / report.step_ns;
}

export function intervalAt(report: PioReport, t: number): number {
	return Math.round(placeAt(report, t));
}

export function timeAt(report: PioReport, interval: number): number {
	const before = pausesOf(report).filter((pause) => pause.interval <= interval);
	return report.start + interval * report.step_ns + (before.at(-1)?.left_out_ns ?? 0);
}

/** Which rules decided an interval. */
export function rulesAt(report: PioReport, interval: number) {
	const has = (ranges: readonly (readonly number[])[]) =>
		ranges.some(([first, last]) => interval >= first! && interval <= last!);
	return [
		...report.rules.low_other.filter((rule) => has(rule.intervals)),
		...report.rules.med_high.filter((rule) => has(rule.intervals)),
	];
}

/** A raw value: one point may stand for several intervals. */
export function valueAt(report: PioReport, series: Series, interval: number): number | null {
	const at = Math.floor((interval * report.step_ns) / report.series_step_ns);
	return series.values[at] ?? null;
}

export function periodAt(report: PioReport, interval: number): Period | undefined {
	const t = timeAt(report, interval);
	return report.periods.find((period) => t >= period.start && t < period.end);
}

/** A row per counter: what is drawn of it at each interval, nothing as 0. */
interface HeatRow {
	readonly server: string;
	readonly counter: string;
	readonly at: (interval: number) => number;
}

/** A heat map, server by server. */
export interface Heat {
	readonly groups: ReadonlyArray<{ readonly server: string; readonly rows: readonly HeatRow[] }>;
	/** Up to which value each of the four colours is. */
	readonly bounds: readonly number[];
	/** What the colours say; what a value is called. */
	readonly note: string;
	readonly text: (value: number) => string;
	/** Rows that there was no room for. */
	readonly more: number;
}

function grouped(rows: readonly HeatRow[]): Heat["groups"] {
	const servers = [...new Set(rows.map((row) => row.server))];
	return servers.map((server) => ({ server, rows: rows.filter((row) => row.server === server) }));
}

/** How often the rules that decided an interval name a counter. */
export function ruleHeat(report: PioReport): Heat {
	const most = report.matrix.reduce((m, row) => row.values.reduce((k, v) => Math.max(k, v), m), 1);
	// Steps of squares: one rule that holds for an hour must not pale all others.
	const bounds = [1, 2, 3, 4].map((k) => Math.ceil(most * (k / 4) ** 2));
	return {
		groups: grouped(
			report.matrix.map(({ server, counter, values }) => ({
				server,
				counter,
				at: (interval) => values[interval] ?? 0,
			})),
		),
		bounds,
		note: `rule coverage up to ${bounds.map(count).join(" · ")}`,
		text: (value) => `rule coverage ${count(value)}`,
		more: 0,
	};
}

const MOST_ROWS = 24;

/**
 * How far a value is outside of its counter's healthy range: its distance from the median, of which
 * the border's is 1 (docs/pio.md); 0 inside, and where no range is known.
 */
export function deviationOf(series: Series, value: number | null): number {
	const { low, high, median } = series;
	if (value === null || low === undefined || high === undefined || median === undefined) return 0;
	if (value > high) return (value - median) / (high - median || 1);
	return value < low ? (median - value) / (median - low || 1) : 0;
}

/** Counters of a period that are named beside it. */
export const NAMED_COUNTERS = 5;

/** By its place among those named of a period, the best of all periods; of others there is none. */
function placeOf(report: PioReport, series: Series): number {
	const places = report.periods.map((period) =>
		period.counters
			.slice(0, NAMED_COUNTERS)
			.findIndex((c) => c.server === series.server && c.counter === series.counter),
	);
	return Math.min(...places.filter((place) => place >= 0), NAMED_COUNTERS);
}

/**
 * Counters that leave their healthy range: first those that are named as the cause of a period, then
 * those that do so most in slow periods.
 */
export function rangeHeat(report: PioReport): Heat {
	const isSlow = report.intervals.map((_, i) => periodAt(report, i) !== undefined);
	const rows = report.series.flatMap((series) => {
		if (series.drifting) return [];
		const values = Float64Array.from(series.values, (value) => deviationOf(series, value));
		const per = report.series_step_ns / report.step_ns;
		const at = (interval: number) => values[Math.floor(interval / per)] ?? 0;
		const n = isSlow.reduce((sum, slow, i) => sum + (slow && at(i) ? 1 : 0), 0);
		return values.some((v) => v > 0)
			? [{ server: series.server, counter: series.counter, at, n, place: placeOf(report, series) }]
			: [];
	});
	rows.sort((a, b) => a.place - b.place || b.n - a.n);
	return {
		groups: grouped(rows.slice(0, MOST_ROWS)),
		bounds: [2, 4, 8, Number.POSITIVE_INFINITY],
		note: "outside its healthy range: up to 2 · 4 · 8 times the distance of the bound, and more",
		text: (value) =>
			value
				? `${value.toFixed(1)} × the distance of its bound from the median`
				: "in its healthy range",
		more: Math.max(0, rows.length - MOST_ROWS),
	};
}
