// What a filter leaves of a report: cells of cost by cluster, recording, thread, kind, reason and end
// of the chain are added up again, so that every figure is exact. Patterns and clusters stay those of all recordings.
//
// In the URL, kept from page to page: f.recording (its id), f.host, f.label ("release=2.1"), f.thread,
// f.kind, f.reason.
import type { MineReport } from "../../data/reports";
import { type Chosen, hasLabel } from "../../shared/filter-bar";

export const FACETS = ["recording", "host", "label", "thread", "kind", "reason"] as const;
export type Facet = (typeof FACETS)[number];
export type Filter = Chosen<Facet>;

export type Cells = NonNullable<MineReport["cells"]>;

/** Whether a recording passes, by its place in `inputs`; of what is cut there nothing is known. */
export type Passes = (at: number) => boolean;

function passing(report: MineReport, filter: Filter): Passes {
	const known = report.inputs.map(
		(input) =>
			(!filter.recording || input.id === filter.recording) &&
			(!filter.host || input.host === filter.host) &&
			(!filter.label || hasLabel(input, filter.label)),
	);
	const others = !filter.recording && !filter.host && !filter.label;
	return (at) => known[at] ?? others;
}

type Listed = MineReport["clusters"][number];
type Split = Listed["split"];
const SPLIT_KEYS: Readonly<Record<string, keyof Split>> = {
	run: "run_ns",
	wait: "wait_ns",
	ready: "ready_ns",
};

/** The sums of some cells. */
class Sum {
	own = 0;
	readonly split: Record<keyof Split, number> = { wait_ns: 0, run_ns: 0, ready_ns: 0 };
	readonly reasons = new Map<string, number>();
	/** As `parts` and `ends` of a cluster are named (docs/fields.md). */
	readonly parts = new Map<string, number>();
	readonly ends = new Map<string, number>();
	/** Of each end: in what the symptoms' threads waited for it, in the order of reasons. */
	readonly #waits = new Map<string, number[]>();
	readonly streams = new Map<number, number>();
	unknown = 0;

	add(cells: Cells, i: number) {
		const cost = cells.cost_ns[i]!;
		const kind = cells.kinds[cells.kind[i]!]!;
		const reason = cells.reasons[cells.reason[i]!]!;
		const end = cells.ends[cells.end[i]!]!;
		const waits = this.#waits.get(end) ?? cells.reasons.map(() => 0);
		this.own += cost;
		this.split[SPLIT_KEYS[kind] ?? "run_ns"] += cost;
		if (reason !== "none") raise(this.reasons, reason, cost);
		if (kind === "ready" && end === "unknown") this.unknown += cost;
		const part =
			kind === "ready" ? end : reason !== "none" ? reason : kind === "run" ? "cpu" : "unknown";
		raise(this.parts, part, cost);
		raise(this.ends, end, cost);
		waits[cells.waited[i]!]! += cost;
		this.#waits.set(end, waits);
		raise(this.streams, cells.stream[i]!, cost);
	}

	/** "lock → disk 80 %", as the terminal says it. */
	why(reasons: readonly string[]): string {
		return largestFirst(this.ends)
			.filter(({ cost_ns }, i) => i === 0 || (i === 1 && cost_ns * 3 >= this.own))
			.map(({ name, cost_ns }) => {
				const waits = this.#waits.get(name)!;
				const waited = reasons[waits.indexOf(Math.max(...waits))]!;
				const first = waited === "none" || waited === name ? "" : `${waited} → `;
				return `${first}${name} ${wholePct((100 * cost_ns) / this.own)} %`;
			})
			.join(", ");
	}
}

/** Halves to even, as printf rounds. */
const wholePct = (pct: number) => (pct % 2 === 0.5 ? Math.floor(pct) : Math.round(pct));

const largestFirst = (costs: ReadonlyMap<string, number>) =>
	[...costs]
		.map(([name, cost_ns]) => ({ name, cost_ns }))
		.sort((a, b) => b.cost_ns - a.cost_ns || (a.name < b.name ? -1 : 1));

function raise<K>(map: Map<K, number>, key: K, by: number) {
	map.set(key, (map.get(key) ?? 0) + by);
}

export interface Filtered {
	readonly report: MineReport;
	/** What passes, of the area of interest; and all of that. */
	readonly cost_ns: number;
	readonly of_ns: number;
	readonly passes: Passes;
}

function clusterOf(
	cluster: Listed,
	sum: Sum,
	names: readonly string[],
	symptom_ns: number,
): Listed {
	const streams = [...sum.streams].sort((a, b) => a[0] - b[0]);
	return {
		...cluster,
		own_ns: sum.own,
		split: { ...sum.split },
		reasons: Object.fromEntries(
			[...sum.reasons].map(([reason, cost]) => [`${reason}_ns`, cost]),
		) as Listed["reasons"],
		ready_unknown_ns: sum.unknown,
		parts: largestFirst(sum.parts),
		ends: largestFirst(sum.ends),
		coverage: symptom_ns ? sum.own / symptom_ns : 0,
		streams: streams.length,
		why: sum.why(names),
		by_stream: { stream: streams.map(([at]) => at), cost_ns: streams.map(([, cost]) => cost) },
	};
}

/** The symptoms of recordings and threads that pass. */
function symptomsOf(cells: Cells, passes: Passes, thread: number) {
	const out = { n: 0, ns: 0, streams: new Set<number>() };
	const { stream, thread: threads, symptoms, symptom_ns } = cells.symptoms;
	stream.forEach((at, i) => {
		if (!passes(at) || (thread >= 0 && threads[i] !== thread)) return;
		out.n += symptoms[i]!;
		out.ns += symptom_ns[i]!;
		out.streams.add(at);
	});
	return out;
}

/** A choice that the report does not have leaves nothing, rather than all. */
const placeOf = (names: readonly string[], name: string | undefined) =>
	name === undefined ? -1 : names.includes(name) ? names.indexOf(name) : Number.MAX_SAFE_INTEGER;

export function applyFilter(report: MineReport, cells: Cells, filter: Filter): Filtered {
	const passes = passing(report, filter);
	const thread = placeOf(cells.threads, filter.thread);
	const kind = placeOf(cells.kinds, filter.kind);
	const reason = placeOf(cells.reasons, filter.reason);
	const symptoms = symptomsOf(cells, passes, thread);
	const sums = new Map<number, Sum>();
	const all = new Sum();
	let of_ns = 0;
	for (let i = 0; i < cells.cost_ns.length; i++) {
		const cost = cells.cost_ns[i]!;
		of_ns += cost;
		if (
			!passes(cells.stream[i]!) ||
			(thread >= 0 && cells.thread[i] !== thread) ||
			(kind >= 0 && cells.kind[i] !== kind) ||
			(reason >= 0 && cells.reason[i] !== reason)
		)
			continue;
		const at = cells.cluster[i]!;
		const sum = sums.get(at) ?? new Sum();
		sums.set(at, sum);
		for (const to of [sum, all]) to.add(cells, i);
	}
	const clusters = report.clusters
		.flatMap((cluster) => {
			const sum = sums.get(cluster.rank - 1);
			return sum ? [clusterOf(cluster, sum, cells.reasons, symptoms.ns)] : [];
		})
		.sort((a, b) => b.own_ns - a.own_ns || a.rank - b.rank);
	return {
		passes,
		cost_ns: all.own,
		of_ns,
		report: {
			...report,
			streams: symptoms.streams.size,
			symptoms: symptoms.n,
			symptom_ns: symptoms.ns,
			aoi: { ...report.aoi, ...all.split },
			other_ns: sums.get(-1)?.own ?? 0,
			clusters,
		},
	};
}

type Flame = NonNullable<Listed["flame"]>;

/** A flame graph's costs of one kind. */
export function flameOfKind(flame: Flame, kind: string): Flame {
	const own_ns = flame.own_ns.map((own, i) => {
		const wait = flame.wait_ns[i]!;
		const ready = flame.ready_ns[i]!;
		return kind === "wait" ? wait : kind === "ready" ? ready : own - wait - ready;
	});
	const none = own_ns.map(() => 0);
	return {
		...flame,
		own_ns,
		wait_ns: kind === "wait" ? own_ns : none,
		ready_ns: kind === "ready" ? own_ns : none,
	};
}

/** One cluster as the filter leaves it, with the symptoms of recordings and threads that pass. */
export function filteredDetail<C extends Partial<Listed> & Pick<Listed, "id" | "rank">, R>(
	detail: { report: R; cluster: C },
	filtered: Filtered,
	filter: Filter,
): { report: R; cluster: C } {
	const { report } = filtered;
	const left = report.clusters.find((c) => c.id === detail.cluster.id);
	const places = new Map(report.inputs.map((input, at) => [input.id, at]));
	const figures = left ?? clusterOf(detail.cluster as unknown as Listed, new Sum(), [], 0);
	const { own_ns, split, ready_unknown_ns, reasons, parts, ends } = figures;
	const { coverage, streams, why, by_stream } = figures;
	const worst = detail.cluster.worst?.filter(
		(w) =>
			filtered.passes(places.get(w.stream_id) ?? -1) &&
			(!filter.thread || w.comm === filter.thread),
	);
	return {
		report: {
			...detail.report,
			clusters: report.clusters,
			streams: report.streams,
			symptoms: report.symptoms,
			symptom_ns: report.symptom_ns,
		},
		cluster: {
			...detail.cluster,
			own_ns,
			split,
			ready_unknown_ns,
			reasons,
			parts,
			ends,
			coverage,
			streams,
			why,
			by_stream,
			...(worst ? { worst } : {}),
		},
	};
}
