// Which view draws which report.
import type {
	AnalyzeReport,
	MineReport,
	PioReport,
	Schema,
	SuspectsReport,
	TimelinePageReport,
} from "../data/reports";
import { MinePage } from "./mine/page";
import { OverviewPage } from "./overview/page";
import { PioPage } from "./pio/page";
import { SuspectsPage } from "./suspects/page";
import { TimelinePage } from "./timeline/page";
import { type View, view } from "./view";

const views: Record<Schema, View> = {
	"lode/analyze/1": view<AnalyzeReport>("Overview", OverviewPage),
	"lode/mine/1": view<MineReport>("Mine", MinePage),
	"lode/suspects/1": view<SuspectsReport>("Suspects", SuspectsPage),
	"lode/timeline-page/1": view<TimelinePageReport>("Timeline", TimelinePage),
	"lode/pio/1": view<PioReport>("PIO", PioPage),
};

export function viewOf(schema: string): View | undefined {
	return Object.hasOwn(views, schema) ? views[schema as Schema] : undefined;
}
