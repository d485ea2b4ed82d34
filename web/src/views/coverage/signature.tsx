// One signature: what it costs, in what, where most, and group by group.

import { useMemo } from "preact/hooks";
import type { CoverageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { costIn, count, percent } from "../../shared/format";
import { KindNumbers } from "../../shared/kinds";
import { Name } from "../../shared/name";
import { ThingButtons } from "../../shared/opening";
import { Facts, Section } from "../../shared/section";
import { Bug } from "../../shared/signature-columns";
import { type Step, Steps } from "../../shared/steps";
import { type Column, Table } from "../../shared/table";
import type { Signature } from "./parts";
import { stateText } from "./table";

export function SignaturePage(props: {
	report: CoverageReport;
	reference: ReportRef;
	signature: Signature;
}) {
	const { report, reference, signature } = props;
	const cost = (ns: number) => costIn(report, ns);
	const at = report.signatures.indexOf(signature);
	const before = report.signatures[at - 1];
	const after = report.signatures[at + 1];
	const stepTo = (other: Signature | undefined): Step | undefined =>
		other && {
			path: [reference.name, other.name],
			text: <Name text={other.name} most={40} />,
		};
	const { worst } = signature;
	return (
		<>
			<Steps
				label="Signatures"
				all={{ path: [reference.name], text: "All signatures" }}
				before={stepTo(before)}
				after={stepTo(after)}
			/>
			<h1>
				<Name text={signature.name} most={100} />
				<span class="cluster-why">{stateText(signature)}</span>
			</h1>
			<ThingButtons />
			<Facts
				items={[
					[
						"total",
						`${cost(signature.total_ns)} · ${percent(signature.total_ns, report.symptom_ns)}`,
					],
					["exclusive", cost(signature.exclusive_ns)],
					["events", count(signature.events)],
					["recordings", `${count(signature.streams)} of ${count(report.streams)}`],
					["symptoms", `${count(signature.symptoms)} of ${count(report.symptoms)}`],
					signature.owner ? ["owner", <Name key="owner" text={signature.owner} most={80} />] : null,
					signature.bug ? ["bug", <Bug key="bug" text={signature.bug} whole />] : null,
				]}
			/>
			<div class="coverage-two">
				<Section title="Total cost">
					<KindNumbers of={signature} whole={signature.total_ns} text={cost} />
				</Section>
				<Section title="Worst in" note="the symptom with its largest cost">
					{worst ? (
						<dl class="numbers coverage-worst">
							<div>
								<dt>recording</dt>
								<dd>
									<Name text={worst.stream} most={90} />
								</dd>
							</div>
							<div>
								<dt>thread</dt>
								<dd>
									<Name text={`${worst.comm} ${worst.tid}`} most={60} />
								</dd>
							</div>
							<div>
								<dt>cost there</dt>
								<dd>{cost(worst.cost_ns)}</dd>
							</div>
						</dl>
					) : (
						<p class="quiet">It matches nothing in these recordings.</p>
					)}
				</Section>
			</div>
			{signature.groups ? <Trend report={report} signature={signature} /> : null}
		</>
	);
}

interface Row {
	readonly name: string;
	readonly group_ns: number;
	readonly total_ns: number;
	readonly exclusive_ns: number;
	readonly streams: number;
	readonly of: number;
	readonly share: number;
}

function Trend({ report, signature }: { report: CoverageReport; signature: Signature }) {
	const rows = useMemo((): Row[] => {
		const costs = new Map(signature.groups?.map((g) => [g.name, g]));
		return (report.groups ?? []).map((group) => {
			const cell = costs.get(group.name);
			return {
				name: group.name,
				group_ns: group.symptom_ns,
				total_ns: cell?.total_ns ?? 0,
				exclusive_ns: cell?.exclusive_ns ?? 0,
				streams: cell?.streams ?? 0,
				of: group.streams,
				share: cell?.share ?? 0,
			};
		});
	}, [report, signature]);
	const widest = Math.max(0.001, ...rows.map((row) => row.share));
	const cost = (ns: number) => costIn(report, ns);
	const columns: Column<Row>[] = [
		{
			key: "name",
			title: report.by ?? "group",
			value: (r) => r.name,
			cell: (r) => <Name text={r.name} most={60} />,
			width: "minmax(120px, 1fr)",
		},
		{
			key: "bar",
			title: "share of the group's symptom time",
			value: (r) => percent(r.total_ns, r.group_ns),
			cell: (r) => (
				<PartBar
					parts={[[r.share, "var(--accent)"]]}
					whole={widest}
					label={percent(r.total_ns, r.group_ns)}
				/>
			),
			width: "minmax(200px, 3fr)",
		},
		{
			key: "share",
			title: "share",
			value: (r) => r.share,
			cell: (r) => (r.total_ns ? percent(r.total_ns, r.group_ns) : "–"),
			numeric: true,
			width: "80px",
		},
		{
			key: "total_ns",
			title: "total",
			value: (r) => r.total_ns,
			cell: (r) => (r.total_ns ? cost(r.total_ns) : "–"),
			numeric: true,
			width: "90px",
		},
		{
			key: "exclusive_ns",
			title: "exclusive",
			value: (r) => r.exclusive_ns,
			cell: (r) => (r.total_ns ? cost(r.exclusive_ns) : "–"),
			numeric: true,
			width: "90px",
		},
		{
			key: "streams",
			title: "recordings",
			value: (r) => r.streams,
			cell: (r) => `${count(r.streams)} of ${count(r.of)}`,
			numeric: true,
			width: "100px",
		},
	];
	return (
		<Section title="Trend" note="a growing share is a growing problem">
			<Table
				name="trend"
				label="The signature by group"
				rows={rows}
				columns={columns}
				keyOf={(r) => r.name}
				search={(r) => r.name}
				most={24}
			/>
		</Section>
	);
}
