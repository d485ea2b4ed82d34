import type { SuspectsReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { CopyButton } from "../../shared/copy";
import { cost as costText, count, percent, ratio, visible } from "../../shared/format";
import { Histogram } from "../../shared/histogram";
import { goTo, hrefOf } from "../../shared/location";
import { Frame, Name } from "../../shared/name";
import { ThingButtons } from "../../shared/opening";
import { Facts, Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { distinguish, useTitle } from "../../shared/titles";
import { contrastColumns } from "./contrasts";
import { useWorst, WorstFilters } from "./filter";
import { boundsOf, chance, type Explained, isVersus, nameOf, type Suspect } from "./model";

export function FunctionPage(props: {
	report: SuspectsReport;
	reference: ReportRef;
	details: Explained | undefined;
	suspect: Suspect | undefined;
	name: string;
}) {
	const { report, reference, details, suspect, name } = props;
	const contrasts = report.contrasts.filter((c) => nameOf(c) === name || c.callers.includes(name));
	const columns = contrastColumns(reference, contrasts, isVersus(report));
	useTitle(name);
	return (
		<>
			<nav class="cluster-nav no-print" aria-label="Functions">
				<a href={hrefOf([reference.name])}>All functions</a>
			</nav>
			<h1 class="function-name">
				<Frame text={name} most={400} />
			</h1>
			<ThingButtons>
				<CopyButton label="Copy name" text={() => visible(name)} />
			</ThingButtons>
			{suspect ? (
				<Facts
					items={[
						["rank", `${suspect.rank} of ${count(report.functions_total)}`],
						["Increase", ratio(suspect.increase)],
						[
							"Failure, as last",
							`${ratio(suspect.failure)} · ${count(suspect.d_failed)} of ${count(suspect.d_failed + suspect.d_success)}`,
						],
						[
							"Context, anywhere",
							`${ratio(suspect.context)} · ${count(suspect.o_failed)} of ${count(suspect.o_failed + suspect.o_success)}`,
						],
						["q", chance(suspect.q, suspect.log10_q)],
						["mean", costText(suspect.mean_ns)],
						["executions", count(suspect.n)],
					]}
				/>
			) : null}
			{details ? (
				<>
					<Distributions report={report} details={details} />
					{contrasts.length ? (
						<Section
							title="Caller contrast"
							note="with this function as the last one or as the caller"
						>
							<Table
								name="contrasts"
								label="Caller contrast of this function"
								rows={contrasts}
								columns={columns}
								keyOf={(c) => `${nameOf(c)} ${c.metric ?? ""} ${c.callers.join(" ")}`}
								most={10}
							/>
						</Section>
					) : null}
					<div class="metrics-two even">
						<Neighbours
							name="callers"
							title="Called by"
							nobody="none: it is the outermost"
							rows={details.callers}
							report={report}
							reference={reference}
						/>
						<Neighbours
							name="callees"
							title="Calls"
							nobody="none: it is the last"
							rows={details.callees}
							report={report}
							reference={reference}
						/>
					</div>
					<Worst details={details} />
				</>
			) : (
				<p class="notice">
					This report has only the summary of this function: distributions are included for
					top-ranked functions only. <code>lode suspects --explain</code> shows those of any
					function.
				</p>
			)}
		</>
	);
}

function Distributions({ report, details }: { report: SuspectsReport; details: Explained }) {
	return (
		<Section
			title="With and without it"
			note="calls by metric: with the function on the stack (above) and without it (below), each on its own scale"
		>
			<div class="distributions">
				{details.metrics.slice(0, 8).map((m) => {
					const metric = report.metrics.find((other) => other.metric === m.metric);
					const unit = metric?.unit ?? "ns";
					return (
						<div key={m.metric} class="distribution">
							<h3>
								<Name text={m.metric} />
							</h3>
							<p class="quiet">
								slow in {percent(m.with.failed, m.with.n)} with it,{" "}
								{m.without.n
									? `${percent(m.without.failed, m.without.n)} without; mean ${costText(m.with.mean_ns, unit)} and ${costText(m.without.mean_ns, unit)}`
									: `never without; mean ${costText(m.with.mean_ns, unit)}`}
							</p>
							<Histogram
								name="with-and-without"
								label="Distribution of a metric with this function and without"
								unit={unit}
								up={{ ...m.with, title: "with" }}
								down={m.without.n ? { ...m.without, title: "without" } : undefined}
								bounds={boundsOf(report, metric)}
								height={m.without.n ? 236 : 166}
							/>
						</div>
					);
				})}
			</div>
		</Section>
	);
}

type Neighbour = Explained["callers"][number];

function Neighbours(props: {
	name: string;
	title: string;
	nobody: string;
	rows: readonly Neighbour[];
	report: SuspectsReport;
	reference: ReportRef;
}) {
	const { report, reference } = props;
	const label = (n: Neighbour) =>
		n.function === undefined ? "" : nameOf({ module: n.module ?? "", function: n.function });
	const known = (text: string) => report.functions.some((f) => nameOf(f) === text);
	const columns: Column<Neighbour>[] = [
		{
			key: "function",
			title: "function",
			value: label,
			cell: (n) =>
				label(n) ? <Frame text={label(n)} most={80} /> : <span class="quiet">{props.nobody}</span>,
		},
		{
			key: "failed",
			title: "slow",
			value: (n) => n.failed,
			cell: (n) => count(n.failed),
			numeric: true,
			width: "70px",
		},
		{
			key: "of",
			title: "of",
			value: (n) => n.n,
			cell: (n) => count(n.n),
			numeric: true,
			width: "70px",
		},
		{
			key: "share",
			title: "share",
			value: (n) => n.failed / Math.max(1, n.n),
			cell: (n) => percent(n.failed, n.n),
			numeric: true,
			width: "70px",
		},
		{
			key: "mean",
			title: "mean",
			value: (n) => (n.n ? n.total_ns / n.n : Number.NaN),
			csv: [["mean_ns", (n) => (n.n ? Math.round(n.total_ns / n.n) : undefined)]],
			cell: (n) => (n.n ? costText(n.total_ns / n.n) : "–"),
			numeric: true,
			width: "76px",
		},
	];
	return (
		<Section title={props.title}>
			<Table
				name={props.name}
				label={props.title}
				rows={props.rows}
				columns={columns}
				keyOf={(n) => label(n) || "nobody"}
				most={10}
				onSelect={(n) => {
					if (known(label(n))) goTo({ path: [reference.name, label(n)], params: new Map() });
				}}
			/>
		</Section>
	);
}

type WorstExecution = Explained["worst"][number];

function Worst({ details }: { details: Explained }) {
	const stack = (w: WorstExecution) => w.stack.map((f) => f.replace(/^[^!]*!/, "")).join(" › ");
	const streams = [...new Set(details.worst.map((w) => w.stream))];
	const short = new Map(distinguish(streams).map((text, i) => [streams[i], text]));
	const columns: Column<WorstExecution>[] = [
		{
			key: "value_ns",
			title: "took",
			value: (w) => w.value_ns,
			cell: (w) => costText(w.value_ns),
			numeric: true,
			width: "80px",
		},
		{
			key: "metric",
			title: "metric",
			value: (w) => w.metric,
			cell: (w) => <Name text={w.metric} most={40} />,
			width: "160px",
		},
		{ key: "tid", title: "thread", value: (w) => w.tid, numeric: true, width: "70px" },
		{
			key: "t0_ns",
			title: "at",
			help: "on the recording's clock",
			value: (w) => w.t0_ns,
			cell: (w) => `${(w.t0_ns / 1e9).toFixed(6)} s`,
			numeric: true,
			width: "130px",
		},
		{
			key: "stream",
			title: "recording",
			value: (w) => w.stream,
			cell: (w) => (
				<span title={visible(w.stream)}>
					<Name text={short.get(w.stream) ?? w.stream} most={60} />
				</span>
			),
			width: "minmax(0, 1fr)",
		},
		{
			key: "stack",
			title: "stack",
			value: stack,
			cell: (w) => (
				<span class="mono">
					<Name text={stack(w)} most={300} />
				</span>
			),
			width: "minmax(0, 3fr)",
		},
	];
	const { rows, chosen } = useWorst(details.worst);
	return (
		<Section title="Longest calls">
			<WorstFilters worst={details.worst} rows={rows} chosen={chosen} />
			<Table
				name="longest"
				label="Longest calls"
				rows={rows}
				columns={columns}
				keyOf={(w) => `${w.stream} ${w.tid} ${w.t0_ns} ${w.metric}`}
				most={10}
			/>
		</Section>
	);
}
