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

/** Rows of the heat map, server by server in the order of the document. */
export function heatRows(report: PioReport) {
	const servers = [...new Set(report.matrix.map((row) => row.server))];
	return servers.map((server) => ({
		server,
		rows: report.matrix.filter((row) => row.server === server),
	}));
}
