// The reports that pages are drawn of, by their schema. Types come from docs/schema (`npm run
// types`); nothing here is written by hand twice.
import type { AnalyzeReport } from "./generated/analyze";
import type { CoverageReport } from "./generated/coverage";
import type { DiffReport } from "./generated/diff";
import type { MineReport } from "./generated/mine";
import type { NextReport } from "./generated/next";
import type { PioReport } from "./generated/pio";
import type { SuspectsReport } from "./generated/suspects";
import type { TimelineMeanwhilesReport } from "./generated/timeline-meanwhiles";
import type { Timeline, TimelinePageReport } from "./generated/timeline-page";
import type { TimelineWindowsReport } from "./generated/timeline-windows";
import type { TriageReport } from "./generated/triage";

export type {
	AnalyzeReport,
	CoverageReport,
	DiffReport,
	MineReport,
	NextReport,
	PioReport,
	SuspectsReport,
	Timeline,
	TimelinePageReport,
	TimelineMeanwhilesReport,
	TimelineWindowsReport,
	TriageReport,
};

export interface ReportTypes {
	"lode/analyze/1": AnalyzeReport;
	"lode/mine/1": MineReport;
	"lode/suspects/1": SuspectsReport;
	"lode/timeline-page/1": TimelinePageReport;
	"lode/pio/1": PioReport;
	"lode/diff/1": DiffReport;
	"lode/next/1": NextReport;
	"lode/coverage/1": CoverageReport;
	"lode/triage/1": TriageReport;
}
export type Schema = keyof ReportTypes;
