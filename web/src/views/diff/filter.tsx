// The filters of a comparison. Of fewer recordings the costs of each cluster are added up again,
// exactly; what needs all of them, as p and the class do, stays that of all, or is left out.
import { useMemo } from "preact/hooks";
import type { DiffReport } from "../../data/reports";
import {
	asThey,
	type Choices,
	type Chosen,
	chosenOf,
	distinct,
	FilterBar,
	hasLabel,
	isOn,
	labelValues,
	real,
} from "../../shared/filter-bar";
import { costIn, count, plural } from "../../shared/format";
import { KIND_WORDS } from "../../shared/kinds";
import { usePlace } from "../../shared/location";
import { shortener } from "../../shared/titles";
import type { Change } from "./changes";

const FACETS = ["set", "recording", "host", "label", "kind", "reason"] as const;
type Facet = (typeof FACETS)[number];
type Filter = Chosen<Facet>;
type Stream = NonNullable<DiffReport["streams"]>[number];

/** A report, or what a filter leaves of it. */
export interface Shown {
	readonly report: DiffReport;
	readonly whole: DiffReport;
	/** Fewer recordings: p and intervals are not of these. */
	readonly isPart: boolean;
	/** By their places in `streams`: what passes. */
	readonly passes: (at: number) => boolean;
	readonly filter: Filter;
}

const SIDES = ["a", "b"] as const;
type Side = (typeof SIDES)[number];

const passesOf = (filter: Filter) => (stream: Stream) =>
	(!filter.recording || stream.id === filter.recording) &&
	(!filter.host || stream.host === filter.host) &&
	(!filter.label || hasLabel(stream, filter.label));

/** What a set is with the recordings that pass. */
function setOf(report: DiffReport, side: Side, streams: readonly Stream[]): DiffReport["a"] {
	const mine = streams.filter((stream) => stream.set === side && stream.symptoms > 0);
	const symptoms = mine.reduce((sum, stream) => sum + stream.symptoms, 0);
	const symptom_ns = mine.reduce((sum, stream) => sum + stream.symptom_ns, 0);
	return {
		...report[side],
		streams: mine.length,
		symptoms,
		symptom_ns,
		per_symptom_ns: symptoms ? symptom_ns / symptoms : 0,
	};
}

type Part = Change["a"];

function partOf(
	change: Change,
	streams: readonly Stream[],
	side: Side,
	set: DiffReport["a"],
): Part {
	const { stream = [], cost_ns: costs = [] } = change.by_stream ?? {};
	let cost_ns = 0;
	let n = 0;
	stream.forEach((at, i) => {
		if (streams[at]?.set !== side) return;
		cost_ns += costs[i]!;
		n++;
	});
	return { cost_ns, per_symptom_ns: set.symptoms ? cost_ns / set.symptoms : 0, streams: n };
}

/** Costs of the recordings that pass; without what is known of all only. */
function changeOf(
	{ change_low_ns: _low, change_high_ns: _high, ratio: _ratio, ...change }: Change,
	sets: Readonly<Record<Side, DiffReport["a"]>>,
	streams: readonly Stream[],
	passes: (at: number) => boolean,
): Change {
	const { stream = [], cost_ns = [] } = change.by_stream ?? {};
	const kept = stream.flatMap((at, i) => (passes(at) ? [[at, cost_ns[i]!] as const] : []));
	const by_stream = { stream: kept.map(([at]) => at), cost_ns: kept.map(([, cost]) => cost) };
	const left = { ...change, by_stream };
	const a = partOf(left, streams, "a", sets.a);
	const b = partOf(left, streams, "b", sets.b);
	return {
		...left,
		a,
		b,
		change_ns: b.per_symptom_ns - a.per_symptom_ns,
		...(a.per_symptom_ns ? { ratio: b.per_symptom_ns / a.per_symptom_ns } : {}),
	};
}

export function useDiffFilter(whole: DiffReport): Shown {
	const { params } = usePlace();
	const key = FACETS.map((facet) => params.get(`f.${facet}`) ?? "").join("\0");
	return useMemo(() => {
		const filter = chosenOf(FACETS, params);
		const { streams } = whole;
		const isPart = Boolean(streams && (filter.recording || filter.host || filter.label));
		const of = passesOf(filter);
		const passes = (at: number) => !isPart || of(streams![at]!);
		if (!isOn(filter)) return { report: whole, whole, isPart, passes, filter };
		const passing = streams?.filter(of) ?? [];
		const sets = {
			a: isPart ? setOf(whole, "a", passing) : whole.a,
			b: isPart ? setOf(whole, "b", passing) : whole.b,
		};
		const clusters = whole.clusters
			.filter(
				(c) =>
					(!filter.kind || c.kind === filter.kind) &&
					(!filter.reason || c.reason === filter.reason),
			)
			.map((c) => (isPart ? changeOf(c, sets, streams!, passes) : c))
			.filter((c) => (filter.set === "a" || filter.set === "b" ? c[filter.set].streams : 1) > 0)
			.filter((c) => c.a.streams + c.b.streams > 0);
		return { report: { ...whole, ...sets, clusters }, whole, isPart, passes, filter };
	}, [whole, key]);
}

function choicesOf(report: DiffReport): Choices<Facet>[] {
	const streams = report.streams ?? [];
	const short = shortener(streams.map((stream) => stream.path));
	const kinds = distinct(report.clusters.map((c) => c.kind));
	return real<Facet>([
		{
			facet: "set",
			title: "In set",
			values: SIDES.filter((side) => streams.some((stream) => stream.set === side)).map((side) => [
				side,
				side.toUpperCase(),
			]),
		},
		{
			facet: "recording",
			title: "Recording",
			values: streams
				.filter((stream) => stream.set && stream.symptoms)
				.map((stream) => [stream.id, `${stream.set!.toUpperCase()}: ${short(stream.path)}`]),
		},
		{
			facet: "host",
			title: "Host",
			values: asThey(distinct(streams.map((stream) => stream.host))),
		},
		{ facet: "label", title: "Label", values: asThey(labelValues(streams)) },
		{
			facet: "kind",
			title: "Mostly",
			values: kinds.map((kind) => [kind, KIND_WORDS[kind] ?? kind]),
		},
		{
			facet: "reason",
			title: "Main wait reason",
			values: asThey(distinct(report.clusters.map((c) => c.reason))),
		},
	]);
}

export function DiffFilters({ shown }: { shown: Shown }) {
	const { report, whole, isPart, filter } = shown;
	const choices = useMemo(() => choicesOf(whole), [whole]);
	const costs = SIDES.filter((side) => report[side].symptoms > 0).map((side) => {
		const ns = report.clusters.reduce((sum, c) => sum + c[side].per_symptom_ns, 0);
		return `${costIn(whole, ns)} of ${costIn(whole, report[side].per_symptom_ns)} per symptom in ${side.toUpperCase()}`;
	});
	return (
		<FilterBar
			choices={choices}
			chosen={filter}
			passes={
				<>
					{count(report.clusters.length)} of {plural(whole.clusters.length, "cluster")}
					{isPart ? (
						<>
							{" "}
							in {count(report.a.streams)} of {plural(whole.a.streams, "recording")} of A and{" "}
							{count(report.b.streams)} of {count(whole.b.streams)} of B
						</>
					) : null}
					{costs.length ? ": " : ""}
					{costs.join(", ")}.{" "}
					{isPart
						? "The summary above, classes and stacks are not filtered; p and intervals are omitted."
						: "The summary above is not filtered."}
				</>
			}
		/>
	);
}
