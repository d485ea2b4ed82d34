import { useMemo } from "preact/hooks";
import type { TriageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { Brief, briefOf } from "../../shared/brief";
import { costIn, count, measured, percent, plural, visible } from "../../shared/format";
import { KindLegend, splitLabel, splitParts } from "../../shared/kinds";
import { goTo } from "../../shared/location";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { searchText } from "../mine/clusters";
import type { Cluster } from "./known";

/** What no signature matches, mined: the problems that nobody has signed yet. */
export function Rest({ report, reference }: { report: TriageReport; reference: ReportRef }) {
	const columns = useMemo(() => columnsOf(report), [report]);
	const { clusters } = report;
	return (
		<Section
			title="New problems in the rest"
			note={
				clusters
					? `of ${costIn(report, report.unexplained_ns)}, ${costIn(report, report.other_ns ?? 0)} not in any pattern of ${costIn(report, report.lambda_ns ?? 0)} or more`
					: undefined
			}
			tools={clusters?.length ? <KindLegend /> : null}
		>
			{report.not_mined ? (
				<p class="notice">
					The rest was not mined: <Name text={report.not_mined} most={400} />.
				</p>
			) : null}
			{clusters ? (
				<Table
					name="clusters"
					label="Clusters of the rest"
					rows={clusters}
					columns={columns}
					keyOf={(c) => c.id}
					search={searchText}
					onSelect={(c) => goTo({ path: [reference.name, c.id], params: new Map() })}
					rowHeight={46}
					most={12}
					empty="No clusters: every pattern in the rest costs less than λ."
				/>
			) : report.not_mined ? null : (
				<p class="quiet">The rest was not mined.</p>
			)}
			{report.more ? (
				<p class="quiet">{plural(report.more, "smaller cluster")} are not in this report.</p>
			) : null}
		</Section>
	);
}

function columnsOf(report: TriageReport): Column<Cluster>[] {
	const cost = (ns: number) => costIn(report, ns);
	const widest = Math.max(1, ...(report.clusters ?? []).map((c) => c.own_ns));
	return [
		{ key: "rank", title: "#", value: (c) => c.rank, numeric: true, width: "34px", give: 0 },
		{
			key: "coverage",
			title: "share",
			help: "share of symptom time",
			value: (c) => c.coverage,
			cell: (c) => percent(c.own_ns, report.symptom_ns),
			numeric: true,
			width: "62px",
			give: 0,
		},
		{
			key: "split",
			title: "waiting, running, ready",
			value: (c) => splitLabel(c, cost),
			cell: (c) => <PartBar parts={splitParts(c)} whole={widest} label={splitLabel(c, cost)} />,
			width: "minmax(96px, 0.4fr)",
			give: 3,
		},
		{
			key: "own_ns",
			title: "unexplained",
			value: (c) => c.own_ns,
			cell: (c) => cost(c.own_ns),
			numeric: true,
			width: "92px",
		},
		{
			key: "streams",
			title: "recordings",
			value: (c) => c.streams,
			cell: (c) => count(c.streams),
			numeric: true,
			width: "80px",
		},
		{
			key: "why",
			title: "why",
			value: (c) => c.why ?? c.reason,
			cell: (c) => measured(visible(c.why ?? c.reason)),
			width: "150px",
			give: 1,
		},
		{
			key: "common",
			title: "who waits → for whom",
			value: briefOf,
			cell: (c) => <Brief cluster={c} />,
		},
	];
}
