// New recordings against the signatures: what of each is known, what came back, what is new.
import { useMemo } from "preact/hooks";
import type { TriageReport } from "../../data/reports";
import { costIn, count, plural } from "../../shared/format";
import { BadInputs } from "../../shared/inputs";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { Facts, Section } from "../../shared/section";
import { ClusterPage } from "../mine/cluster";
import { isNamed, type Mined } from "../mine/clusters";
import { type ViewProps, view } from "../view";
import { Rest } from "./rest";
import { Returned } from "./returned";
import { StreamPage } from "./stream";
import { Streams } from "./streams";
import "../mine/mine.css";
import "./triage.css";

export const page = view("lode/triage/1", "Triage", TriagePage);

function TriagePage(props: ViewProps<TriageReport>) {
	const { report, path, reference } = props;
	const rest = useMemo(() => minedOf(report), [report]);
	const cluster = path[0] ? rest?.clusters.find((c) => isNamed(c, path[0]!)) : undefined;
	if (rest && cluster) return <ClusterPage report={rest} reference={reference} cluster={cluster} />;
	const stream = path[0] === "recording" ? report.triaged.find((s) => s.id === path[1]) : undefined;
	if (stream) return <StreamPage report={report} reference={reference} stream={stream} />;
	return (
		<>
			<h1>What is known, and what is new</h1>
			{path[0] ? (
				<p class="notice" role="alert">
					This report has no recording or cluster{" "}
					<Name text={path[0] === "recording" ? (path[1] ?? "") : path[0]} most={40} />.
				</p>
			) : null}
			<Opening report={report} />
			{report.fail_over === undefined ? null : (
				<p class={report.over ? "notice triage-over" : "notice"} role="status">
					{report.over ? "!" : "Passed:"}{" "}
					{report.over ? plural(report.over, "recording") : "no recording"}{" "}
					{report.over === 1 || !report.over ? "has" : "have"} more than{" "}
					<Name text={report.fail_over} most={40} /> unexplained.
				</p>
			)}
			<Facts
				items={[
					["recordings", count(report.streams)],
					["symptoms", count(report.symptoms)],
					["symptom time", costIn(report, report.symptom_ns)],
					["known", costIn(report, report.covered_ns)],
					report.returned_ns ? ["came back", costIn(report, report.returned_ns)] : null,
					["not explained", costIn(report, report.unexplained_ns)],
				]}
			/>
			<Streams report={report} reference={reference} />
			{report.returned.length ? <Returned report={report} /> : null}
			<Rest report={report} reference={reference} />
			{report.skipped.length + report.incomplete.length ? (
				<Section title="Skipped or incomplete">
					<BadInputs skipped={report.skipped} incomplete={report.incomplete} />
				</Section>
			) : null}
		</>
	);
}

/** The rest as the page of a cluster wants it; null: it was not mined. */
function minedOf(report: TriageReport): Mined | null {
	const { clusters, inputs, frames } = report;
	if (!clusters || !inputs) return null;
	return {
		unit: report.unit,
		streams: report.streams,
		symptoms: report.symptoms,
		symptom_ns: report.symptom_ns,
		clusters,
		inputs,
		...(frames ? { frames } : {}),
	};
}
