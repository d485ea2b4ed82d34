import type { MineReport } from "../../data/reports";
import { costIn, count, percent, plural } from "../../shared/format";
import { Facts } from "../../shared/section";
import type { ViewProps } from "../view";
import { ClusterPage } from "./cluster";
import { ClusterList } from "./list";
import { MineNotes } from "./notes";
import "./mine.css";

export function MinePage(props: ViewProps<MineReport>) {
	const { report, path, reference } = props;
	const cluster = path[0] ? report.clusters.find((c) => c.id === path[0]) : undefined;
	if (cluster) return <ClusterPage report={report} reference={reference} cluster={cluster} />;
	const explained = report.aoi.wait_ns + report.aoi.run_ns + report.aoi.ready_ns - report.other_ns;
	return (
		<>
			<h1>What made users wait</h1>
			{path[0] ? (
				<p class="notice" role="alert">
					This report has no cluster {path[0].slice(0, 40)}.
				</p>
			) : null}
			<Facts
				items={[
					["symptom time", costIn(report, report.symptom_ns)],
					["symptoms", count(report.symptoms)],
					["recordings", count(report.streams)],
					["clusters", count(report.clusters.length + (report.more ?? 0))],
					["patterns", count(report.patterns)],
					["explained", percent(explained, explained + report.other_ns)],
					["waiting", costIn(report, report.aoi.wait_ns)],
					["running", costIn(report, report.aoi.run_ns)],
					["ready, without a CPU", costIn(report, report.aoi.ready_ns)],
				]}
			/>
			<ClusterList report={report} reference={reference} />
			{report.more ? (
				<p class="quiet">{plural(report.more, "smaller cluster")} are not in this report.</p>
			) : null}
			<MineNotes report={report} />
		</>
	);
}
