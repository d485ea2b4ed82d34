import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { Columns } from "../../shared/columns";
import { CopyButton, CopyLink } from "../../shared/copy";
import { CsvButton } from "../../shared/csv-button";
import { Flame } from "../../shared/flame";
import { costIn, count, frameParts, measured, percent, plural, visible } from "../../shared/format";
import { Functions } from "../../shared/functions";
import { KINDS, KindNumbers } from "../../shared/kinds";
import { type Loaded, Pending, useLoaded } from "../../shared/loaded";
import { Name } from "../../shared/name";
import { Facts, Section } from "../../shared/section";
import { type Step, Steps } from "../../shared/steps";
import { type Column, Table } from "../../shared/table";
import { useTitle } from "../../shared/titles";
import { Badge } from "./badge";
import { briefOf, type Cluster, type Listed, type Mined, neighbours } from "./clusters";
import { Drill, StreamPicture } from "./drill";
import { type Filter, flameOfKind, type Passes } from "./filter";
import { commandOf, issueText, stackText, titleOf } from "./issue";
import type { Served } from "./served";
import { SignaturePanel } from "./signature-panel";
import { matchesOf, type Signatures, standingOf, useMayChange } from "./signatures";
import { sourceLinks } from "./source";
import { Trend } from "./trend";

interface Props {
	report: Mined;
	reference: ReportRef;
	cluster: Cluster | Listed;
	/** On its way, where `cluster` may be what the list has of it; absent: it is whole. */
	detail?: Loaded<unknown>;
	/** Undefined in a file. */
	served?: Served | undefined;
	/** Null without a repository. */
	signatures?: Signatures | null | undefined;
	/** What its costs are narrowed to; undefined: nothing. */
	filter?: Filter | undefined;
	passes?: Passes | undefined;
	/** The choice of filters, and what is filtered. */
	filters?: ComponentChildren;
}

export function ClusterPage(props: Props) {
	const { report, cluster, reference, detail, served, signatures } = props;
	// All at once, so that nothing moves: signatures and who may change them are known in a moment.
	const may = useMayChange(served);
	const isSigned = !signatures || signatures.state.state !== "loading";
	const isWhole = !detail || detail.state === "done";
	const isReady = isWhole && isSigned && (!signatures || may.state !== "loading");
	return (
		<>
			<Head {...props} />
			{isReady ? (
				<Body
					report={report}
					cluster={cluster as Cluster}
					reference={reference}
					served={served}
					signatures={signatures}
					filter={props.filter}
					passes={props.passes}
				/>
			) : (
				<Pending
					loaded={isWhole ? { state: "loading" } : detail}
					text="Reading the cluster…"
					height={600}
				/>
			)}
		</>
	);
}

function Head({ report, cluster, reference, signatures, filter, filters }: Props) {
	const cost = (ns: number) => costIn(report, ns);
	const { before, after } = neighbours(report, cluster);
	const title = titleOf(cluster);
	useTitle(title);
	const stepTo = (other: Cluster | undefined): Step | undefined =>
		other && { path: [reference.name, other.id], text: <>Cluster {other.rank}</> };
	return (
		<>
			<Steps
				label="Clusters"
				all={{ path: [reference.name], text: "All clusters" }}
				before={stepTo(before)}
				after={stepTo(after)}
			/>
			{filters}
			<h1 class="cluster-title">
				<span class="cluster-number">Cluster {cluster.rank}</span> <Name text={title} most={200} />
				<span class="cluster-why">{measured(visible(cluster.why ?? cluster.reason))}</span>
				{signatures?.state.state === "done" ? (
					<Badge standing={standingOf(matchesOf(signatures).get(cluster.id) ?? [])} />
				) : null}
			</h1>
			<p class="cluster-brief mono">
				{(cluster.brief?.length ? cluster.brief : [briefOf(cluster)]).map((line) => (
					<bdi key={line}>{visible(line)}</bdi>
				))}
			</p>
			<p class="copy-row no-print">
				<CopyLink />
				<CopyButton
					label="Copy stack"
					title="copy the shared call path, outermost first"
					text={() => stackText(cluster)}
				/>
				<CopyButton
					label="Copy command"
					title={commandOf(report, cluster)}
					text={() => commandOf(report, cluster)}
				/>
				{"worst" in cluster ? (
					<CopyButton
						label="Report as issue"
						title="copy as Markdown: finding, figures, stack, worst symptoms, command"
						text={() => issueText(report, cluster, location.href)}
					/>
				) : null}
			</p>
			<Facts
				items={[
					["own cost", `${cost(cluster.own_ns)} · ${percent(cluster.own_ns, report.symptom_ns)}`],
					filter ? null : ["total cost", cost(cluster.total_ns)],
					filter || !cluster.occurrences ? null : ["occurrences", count(cluster.occurrences)],
					filter || cluster.mean_ns == null ? null : ["mean of these", cost(cluster.mean_ns)],
					filter ? null : ["events", count(cluster.events)],
					["recordings", `${count(cluster.streams)} of ${count(report.streams)}`],
					filter ? null : ["symptoms", `${count(cluster.symptoms)} of ${count(report.symptoms)}`],
					["minimum similarity", cluster.min_similarity.toFixed(2)],
				]}
			/>
		</>
	);
}

function Body(props: Props & { cluster: Cluster }) {
	const { report, cluster, served, signatures } = props;
	return (
		<>
			<div class="cluster-two">
				<Columns report={report} cluster={cluster} />
				<div>
					{served && signatures ? (
						<SignaturePanel
							report={report}
							cluster={cluster}
							served={served}
							signatures={signatures}
						/>
					) : null}
					<CostSplit report={report} cluster={cluster} />
					<Wakers report={report} cluster={cluster} />
					{cluster.by_stream ? <StreamPicture report={report} cluster={cluster} /> : null}
				</div>
			</div>
			<Stacks {...props} />
			{served?.has("trend") ? (
				<Trend served={served} of={{ cluster: cluster.id }} what={`cluster ${cluster.rank}`} />
			) : null}
			<Drill
				key={cluster.id}
				report={report}
				cluster={cluster}
				served={served}
				filter={props.filter}
				passes={props.passes}
			/>
			<Patterns report={report} cluster={cluster} />
		</>
	);
}

/** The query of a server's flame graph: what the filter names, as it names it. */
function flameQuery(cluster: Cluster, filter: Filter): Record<string, string> {
	const { recording, ...rest } = filter;
	return { cluster: cluster.id, ...rest, ...(recording ? { stream: recording } : {}) };
}

/** The flame graph and its functions, as far as they can be filtered here. */
function Stacks(props: Props & { cluster: Cluster }) {
	const { report, cluster, served, filter } = props;
	const query = filter && served?.has("flame") ? flameQuery(cluster, filter) : null;
	const asked = useLoaded(query ? JSON.stringify(query) : "", () => served!.ask("flame", query!));
	const whole = useMemo(() => {
		if (!cluster.flame || !report.frames) return null;
		const flame = filter?.kind ? flameOfKind(cluster.flame, filter.kind) : cluster.flame;
		return { flame, frames: report.frames };
	}, [cluster, report, filter]);
	if (query && asked.state !== "done")
		return <Pending loaded={asked} text="Filtering stacks…" height={320} />;
	const shown = query && asked.state === "done" ? asked.value : whole;
	if (!shown) return null;
	const { flame, frames } = shown;
	const sourceOf = sourceLinks(served, props.reference, filter);
	const isPart = filter && !query && Object.keys(filter).some((facet) => facet !== "kind");
	const notes = [
		isPart
			? "not filtered by recording, thread or reason"
			: filter
				? "own stacks, filtered"
				: "its own stacks",
		flame.left_out
			? `${plural(flame.left_out, "small node")} (${costIn(report, flame.left_out_ns)}) counted in their callers`
			: "",
	];
	return (
		<>
			<Flame
				name={`flame-${cluster.rank}`}
				title="Flame graph"
				label={`Flame graph of the stacks of cluster ${cluster.rank}`}
				data={flame}
				names={frames}
				unit={report.unit}
				sourceOf={sourceOf}
				command={`lode mine --show ${cluster.id} --pprof FILE --chrome-trace FILE INPUT...`}
				note={flame.left_out || filter ? notes.filter(Boolean).join("; ") : "own stacks"}
			/>
			<Functions
				name={`flame-${cluster.rank}`}
				what={`cluster ${cluster.rank}`}
				data={flame}
				names={frames}
				unit={report.unit}
				sourceOf={sourceOf}
			/>
		</>
	);
}

function CostSplit({ report, cluster }: { report: Mined; cluster: Cluster }) {
	const cost = (ns: number) => costIn(report, ns);
	const reasons = Object.entries(cluster.reasons).sort((a, b) => b[1] - a[1]);
	return (
		<Section
			title="Own cost"
			tools={
				<CsvButton
					name="own-cost"
					label="Own cost"
					header={["part", "what", "own_ns"]}
					rows={() => [
						...KINDS.map((kind) => ["kind", kind.title, cluster.split[kind.key]]),
						...reasons.map(([reason, ns]) => ["waits for", reason.replace(/_ns$/, ""), ns]),
					]}
				/>
			}
		>
			<KindNumbers of={cluster} whole={cluster.own_ns} text={cost} />
			{reasons.length ? (
				<>
					<h3 class="numbers-head">Waits for</h3>
					<dl class="numbers">
						{reasons.map(([reason, ns]) => (
							<div key={reason}>
								<dt>{reason.replace(/_ns$/, "")}</dt>
								<dd>{cost(ns)}</dd>
								<dd class="quiet">{percent(ns, cluster.own_ns)}</dd>
							</div>
						))}
					</dl>
				</>
			) : null}
		</Section>
	);
}

function Wakers({ report, cluster }: { report: Mined; cluster: Cluster }) {
	if (!cluster.wakers.length) return null;
	const most = cluster.wakers[0]!.cost_ns;
	const more = cluster.wakers.length - 8 + (cluster.wakers_more ?? 0);
	return (
		<Section
			title="Ended by"
			note="who ended its waits"
			tools={
				<CsvButton
					name="ended-by"
					label="Ended by"
					header={["waker", "cost_ns"]}
					rows={() => cluster.wakers.map((waker) => [waker.name, waker.cost_ns])}
				/>
			}
		>
			<dl class="numbers with-bars">
				{cluster.wakers.slice(0, 8).map((waker) => (
					<div key={waker.name}>
						<dt>
							<Name text={waker.name} most={32} />
						</dt>
						<dd>
							<PartBar parts={[[waker.cost_ns, "var(--wait)"]]} whole={most} />
						</dd>
						<dd>{costIn(report, waker.cost_ns)}</dd>
					</div>
				))}
			</dl>
			{more > 0 ? <p class="quiet">and {count(more)} more</p> : null}
		</Section>
	);
}

/** What a pattern has beside the shared call path, which stands as "…". */
function ownFrames(functions: readonly string[], common: readonly string[]): string {
	const out: string[] = [];
	let at = 0;
	for (const frame of functions) {
		if (frame === common[at]) {
			at++;
			if (out.at(-1) !== "…") out.push("…");
		} else {
			out.push(frameParts(frame).name);
		}
	}
	return out
		.join(" › ")
		.replaceAll("› … ›", "…")
		.replace(/^… › | › …$/g, (m) => m.replace(/ ?› ?/, " "));
}

type Pattern = Cluster["patterns"][number];

function Patterns({ report, cluster }: { report: Mined; cluster: Cluster }) {
	const cost = (ns: number) => costIn(report, ns);
	const text = (p: Pattern) => ownFrames(p.functions, cluster.common);
	const columns: Column<Pattern>[] = [
		{
			key: "own_ns",
			title: "own",
			help: "cost of the stacks assigned to this pattern",
			value: (p) => p.own_ns,
			cell: (p) => cost(p.own_ns),
			numeric: true,
			width: "84px",
		},
		{
			key: "cost_ns",
			title: "cost",
			help: "cost of all stacks that contain it",
			value: (p) => p.cost_ns,
			cell: (p) => cost(p.cost_ns),
			numeric: true,
			width: "84px",
		},
		{
			key: "events",
			title: "events",
			value: (p) => p.events,
			cell: (p) => count(p.events),
			numeric: true,
			width: "80px",
		},
		{ key: "streams", title: "recordings", value: (p) => p.streams, numeric: true, width: "70px" },
		{
			key: "round",
			title: "round",
			help: "mining round; the first finds the patterns of the paper",
			value: (p) => p.round,
			numeric: true,
			width: "60px",
		},
		{
			key: "functions",
			title: "functions outside the shared call path",
			value: text,
			cell: (p) => (
				<span class="mono">
					<Name text={text(p)} most={400} />
				</span>
			),
		},
	];
	return (
		<Section
			title="Patterns"
			note={
				cluster.patterns_more
					? `${count(cluster.patterns_more)} more are not in this report`
					: undefined
			}
		>
			<Table
				name="patterns"
				label="Patterns of the cluster"
				rows={cluster.patterns}
				columns={columns}
				keyOf={(p) => `${p.round} ${p.functions.join(" ")}`}
				search={(p) => p.functions.join(" ")}
				most={12}
			/>
		</Section>
	);
}
