import type { TriageReport } from "../../data/reports";
import { count } from "../../shared/format";
import { Section } from "../../shared/section";
import { signatureColumns } from "../../shared/signature-columns";
import { type Column, Table } from "../../shared/table";
import type { Returned as Row } from "./known";

/** Problems that were fixed, and match again. */
export function Returned({ report }: { report: TriageReport }) {
	const { name, total, share, owner, bug } = signatureColumns<Row>(report, report.symptom_ns);
	const columns: Column<Row>[] = [
		name,
		total,
		share,
		{
			key: "streams",
			title: "recordings",
			value: (s) => s.streams,
			cell: (s) => `${count(s.streams)} of ${count(report.streams)}`,
			numeric: true,
			width: "96px",
		},
		owner,
		bug,
	];
	return (
		<Section title="Came back" note="retired as fixed, but matches again; counted as unexplained">
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
