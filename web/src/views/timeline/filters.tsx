// The filters of a timeline: a thread's name here, a function in the toolbar's search, threads that
// were ticked; and a sentence that says how much of the trace is left.
import { useMemo } from "preact/hooks";
import { asThey, distinct, FilterBar, real } from "../../shared/filter-bar";
import { count, plural, visible } from "../../shared/format";
import type { Model, ThreadInfo } from "./model";

/** Calls of these functions, or all. */
function callsOf(thread: ThreadInfo, found: ReadonlySet<number> | null): number {
	if (!found) return thread.calls;
	let calls = 0;
	for (const fn of found) calls += thread.called.get(fn)?.[0] ?? 0;
	return calls;
}

export function TimelineFilters(props: {
	model: Model;
	threads: readonly ThreadInfo[];
	/** Functions that the search finds; null: none is searched for. */
	found: ReadonlySet<number> | null;
	/** Long calls that are listed. */
	longCalls: number;
	name: string;
	query: string;
	/** Ticked threads, if only these are shown. */
	alone: number;
}) {
	const { model, threads, found, name, query, alone } = props;
	const choices = useMemo(
		() =>
			real([
				{
					facet: "thread",
					title: "Thread",
					values: asThey(distinct(model.threads.map((t) => t.name).filter(Boolean))),
				},
			]),
		[model],
	);
	const calls = threads.reduce((sum, thread) => sum + callsOf(thread, found), 0);
	return (
		<FilterBar
			choices={choices}
			chosen={name ? { thread: name } : {}}
			also={[
				...(query ? [[`function ${visible(query)}`, "q"] as const] : []),
				...(alone ? [[`the ${count(alone)} chosen`, "alone"] as const] : []),
			]}
			passes={
				<>
					{found ? `${plural(found.size, "function")}, ` : ""}
					{count(calls)} of {plural(model.report.trace.calls, "call")} in {count(threads.length)} of{" "}
					{plural(model.threads.length, "thread")}; {count(props.longCalls)} of{" "}
					{plural(model.outliers.length, "long call")}. The summary above is not filtered.
				</>
			}
		/>
	);
}
