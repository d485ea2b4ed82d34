import type { TriageReport } from "../../data/reports";
import { costIn, count, percent } from "../../shared/format";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import type { Returned as Row } from "./known";

/** Problems that were fixed, and match again. */
export function Returned({ report }: { report: TriageReport }) {
	const columns: Column<Row>[] = [
		{
			key: "name",
			title: "signature",
			value: (s) => s.name,
			cell: (s) => <Name text={s.name} most={80} />,
			width: "minmax(160px, 1fr)",
		},
		{
			key: "total_ns",
			title: "total",
			value: (s) => s.total_ns,
			cell: (s) => costIn(report, s.total_ns),
			numeric: true,
			width: "90px",
		},
		{
			key: "share",
			title: "share",
			help: "of all symptom time",
			value: (s) => s.total_ns,
			cell: (s) => percent(s.total_ns, report.symptom_ns),
			numeric: true,
			width: "76px",
		},
		{
			key: "streams",
			title: "recordings",
			value: (s) => s.streams,
			cell: (s) => `${count(s.streams)} of ${count(report.streams)}`,
			numeric: true,
			width: "96px",
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
	return (
		<Section title="Came back" note="retired as fixed, and matches again; it counts as unexplained">
			<Table
				name="returned"
				label="Signatures that came back"
				rows={report.returned}
				columns={columns}
				keyOf={(s) => s.name}
				rowClass={() => "triage-over-row"}
				most={10}
			/>
		</Section>
	);
}
