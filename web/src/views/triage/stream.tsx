// One new recording: what it is known as.
import { useMemo } from "preact/hooks";
import type { TriageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { costIn, count, percent } from "../../shared/format";
import { Legend } from "../../shared/legend";
import { Name } from "../../shared/name";
import { ThingButtons } from "../../shared/opening";
import { namer } from "../../shared/recording-names";
import { Facts, Section } from "../../shared/section";
import { exclusiveColumns, signatureColumns } from "../../shared/signature-columns";
import { type Step, Steps } from "../../shared/steps";
import { type Column, Table } from "../../shared/table";
import { type Known, PARTS, partsOf, type Triaged } from "./known";

export function StreamPage(props: { report: TriageReport; reference: ReportRef; stream: Triaged }) {
	const { report, reference, stream } = props;
	const at = report.triaged.indexOf(stream);
	const before = report.triaged[at - 1];
	const after = report.triaged[at + 1];
	const cost = (ns: number) => costIn(report, ns);
	const name = useMemo(() => namer(report.triaged.map((s) => s.path)), [report]);
	const stepTo = (other: Triaged | undefined): Step | undefined =>
		other && {
			path: [reference.name, "recording", other.id],
			text: <Name text={name(other.path)} most={40} />,
		};
	return (
		<>
			<Steps
				label="Recordings"
				all={{ path: [reference.name], text: "All recordings" }}
				before={stepTo(before)}
				after={stepTo(after)}
			/>
			<h1>
				<Name text={name(stream.path)} most={80} />
			</h1>
			<p class="quiet mono">
				<Name text={stream.path} most={300} />
			</p>
			{stream.over ? (
				<p class="notice triage-over" role="status">
					! More than <Name text={report.fail_over ?? ""} most={40} /> is unexplained.
				</p>
			) : null}
			<ThingButtons />
			<Facts
				items={[
					["symptom time", cost(stream.symptom_ns)],
					[
						"known",
						`${cost(stream.covered_ns)} · ${percent(stream.covered_ns, stream.symptom_ns)}`,
					],
					stream.returned_ns ? ["came back", cost(stream.returned_ns)] : null,
					["not explained", cost(stream.unexplained_ns)],
					stream.host ? ["host", <Name key="host" text={stream.host} most={60} />] : null,
					stream.kernel ? ["kernel", <Name key="kernel" text={stream.kernel} most={60} />] : null,
				]}
			/>
			<div class="triage-bar">
				<PartBar
					parts={partsOf(stream).map((ns, k) => [ns, PARTS[k]!.css] as const)}
					whole={stream.symptom_ns}
					label={partsOf(stream)
						.map((ns, k) => `${cost(ns)} ${PARTS[k]!.title}`)
						.join(", ")}
				/>
				<Legend items={PARTS.map((part) => [part.css, part.title])} />
			</div>
			<Section
				title="Known as"
				note={
					stream.signatures_more
						? `${count(stream.signatures_more)} more are not in this report`
						: "several may explain the same time"
				}
			>
				<Table
					name="known"
					label="Signatures in the recording"
					rows={stream.signatures}
					columns={columnsOf(report, stream)}
					keyOf={(s) => s.name}
					search={(s) => `${s.name} ${s.owner} ${s.bug}`}
					rowClass={(s) => (s.state === "retired" ? "triage-over-row" : "")}
					empty="No known problems."
				/>
			</Section>
		</>
	);
}

function columnsOf(report: TriageReport, stream: Triaged): Column<Known>[] {
	const { name, total, share, owner, bug } = signatureColumns<Known>(report, stream.symptom_ns);
	const { bar, exclusive } = exclusiveColumns(report, stream.signatures);
	return [
		name,
		{
			key: "state",
			title: "state",
			value: (s) => (s.state === "retired" ? "came back" : s.state),
			width: "84px",
		},
		bar,
		total,
		{ ...share, help: "total cost as a share of the recording's symptom time" },
		exclusive,
		{
			key: "events",
			title: "events",
			value: (s) => s.events,
			cell: (s) => count(s.events),
			numeric: true,
			width: "72px",
		},
		owner,
		bug,
	];
}
