// The filters of a report of mining.
import { useMemo } from "preact/hooks";
import type { MineReport } from "../../data/reports";
import {
	asThey,
	type Choices,
	chosenOf,
	distinct,
	FilterBar,
	isOn,
	labelValues,
	real,
} from "../../shared/filter-bar";
import { costIn, count, percent, plural } from "../../shared/format";
import { KIND_WORDS } from "../../shared/kinds";
import { usePlace } from "../../shared/location";
import { shortener } from "../../shared/titles";
import { applyFilter, FACETS, type Facet, type Filter, type Filtered } from "./filter";

/** What the URL's filter leaves of the report; null: there is none, or it cannot be had. */
export function useFilter(report: MineReport): { filter: Filter; filtered: Filtered | null } {
	const place = usePlace();
	const key = FACETS.map((facet) => place.params.get(`f.${facet}`) ?? "").join("\0");
	return useMemo(() => {
		const filter = chosenOf(FACETS, place.params);
		const { cells } = report;
		return { filter, filtered: isOn(filter) && cells ? applyFilter(report, cells, filter) : null };
	}, [report, key]);
}

/** Facets of which there is a choice. */
function choicesOf(report: MineReport): Choices<Facet>[] {
	const { cells, inputs } = report;
	if (!cells) return [];
	const short = shortener(inputs.map((input) => input.path));
	const used = (names: readonly string[], column: readonly number[]) => {
		const places = new Set(column);
		return names.filter((_, at) => places.has(at));
	};
	return real<Facet>([
		{
			facet: "recording",
			title: "Recording",
			values: inputs.map((input) => [input.id, short(input.path)] as const),
		},
		{ facet: "host", title: "Host", values: asThey(distinct(inputs.map((input) => input.host))) },
		{ facet: "label", title: "Label", values: asThey(labelValues(inputs)) },
		{ facet: "thread", title: "Thread", values: asThey(distinct(cells.threads)) },
		{
			facet: "kind",
			title: "Kind",
			values: used(cells.kinds, cells.kind).map(
				(kind) => [kind, KIND_WORDS[kind] ?? kind] as const,
			),
		},
		{ facet: "reason", title: "Wait reason", values: asThey(used(cells.reasons, cells.reason)) },
	]);
}

/** `report`: all of it. */
export function Filters(props: {
	report: MineReport;
	filter: Filter;
	filtered: Filtered | null;
	/** What is shown of all recordings all the same. */
	beside: string;
}) {
	const { report, filter, filtered } = props;
	const choices = useMemo(() => choicesOf(report), [report]);
	if (!report.cells && !isOn(filter) && report.inputs.length > 1)
		return (
			<p class="quiet">
				No filters: this report has no costs by recording and thread (too many recordings). Use{" "}
				<code>--where</code> to mine fewer.
			</p>
		);
	return (
		<FilterBar
			choices={choices}
			chosen={filter}
			isFiltered={filtered !== null}
			passes={
				filtered ? (
					<>
						{costIn(report, filtered.cost_ns)} of {costIn(report, filtered.of_ns)} (
						{percent(filtered.cost_ns, filtered.of_ns)}), in {count(filtered.report.streams)} of{" "}
						{plural(report.streams, "recording")}. {props.beside}
					</>
				) : (
					"Not filtered: this report has no costs by recording and thread."
				)
			}
		/>
	);
}
