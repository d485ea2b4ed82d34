// The reports that pages are drawn of, by their schema. Types come from docs/schema (`npm run
// types`); nothing here is written by hand twice.
import type { AnalyzeReport } from "./generated/analyze";
import type { MineReport } from "./generated/mine";
import type { PioReport } from "./generated/pio";
import type { SuspectsReport } from "./generated/suspects";
import type { Timeline, TimelinePageReport } from "./generated/timeline-page";
import type { TimelineWindowsReport } from "./generated/timeline-windows";

export type {
	AnalyzeReport,
	MineReport,
	PioReport,
	SuspectsReport,
	Timeline,
	TimelinePageReport,
	TimelineWindowsReport,
};

export interface ReportTypes {
	"lode/analyze/1": AnalyzeReport;
	"lode/mine/1": MineReport;
	"lode/suspects/1": SuspectsReport;
	"lode/timeline-page/1": TimelinePageReport;
	"lode/pio/1": PioReport;
}
export type Schema = keyof ReportTypes;
