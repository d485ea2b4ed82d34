// What the views of PIO share: one axis of intervals for all tracks.
import type { PioReport } from "../../data/reports";

export type Period = PioReport["periods"][number];
export type Interval = PioReport["intervals"][number];
export type Series = PioReport["series"][number];
export type RuleName = { list: "low_other" | "med_high"; ruleset: number; rule: number };

/** The part of the intervals that is shown: [from, to). */
export interface Range {
	readonly from: number;
	readonly to: number;
}

export function intervalAt(report: PioReport, t: number): number {
	return Math.round((t - report.start) / report.step_ns);
}

export function timeAt(report: PioReport, interval: number): number {
	return report.start + interval * report.step_ns;
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

/** Rows of the heat map, server by server in the order of the document. */
export function heatRows(report: PioReport) {
	const servers = [...new Set(report.matrix.map((row) => row.server))];
	return servers.map((server) => ({
		server,
		rows: report.matrix.filter((row) => row.server === server),
	}));
}
