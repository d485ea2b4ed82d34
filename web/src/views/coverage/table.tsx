import { useMemo } from "preact/hooks";
import type { CoverageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { costIn, count } from "../../shared/format";
import { goTo } from "../../shared/location";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { exclusiveColumns, signatureColumns } from "../../shared/signature-columns";
import { type Column, Table } from "../../shared/table";
import { shortener } from "../../shared/titles";
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
	const c = signatureColumns<Signature>(report, report.symptom_ns);
	const { bar, exclusive } = exclusiveColumns(report, report.signatures);
	const short = shortener(report.signatures.flatMap((s) => s.worst?.stream ?? []));
	return [
		c.name,
		{ key: "state", title: "state", value: stateText, width: "78px" },
		c.share,
		bar,
		c.total,
		exclusive,
		{
			key: "streams",
			title: "recordings",
			help: "recordings in which it occurs",
			value: (s) => s.streams,
			cell: (s) => count(s.streams),
			numeric: true,
			width: "76px",
		},
		{
			key: "average_ns",
			title: "average",
			help: "total cost per event",
			value: (s) => (s.events ? Math.round(s.total_ns / s.events) : Number.NaN),
			cell: (s) => (s.events ? cost(s.total_ns / s.events) : "–"),
			numeric: true,
			width: "68px",
		},
		c.owner,
		c.bug,
		{
			key: "worst",
			title: "worst in",
			help: "the recording with its worst symptom",
			value: (s) => s.worst?.stream ?? "",
			cell: (s) => (s.worst ? <Name text={short(s.worst.stream)} most={60} /> : "–"),
			width: "minmax(80px, 2fr)",
		},
	];
}
