import { useMemo } from "preact/hooks";
import type { CoverageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { baseName, costIn, count, percent } from "../../shared/format";
import { goTo } from "../../shared/location";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { hasReturned, isRetired, type Signature } from "./parts";

export function SignatureTable({
	report,
	reference,
}: {
	report: CoverageReport;
	reference: ReportRef;
}) {
	const columns = useMemo(() => columnsOf(report), [report]);
	const quiet = report.signatures.filter((s) => isRetired(s) && !s.total_ns).length;
	return (
		<Section
			title="Signatures"
			note={
				quiet
					? `${count(quiet)} retired ${quiet === 1 ? "one has" : "ones have"} not come back`
					: undefined
			}
		>
			<Table
				name="signatures"
				label="Signatures"
				rows={report.signatures}
				columns={columns}
				keyOf={(s) => s.name}
				search={(s) => `${s.name} ${s.state} ${s.owner} ${s.bug}`}
				onSelect={(s) => goTo({ path: [reference.name, s.name], params: new Map() })}
				rowClass={(s) => (hasReturned(s) ? "coverage-returned" : isRetired(s) ? "quiet" : "")}
				most={20}
				empty="No signature."
			/>
		</Section>
	);
}

export function stateText(s: Signature): string {
	return hasReturned(s) ? "came back" : s.state;
}

function columnsOf(report: CoverageReport): Column<Signature>[] {
	const cost = (value: number) => costIn(report, value);
	const widest = Math.max(1, ...report.signatures.map((s) => s.total_ns));
	const numbers = (
		key: string,
		title: string,
		help: string,
		value: (s: Signature) => number,
		cell: (s: Signature) => string,
		width: string,
	): Column<Signature> => ({ key, title, help, value, cell, numeric: true, width });
	return [
		{
			key: "name",
			title: "signature",
			value: (s) => s.name,
			cell: (s) => <Name text={s.name} most={60} />,
			width: "minmax(140px, 1.4fr)",
		},
		{ key: "state", title: "state", value: stateText, width: "84px" },
		numbers(
			"share",
			"share",
			"total cost, of all symptom time",
			(s) => s.share,
			(s) => percent(s.total_ns, report.symptom_ns),
			"64px",
		),
		{
			key: "bar",
			title: "alone, and with others",
			help: "exclusive cost, then what others explain too, on the scale of the largest",
			value: (s) => `${cost(s.exclusive_ns)} alone of ${cost(s.total_ns)}`,
			cell: (s) => (
				<PartBar
					parts={[
						[s.exclusive_ns, isRetired(s) ? "var(--mark)" : "var(--accent)"],
						[s.total_ns - s.exclusive_ns, "var(--faint)"],
					]}
					whole={widest}
					label={`${cost(s.exclusive_ns)} alone of ${cost(s.total_ns)}`}
				/>
			),
			width: "minmax(100px, 170px)",
		},
		numbers(
			"total_ns",
			"total",
			"cost of the events that it matches",
			(s) => s.total_ns,
			(s) => cost(s.total_ns),
			"76px",
		),
		numbers(
			"exclusive_ns",
			"exclusive",
			"what no other signature matches",
			(s) => s.exclusive_ns,
			(s) => cost(s.exclusive_ns),
			"80px",
		),
		numbers(
			"streams",
			"recordings",
			"that have it",
			(s) => s.streams,
			(s) => count(s.streams),
			"80px",
		),
		numbers(
			"average_ns",
			"average",
			"total cost per event",
			(s) => (s.events ? Math.round(s.total_ns / s.events) : Number.NaN),
			(s) => (s.events ? cost(s.total_ns / s.events) : "–"),
			"76px",
		),
		{
			key: "owner",
			title: "owner",
			value: (s) => s.owner,
			cell: (s) => <Name text={s.owner} most={40} />,
			width: "minmax(60px, 0.8fr)",
		},
		{
			key: "bug",
			title: "bug",
			value: (s) => s.bug,
			cell: (s) => <Name text={s.bug} most={60} />,
			width: "minmax(60px, 1fr)",
		},
		{
			key: "worst",
			title: "worst in",
			help: "the recording with the symptom that it costs most",
			value: (s) => s.worst?.stream ?? "",
			cell: (s) => (s.worst ? <Name text={baseName(s.worst.stream)} most={60} /> : "–"),
			width: "minmax(80px, 1fr)",
		},
	];
}
