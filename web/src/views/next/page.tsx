// Which recording to open next, and what that order saves.
import { useMemo } from "preact/hooks";
import type { NextReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { Chain } from "../../shared/brief";
import { costIn, count, percent } from "../../shared/format";
import { BadInputs } from "../../shared/inputs";
import { goTo } from "../../shared/location";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { Facts, Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { shortener } from "../../shared/titles";
import { type ViewProps, view } from "../view";
import { Curves } from "./curves";
import { StepPage } from "./step";
import { knownName, type Step, type Turn } from "./steps";
import "./next.css";

export const page = view("lode/next/1", "Next", NextPage);

function NextPage(props: ViewProps<NextReport>) {
	const { report, path, reference } = props;
	const turns = useMemo(() => turnsOf(report), [report]);
	const turn = path[0] ? turns.find((t) => t.step.stream_id === path[0]) : undefined;
	if (turn) return <StepPage report={report} reference={reference} turns={turns} turn={turn} />;
	const noun = report.of === "signatures" ? "signature" : "cluster";
	return (
		<>
			<h1>Which recording to open next</h1>
			{path[0] ? (
				<p class="notice" role="alert">
					This report has no recording <Name text={path[0]} most={40} /> to open.
				</p>
			) : null}
			<Opening report={report} />
			<Facts
				items={[
					["recordings", count(report.streams)],
					report.opened ? ["already reviewed", count(report.opened)] : null,
					["symptom time", costIn(report, report.symptom_ns)],
					[`${noun}s`, count(report.signatures)],
					report.opened ? ["seen", count(report.seen)] : null,
					["explained by all of them", percent(report.explained_ns, report.symptom_ns)],
				]}
			/>
			{report.of === "clusters" ? (
				<p class="quiet">No signatures: clusters are used instead.</p>
			) : null}
			{report.compare ? <Curves report={report} compare={report.compare} /> : null}
			<Order report={report} reference={reference} turns={turns} />
			<BadInputs skipped={report.skipped} incomplete={report.incomplete} />
		</>
	);
}

/** Steps with their numbers, and what was covered before them. */
function turnsOf(report: NextReport): Turn[] {
	return report.order.map((step, i) => ({
		step,
		number: i + 1,
		before_ns: report.order[i - 1]?.covered_ns ?? report.start_ns,
	}));
}

function Order(props: { report: NextReport; reference: ReportRef; turns: readonly Turn[] }) {
	const { report, reference, turns } = props;
	const columns = useMemo(() => columnsOf(report), [report]);
	return (
		<Section
			title="Order"
			note={report.more ? `${count(report.more)} more are not in this report` : undefined}
		>
			<Table
				name="order"
				label="Recordings in the order to open them"
				rows={turns}
				columns={columns}
				keyOf={(t) => t.step.stream_id}
				search={(t) => `${t.step.stream} ${reasonText(report, t.step)}`}
				onSelect={(t) => goTo({ path: [reference.name, t.step.stream_id], params: new Map() })}
				most={16}
				empty="All recordings have been reviewed."
			/>
		</Section>
	);
}

function reasonText(report: NextReport, step: Step): string {
	if (step.signature !== undefined) return step.signature;
	if (step.cluster) {
		const known = report.known?.find((k) => k.cluster?.id === step.cluster?.id);
		return known ? knownName(known) : `#${step.cluster.rank} ${step.cluster.common.at(-1) ?? ""}`;
	}
	return `${costIn(report, step.unexplained_ns)} unexplained`;
}

function columnsOf(report: NextReport): Column<Turn>[] {
	const share = (ns: number) => percent(ns, report.symptom_ns);
	const short = shortener(report.order.map((step) => step.stream));
	return [
		{ key: "number", title: "#", value: (t) => t.number, numeric: true, width: "34px", give: 0 },
		{
			key: "stream",
			title: "recording",
			value: (t) => t.step.stream,
			cell: (t) => <Name text={short(t.step.stream)} most={60} />,
			width: "minmax(150px, 1fr)",
		},
		{
			key: "bar",
			title: "covered before, and added",
			help: "share of symptom time",
			value: (t) => share(t.step.covered_ns),
			cell: (t) => (
				<PartBar
					parts={[
						[t.before_ns, "var(--faint)"],
						[t.step.adds_ns, "var(--accent)"],
					]}
					whole={report.symptom_ns}
					label={`${share(t.before_ns)} covered before, ${share(t.step.adds_ns)} added`}
				/>
			),
			width: "minmax(110px, 160px)",
			give: 3,
		},
		{
			key: "covered_ns",
			title: "covered",
			help: "share of symptom time explained after opening it",
			value: (t) => t.step.covered_ns,
			cell: (t) => share(t.step.covered_ns),
			numeric: true,
			width: "72px",
		},
		{
			key: "adds_ns",
			title: "adds",
			value: (t) => t.step.adds_ns,
			cell: (t) => (t.step.adds_ns ? share(t.step.adds_ns) : "–"),
			numeric: true,
			width: "66px",
		},
		{
			key: "new",
			title: "new",
			help: "first seen there",
			value: (t) => t.step.new,
			numeric: true,
			width: "46px",
		},
		{
			key: "symptom_ns",
			title: "symptoms",
			help: "symptom time of the recording",
			value: (t) => t.step.symptom_ns,
			cell: (t) => costIn(report, t.step.symptom_ns),
			numeric: true,
			width: "80px",
		},
		{
			key: "unexplained_ns",
			title: "unexplained",
			help: "of that, not explained",
			value: (t) => t.step.unexplained_ns,
			cell: (t) => costIn(report, t.step.unexplained_ns),
			numeric: true,
			width: "90px",
		},
		{
			key: "reason",
			title: "opened for",
			help: "the best one not seen yet",
			value: (t) => reasonText(report, t.step),
			cell: (t) => (
				<span class={t.step.new ? "mono" : "quiet"}>
					<Chain text={reasonText(report, t.step)} />
				</span>
			),
			width: "minmax(0, 1.4fr)",
			give: 0,
		},
	];
}
