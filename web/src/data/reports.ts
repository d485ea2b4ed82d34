// The reports that pages are drawn of, by their schema. Types come from docs/schema (`npm run
// types`); nothing here is written by hand twice.
import type { MineReport } from "./generated/mine";
import type { PioReport } from "./generated/pio";
import type { SuspectsReport } from "./generated/suspects";
import type { TimelineReport } from "./generated/timeline";

export type { MineReport, PioReport, SuspectsReport, TimelineReport };

export interface ReportTypes {
	"lode/mine/1": MineReport;
	"lode/suspects/1": SuspectsReport;
	"lode/timeline/1": TimelineReport;
	"lode/pio/1": PioReport;
}
export type Schema = keyof ReportTypes;
