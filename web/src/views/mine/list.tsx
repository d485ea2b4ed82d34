import { useCallback, useMemo } from "preact/hooks";
import { clustersColumns } from "../../data/generated/mine";
import type { MineReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { Brief, lastWord } from "../../shared/brief";
import type { Draw } from "../../shared/export";
import { costIn, measured, pct, percent, visible } from "../../shared/format";
import { KINDS, KindLegend, splitLabel, splitParts } from "../../shared/kinds";
import { goTo, useParam } from "../../shared/location";
import { Picture } from "../../shared/picture";
import { linear } from "../../shared/scales";
import { Choice, Section } from "../../shared/section";
import { type Column, numberColumns, Table } from "../../shared/table";
import { TipTable } from "../../shared/tooltip";
import { StandingCell, standingValue } from "./badge";
import { briefOf, type Listed, searchText } from "./clusters";
import { type Match, matchesOf, type Signatures, standingOf } from "./signatures";

const STANDINGS = [
	["", "All"],
	["new", "New"],
	["partly", "Partly known"],
	["known", "Known"],
	["back", "Came back"],
] as const;

export function ClusterList(props: {
	report: MineReport;
	reference: ReportRef;
	/** Null without a repository. */
	signatures: Signatures | null;
	/** Costs are those that a filter leaves: what is not known of these is not shown. */
	isFiltered: boolean;
}) {
	const { report, reference, signatures, isFiltered } = props;
	const open = (cluster: Listed) => goTo({ path: [reference.name, cluster.id], params: new Map() });
	const matches = matchesOf(signatures);
	const [standing, setStanding] = useParam("standing");
	const columns = useMemo(() => {
		const known = signatures ? (c: Listed) => matches.get(c.id) ?? [] : null;
		return columnsOf(report, known, signatures?.state.state === "done", isFiltered);
	}, [report, matches, signatures?.state, isFiltered]);
	const rows: readonly Listed[] = useMemo(() => {
		if (!signatures || !standing) return report.clusters;
		return report.clusters.filter((c) => standingOf(matches.get(c.id) ?? []) === standing);
	}, [report, matches, standing]);
	return (
		<>
			<Section
				title="Coverage"
				note="own cost of each cluster as a share of symptom time; no time is counted twice"
				tools={<KindLegend />}
			>
				<Coverage report={report} onPick={open} />
			</Section>
			<Section
				title="Clusters"
				note={
					isFiltered ? "by the cost that passes the filter" : `ranked by ${report.options.rank}`
				}
			>
				<Table
					name="clusters"
					label="Clusters"
					rows={rows}
					columns={columns}
					keyOf={(c) => c.id}
					search={
						signatures
							? (c) => `${searchText(c)} ${standingValue(matches.get(c.id) ?? [])}`
							: searchText
					}
					tools={
						signatures ? (
							<Choice
								label="Clusters by known signatures"
								options={STANDINGS}
								value={STANDINGS.find(([key]) => key === standing)?.[0] ?? ""}
								onChange={setStanding}
							/>
						) : undefined
					}
					onSelect={open}
					rowHeight={46}
					most={14}
					empty={
						isFiltered && !report.clusters.length
							? "No cluster passes the filter."
							: rows.length < report.clusters.length
								? "No such clusters."
								: `No clusters: patterns under ${costIn(report, report.lambda_ns)} are ignored.`
					}
				/>
			</Section>
		</>
	);
}

/** `known`: what signatures match of a cluster; null without a repository. */
function columnsOf(
	report: MineReport,
	known: ((cluster: Listed) => readonly Match[]) | null,
	isThere: boolean,
	isFiltered: boolean,
): Column<Listed>[] {
	const cost = (value: number) => costIn(report, value);
	const widest = Math.max(1, ...report.clusters.map((c) => c.own_ns));
	const columns: Array<Column<Listed> | null> = [
		{ key: "rank", title: "#", value: (c) => c.rank, numeric: true, width: "34px", give: 0 },
		{
			key: "coverage",
			title: "share",
			help: "own cost as a share of symptom time",
			value: (c) => c.coverage,
			cell: (c) => pct(100 * c.coverage),
			numeric: true,
			width: "62px",
			give: 0,
		},
		{
			key: "split",
			title: "own cost",
			help: "own cost: waiting, running, ready; on the scale of the largest cluster",
			value: (c) => splitLabel(c, cost),
			csv: [
				["wait_ns", (c) => c.split.wait_ns],
				["run_ns", (c) => c.split.run_ns],
				["ready_ns", (c) => c.split.ready_ns],
			],
			cell: (c) => <PartBar parts={splitParts(c)} whole={widest} label={splitLabel(c, cost)} />,
			width: "minmax(72px, 0.3fr)",
			give: 3,
		},
		...numberColumns<Listed>(
			clustersColumns.filter(({ key }) => !isFiltered || key === "own_ns"),
			cost,
		),
		{
			key: "why",
			title: "why",
			help: "main component of its own cost",
			value: (c) => c.why ?? c.reason,
			cell: (c) => measured(visible(c.why ?? c.reason)),
			width: "140px",
			give: 1,
		},
		known && {
			key: "known",
			title: "known as",
			help: "signatures that match it, with the share of its own cost if not all",
			value: (c) => standingValue(known(c)),
			cell: (c) => (isThere ? <StandingCell matches={known(c)} /> : null),
			width: "minmax(104px, 0.25fr)",
			give: 1,
		},
		{
			key: "common",
			title: "who waits → for whom",
			help: "the most distinctive functions that its patterns share; the second line continues in other threads, or lists variants",
			value: briefOf,
			cell: (c) => <Brief cluster={c} />,
		},
	];
	return columns.filter((c) => c !== null);
}

const BAR = 30;

/** All symptom time as one bar: the clusters by rank, what no pattern explains, what is not theirs. */
function Coverage(props: { report: MineReport; onPick: (cluster: Listed) => void }) {
	const { report } = props;
	const whole = useMemo(
		() =>
			Math.max(
				report.symptom_ns,
				report.clusters.reduce((sum, c) => sum + c.own_ns, report.other_ns),
			),
		[report],
	);
	const places = useMemo(() => {
		let at = 0;
		return report.clusters.map((cluster) => {
			const place = { cluster, from: at, to: at + cluster.own_ns };
			at = place.to;
			return place;
		});
	}, [report]);
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			const x = linear([0, whole], [0, width]);
			paint.rect(0, 0, width, BAR, colors.grid);
			for (const { cluster, from, to } of places) {
				let at = from;
				const gap = x(to) - x(from) > 4 ? 1 : 0;
				for (const kind of KINDS) {
					const part = cluster.split[kind.key];
					const end = Math.min(at + part, to);
					if (end > at)
						paint.rect(
							x(at),
							0,
							Math.max(0, x(end) - x(at) - (end === to ? gap : 0)),
							BAR,
							colors[kind.colour],
							0.75,
						);
					at = end;
				}
				const w = x(to) - x(from);
				if (w > 22)
					paint.text(x(from) + 6, BAR + 15, `${cluster.rank}`, {
						fill: colors.quiet,
						size: 12,
						weight: 600,
						maxWidth: w - 8,
					});
				if (w > 70)
					paint.text(x(from) + 22, BAR + 15, lastWord(cluster), {
						fill: colors.quiet,
						size: 12,
						maxWidth: w - 30,
					});
			}
		},
		[places, whole],
	);
	const find = (px: number, width: number) => {
		const at = linear([0, whole], [0, width]).invert(px);
		return places.find((place) => at >= place.from && at < place.to);
	};
	return (
		<Picture
			name="coverage"
			label={`Coverage: ${report.clusters.length} clusters as shares of symptom time`}
			height={BAR + 22}
			draw={draw}
			hit={(px, _py, width) => {
				const place = find(px, width);
				if (!place)
					return {
						key: "other",
						tip: `not explained by a pattern: ${costIn(report, report.other_ns)}`,
					};
				const { cluster } = place;
				return {
					key: cluster.id,
					pick: () => props.onPick(cluster),
					tip: (
						<>
							<b>Cluster {cluster.rank}</b>
							<div class="mono">
								<bdi>{visible(briefOf(cluster))}</bdi>
							</div>
							<TipTable
								rows={[
									[
										"own",
										`${costIn(report, cluster.own_ns)}, ${percent(cluster.own_ns, report.symptom_ns)}`,
									],
									["why", measured(visible(cluster.why ?? cluster.reason))],
								]}
							/>
						</>
					),
				};
			}}
		/>
	);
}
