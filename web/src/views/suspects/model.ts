import type { SuspectsReport } from "../../data/reports";
import type { Bounds } from "../../shared/histogram";

export type Metric = SuspectsReport["metrics"][number];
export type Suspect = SuspectsReport["functions"][number];
export type Contrast = SuspectsReport["contrasts"][number];
export type Explained = NonNullable<SuspectsReport["details"]>[number];

/** What a function is called in the URL. */
export function nameOf(f: { module: string; function: string }): string {
	return f.module ? `${f.module}!${f.function}` : f.function;
}

/** Whether recordings are compared with others, not slow calls with the rest. */
export const isVersus = (report: SuspectsReport) => report.options.evidence === "sets";

/** Where a metric's executions succeed and fail; none where sets are compared. */
export function boundsOf(report: SuspectsReport, metric: Metric | undefined): Bounds | undefined {
	if (!metric?.labelled || isVersus(report)) return undefined;
	return { prune: metric.prune_ns, success: metric.success_ns, failed: metric.failed_ns };
}

/** Below it, an association is more than chance. */
export const SIGNIFICANT = 0.05;

/** A chance in words that stay readable: 0.03, 4e-26. */
export function chance(p: number, log10: number): string {
	if (p >= 0.995) return "1";
	if (p >= 0.001) return p.toPrecision(2);
	if (log10 < -99) return "<1e−99";
	const power = Math.floor(log10);
	const digit = Math.round(10 ** (log10 - power));
	return (digit > 9 ? `1e${power + 1}` : `${digit}e${power}`).replace("-", "−");
}
