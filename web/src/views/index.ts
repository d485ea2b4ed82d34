// Which view draws which report.
import type {
	AnalyzeReport,
	CoverageReport,
	DiffReport,
	MineReport,
	NextReport,
	PioReport,
	Schema,
	SuspectsReport,
	TimelinePageReport,
	TriageReport,
} from "../data/reports";
import { CoveragePage } from "./coverage/page";
import { DiffPage } from "./diff/page";
import { MinePage } from "./mine/page";
import { NextPage } from "./next/page";
import { OverviewPage } from "./overview/page";
import { PioPage } from "./pio/page";
import { SuspectsPage } from "./suspects/page";
import { TimelinePage } from "./timeline/page";
import { TriagePage } from "./triage/page";
import { type View, view } from "./view";

const views: Record<Schema, View> = {
	"lode/analyze/1": view<AnalyzeReport>("Overview", OverviewPage),
	"lode/mine/1": view<MineReport>("Mine", MinePage),
	"lode/suspects/1": view<SuspectsReport>("Suspects", SuspectsPage),
	"lode/timeline-page/1": view<TimelinePageReport>("Timeline", TimelinePage),
	"lode/pio/1": view<PioReport>("PIO", PioPage),
	"lode/diff/1": view<DiffReport>("Diff", DiffPage),
	"lode/next/1": view<NextReport>("Next", NextPage),
	"lode/coverage/1": view<CoverageReport>("Coverage", CoveragePage),
	"lode/triage/1": view<TriageReport>("Triage", TriagePage),
};

export function viewOf(schema: string): View | undefined {
	return Object.hasOwn(views, schema) ? views[schema as Schema] : undefined;
}
