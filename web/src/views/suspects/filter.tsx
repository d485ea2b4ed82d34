// The filters of suspects: lists by module and kind of call, longest executions by recording and
// thread. Scores need all executions, and stay those of all.
import { useMemo } from "preact/hooks";
import type { SuspectsReport } from "../../data/reports";
import {
	asThey,
	type Choices,
	type Chosen,
	chosenOf,
	distinct,
	FilterBar,
	isOn,
	real,
} from "../../shared/filter-bar";
import { cost as costText, count, plural } from "../../shared/format";
import { usePlace } from "../../shared/location";
import { shortener } from "../../shared/titles";
import type { Explained } from "./model";

const LISTS = ["metric", "module"] as const;
type ListFacet = (typeof LISTS)[number];

/** What is listed, of all. */
export function useListFilter(whole: SuspectsReport) {
	const { params } = usePlace();
	const key = LISTS.map((facet) => params.get(`f.${facet}`) ?? "").join("\0");
	return useMemo(() => {
		const chosen = chosenOf(LISTS, params);
		const { metric, module } = chosen;
		if (!isOn(chosen)) return { report: whole, chosen };
		const isOf = (f: { module: string }) => module === undefined || f.module === module;
		const report: SuspectsReport = {
			...whole,
			functions: whole.functions.filter(isOf),
			contrasts: whole.contrasts.filter(
				(c) => isOf(c) && (metric === undefined || c.metric === undefined || c.metric === metric),
			),
			metrics: whole.metrics.filter((m) => metric === undefined || m.metric === metric),
		};
		return { report, chosen };
	}, [whole, key]);
}

export function ListFilters(props: {
	whole: SuspectsReport;
	shown: ReturnType<typeof useListFilter>;
}) {
	const { whole } = props;
	const { report, chosen } = props.shown;
	const choices = useMemo(
		(): Choices<ListFacet>[] =>
			real([
				{
					facet: "metric",
					title: "Metric",
					values: asThey(distinct(whole.contrasts.flatMap((c) => c.metric ?? []))),
				},
				{
					facet: "module",
					title: "Module",
					values: asThey(distinct(whole.functions.map((f) => f.module).filter(Boolean))),
				},
			]),
		[whole],
	);
	const calls = report.metrics.reduce((sum, m) => sum + m.n, 0);
	const all = whole.metrics.reduce((sum, m) => sum + m.n, 0);
	return (
		<FilterBar
			choices={choices}
			chosen={chosen}
			without={{
				titles: report.streams.length > 1 ? ["Recording", "Thread"] : ["Thread"],
				why: (
					<>
						Scores cannot be filtered by recording, host, label or thread: they are of all{" "}
						{plural(whole.executions, "call")} together. <code>lode suspects</code> of some of the
						recordings scores these alone; the longest calls of a function can be filtered on its
						page.
					</>
				),
			}}
			passes={
				<>
					{count(report.functions.length)} of {plural(whole.functions.length, "function")},{" "}
					{count(report.contrasts.length)} of {plural(whole.contrasts.length, "caller")};{" "}
					{count(calls)} of {plural(all, "call")}. The summary above and all scores are not
					filtered.
				</>
			}
		/>
	);
}

const WORST = ["recording", "thread", "metric"] as const;
type WorstFacet = (typeof WORST)[number];
type Execution = Explained["worst"][number];

const textOf: Record<WorstFacet, (w: Execution) => string> = {
	recording: (w) => w.stream,
	thread: (w) => String(w.tid),
	metric: (w) => w.metric,
};

/** The longest executions of a function that pass. */
export function useWorst(worst: readonly Execution[]) {
	const { params } = usePlace();
	const key = WORST.map((facet) => params.get(`f.${facet}`) ?? "").join("\0");
	return useMemo(() => {
		const chosen = chosenOf(WORST, params);
		const rows = worst.filter((w) =>
			WORST.every((facet) => !chosen[facet] || textOf[facet](w) === chosen[facet]),
		);
		return { rows, chosen };
	}, [worst, key]);
}

export function WorstFilters(props: {
	worst: readonly Execution[];
	rows: readonly Execution[];
	chosen: Chosen<WorstFacet>;
}) {
	const { worst, rows, chosen } = props;
	const choices = useMemo((): Choices<WorstFacet>[] => {
		const values = (facet: WorstFacet) => distinct(worst.map(textOf[facet]));
		const short = shortener(values("recording"));
		return real([
			{
				facet: "recording",
				title: "Recording",
				values: values("recording").map((path) => [path, short(path)]),
			},
			{ facet: "thread", title: "Thread", values: asThey(values("thread")) },
			{ facet: "metric", title: "Metric", values: asThey(values("metric")) },
		]);
	}, [worst]);
	const longest = Math.max(0, ...rows.map((w) => w.value_ns));
	return (
		<FilterBar
			choices={choices}
			chosen={chosen}
			passes={
				<>
					{count(rows.length)} of {plural(worst.length, "execution")}
					{rows.length ? `, the longest of ${costText(longest)}` : ""}. Scores are not filtered.
				</>
			}
		/>
	);
}
