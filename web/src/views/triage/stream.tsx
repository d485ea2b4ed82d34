// One new recording: what it is known as.
import type { TriageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { baseName, costIn, count, percent } from "../../shared/format";
import { Name } from "../../shared/name";
import { Facts, Section } from "../../shared/section";
import { type Step, Steps } from "../../shared/steps";
import { type Column, Table } from "../../shared/table";
import { type Known, PARTS, partsOf, type Triaged } from "./known";

export function StreamPage(props: { report: TriageReport; reference: ReportRef; stream: Triaged }) {
	const { report, reference, stream } = props;
	const at = report.triaged.indexOf(stream);
	const before = report.triaged[at - 1];
	const after = report.triaged[at + 1];
	const cost = (ns: number) => costIn(report, ns);
	const stepTo = (other: Triaged | undefined): Step | undefined =>
		other && {
			path: [reference.name, "recording", other.id],
			text: <Name text={baseName(other.path)} most={40} />,
		};
	const widest = Math.max(1, ...stream.signatures.map((s) => s.total_ns));
	return (
		<>
			<Steps
				label="Recordings"
				all={{ path: [reference.name], text: "All recordings" }}
				before={stepTo(before)}
				after={stepTo(after)}
			/>
			<h1>
				<Name text={baseName(stream.path)} most={80} />
			</h1>
			<p class="quiet mono">
				<Name text={stream.path} most={300} />
			</p>
			{stream.over ? (
				<p class="notice triage-over" role="status">
					! More than <Name text={report.fail_over ?? ""} most={40} /> of it is unexplained.
				</p>
			) : null}
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
					columns={columnsOf(report, stream, widest)}
					keyOf={(s) => s.name}
					search={(s) => `${s.name} ${s.owner} ${s.bug}`}
					rowClass={(s) => (s.state === "retired" ? "triage-over-row" : "")}
					empty="Nothing of it is known."
				/>
			</Section>
		</>
	);
}

function columnsOf(report: TriageReport, stream: Triaged, widest: number): Column<Known>[] {
	const cost = (ns: number) => costIn(report, ns);
	return [
		{
			key: "name",
			title: "signature",
			value: (s) => s.name,
			cell: (s) => <Name text={s.name} most={80} />,
			width: "minmax(140px, 1fr)",
		},
		{
			key: "state",
			title: "state",
			value: (s) => (s.state === "retired" ? "came back" : s.state),
			width: "90px",
		},
		{
			key: "bar",
			title: "alone, and with others",
			value: (s) => `${cost(s.exclusive_ns)} alone of ${cost(s.total_ns)}`,
			cell: (s) => (
				<PartBar
					parts={[
						[s.exclusive_ns, s.state === "retired" ? "var(--mark)" : "var(--accent)"],
						[s.total_ns - s.exclusive_ns, "var(--faint)"],
					]}
					whole={widest}
					label={`${cost(s.exclusive_ns)} alone of ${cost(s.total_ns)}`}
				/>
			),
			width: "minmax(110px, 220px)",
		},
		{
			key: "total_ns",
			title: "total",
			value: (s) => s.total_ns,
			cell: (s) => cost(s.total_ns),
			numeric: true,
			width: "84px",
		},
		{
			key: "share",
			title: "of symptoms",
			value: (s) => s.total_ns,
			cell: (s) => percent(s.total_ns, stream.symptom_ns),
			numeric: true,
			width: "92px",
		},
		{
			key: "exclusive_ns",
			title: "exclusive",
			value: (s) => s.exclusive_ns,
			cell: (s) => cost(s.exclusive_ns),
			numeric: true,
			width: "84px",
		},
		{
			key: "events",
			title: "events",
			value: (s) => s.events,
			cell: (s) => count(s.events),
			numeric: true,
			width: "72px",
		},
		{
			key: "owner",
			title: "owner",
			value: (s) => s.owner,
			cell: (s) => <Name text={s.owner} most={60} />,
			width: "minmax(80px, 0.7fr)",
		},
		{
			key: "bug",
			title: "bug",
			value: (s) => s.bug,
			cell: (s) => <Name text={s.bug} most={80} />,
			width: "minmax(80px, 1fr)",
		},
	];
}
