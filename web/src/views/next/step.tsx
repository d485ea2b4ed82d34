// One recording of the order: what is in it, and what of that is new.
import { useMemo } from "preact/hooks";
import type { NextReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { Chain } from "../../shared/brief";
import { costIn, count, measured, percent, visible } from "../../shared/format";
import { Name } from "../../shared/name";
import { ThingButtons } from "../../shared/opening";
import { namer } from "../../shared/recording-names";
import { Facts, Section } from "../../shared/section";
import { type Step, Steps } from "../../shared/steps";
import { type Column, Table } from "../../shared/table";
import { type Known, knownName, type Turn } from "./steps";

interface Sight {
	readonly known: Known;
	readonly at: number;
	readonly cost_ns: number;
	readonly isNew: boolean;
}

export function StepPage(props: {
	report: NextReport;
	reference: ReportRef;
	turns: readonly Turn[];
	turn: Turn;
}) {
	const { report, reference, turns, turn } = props;
	const { step } = turn;
	const before = turns[turn.number - 2];
	const after = turns[turn.number];
	const share = (ns: number) => percent(ns, report.symptom_ns);
	const name = useMemo(() => namer(turns.map((t) => t.step.stream)), [turns]);
	const stepTo = (other: Turn | undefined): Step | undefined =>
		other && {
			path: [reference.name, other.step.stream_id],
			text: (
				<>
					{count(other.number)}. <Name text={name(other.step.stream)} most={40} />
				</>
			),
		};
	return (
		<>
			<Steps
				label="Recordings"
				all={{ path: [reference.name], text: "Whole order" }}
				before={stepTo(before)}
				after={stepTo(after)}
			/>
			<h1>
				{count(turn.number)}. <Name text={name(step.stream)} most={80} />
			</h1>
			<p class="quiet mono">
				<Name text={step.stream} most={300} />
			</p>
			<ThingButtons />
			<Facts
				items={[
					["symptom time", costIn(report, step.symptom_ns)],
					["unexplained", costIn(report, step.unexplained_ns)],
					["covered before", share(turn.before_ns)],
					["adds", share(step.adds_ns)],
					["covered with it", share(step.covered_ns)],
					["new", count(step.new)],
				]}
			/>
			<Sights report={report} turn={turn} />
		</>
	);
}

function Sights({ report, turn }: { report: NextReport; turn: Turn }) {
	const { sights } = turn.step;
	const { known } = report;
	const rows = useMemo((): Sight[] => {
		if (!sights || !known) return [];
		return sights.known.flatMap((at, i) => {
			const what = known[at];
			return what
				? [{ known: what, at, cost_ns: sights.cost_ns[i] ?? 0, isNew: sights.new[i] === 1 }]
				: [];
		});
	}, [sights, known]);
	const columns: Column<Sight>[] = [
		{
			key: "new",
			title: "seen",
			help: "new: first seen here, in this order",
			value: (s) => (s.isNew ? "new" : ""),
			cell: (s) => <b>{s.isNew ? "new" : ""}</b>,
			width: "44px",
		},
		{
			key: "cost_ns",
			title: "cost",
			help: "cost in this recording; several may explain the same time",
			value: (s) => s.cost_ns,
			cell: (s) => costIn(report, s.cost_ns),
			numeric: true,
			width: "84px",
		},
		{
			key: "share",
			title: "of symptoms",
			value: (s) => s.cost_ns,
			cell: (s) => percent(s.cost_ns, turn.step.symptom_ns),
			numeric: true,
			width: "90px",
		},
		{
			key: "why",
			title: "why",
			value: (s) => s.known.why ?? "",
			cell: (s) => measured(visible(s.known.why ?? "")),
			width: report.of === "clusters" ? "150px" : "0px",
		},
		{
			key: "what",
			title: report.of === "signatures" ? "signature" : "cluster",
			value: (s) => knownName(s.known),
			cell: (s) => (
				<span class={report.of === "clusters" ? "mono" : ""}>
					<Chain text={knownName(s.known)} />
				</span>
			),
		},
	];
	return (
		<Section title="Contents" note="new: first seen here, in this order">
			<Table
				name="sights"
				label="Contents of the recording"
				rows={rows}
				columns={report.of === "clusters" ? columns : columns.filter((c) => c.key !== "why")}
				keyOf={(s) => String(s.at)}
				sort="cost_ns"
				search={(s) => knownName(s.known)}
				empty="No known problems: look here for new ones."
			/>
		</Section>
	);
}
