// The filters of a report of mining: what can be chosen, and a sentence that says what is.
import { useMemo } from "preact/hooks";
import type { MineReport } from "../../data/reports";
import { costIn, count, percent, plural, visible } from "../../shared/format";
import { setParams, usePlace } from "../../shared/location";
import { shortener } from "../../shared/titles";
import {
	applyFilter,
	FACETS,
	type Facet,
	type Filter,
	type Filtered,
	filterOf,
	isOn,
	KIND_WORDS,
} from "./filter";

/** What the URL's filter leaves of the report; null: there is none, or it cannot be had. */
export function useFilter(report: MineReport): { filter: Filter; filtered: Filtered | null } {
	const place = usePlace();
	const key = FACETS.map((facet) => place.params.get(`f.${facet}`) ?? "").join("\0");
	return useMemo(() => {
		const filter = filterOf(place.params);
		const { cells } = report;
		return { filter, filtered: isOn(filter) && cells ? applyFilter(report, cells, filter) : null };
	}, [report, key]);
}

interface Choices {
	readonly facet: Facet;
	readonly title: string;
	/** [value, what is shown]. */
	readonly values: ReadonlyArray<readonly [string, string]>;
}

const byName = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
const distinct = (values: readonly string[]) => [...new Set(values)].sort(byName);

/** Facets of which there is a choice. */
function choicesOf(report: MineReport): Choices[] {
	const { cells, inputs } = report;
	if (!cells) return [];
	const short = shortener(inputs.map((input) => input.path));
	const keys = distinct(inputs.flatMap((input) => Object.keys(input.labels ?? {})));
	const labels = keys.flatMap((key) => {
		const values = distinct(inputs.map((input) => input.labels?.[key] ?? "(none)"));
		return values.length > 1 ? values.map((value) => `${key}=${value}`) : [];
	});
	const used = (names: readonly string[], column: readonly number[]) => {
		const places = new Set(column);
		return names.filter((_, at) => places.has(at));
	};
	const same = (values: readonly string[]) => values.map((value) => [value, value] as const);
	const all: Choices[] = [
		{
			facet: "recording",
			title: "Recording",
			values: inputs.map((input) => [input.id, short(input.path)] as const),
		},
		{ facet: "host", title: "Host", values: same(distinct(inputs.map((input) => input.host))) },
		{ facet: "label", title: "Label", values: same(labels) },
		{ facet: "thread", title: "Thread", values: same(distinct(cells.threads)) },
		{
			facet: "kind",
			title: "Kind",
			values: used(cells.kinds, cells.kind).map(
				(kind) => [kind, KIND_WORDS[kind] ?? kind] as const,
			),
		},
		{ facet: "reason", title: "Wait reason", values: same(used(cells.reasons, cells.reason)) },
	];
	return all.filter(({ values }) => values.length > 1);
}

/** "host web1, kind waiting" */
function words(choices: readonly Choices[], filter: Filter): string {
	return FACETS.flatMap((facet) => {
		const value = filter[facet];
		if (!value) return [];
		const of = choices.find((c) => c.facet === facet);
		const shown = of?.values.find(([v]) => v === value)?.[1] ?? value;
		return [`${(of?.title ?? facet).toLowerCase()} ${visible(shown)}`];
	}).join(", ");
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
	const on = isOn(filter);
	const clear = Object.fromEntries(FACETS.map((facet) => [`f.${facet}`, ""]));
	if (!report.cells && !on && report.inputs.length > 1)
		return (
			<p class="quiet">
				No filters: this report holds no costs by recording and thread, as with very many
				recordings. <code>--where</code> narrows it before mining.
			</p>
		);
	if (!choices.length && !on) return null;
	return (
		<div class="filters">
			{on ? (
				<p class="notice" role="status">
					{filtered ? (
						<>
							<b>Filtered:</b> <bdi>{words(choices, filter)}</bdi>.{" "}
							{costIn(report, filtered.cost_ns)} of {costIn(report, filtered.of_ns)} (
							{percent(filtered.cost_ns, filtered.of_ns)}), in {count(filtered.report.streams)} of{" "}
							{plural(report.streams, "recording")}. {props.beside}
						</>
					) : (
						"Not filtered: this report holds no costs by recording and thread."
					)}{" "}
					<button type="button" class="button no-print" onClick={() => setParams(clear, false)}>
						Clear filters
					</button>
				</p>
			) : null}
			<div class="filter-row no-print" role="group" aria-label="Filters">
				{choices.map(({ facet, title, values }) => (
					<label key={facet}>
						{title}{" "}
						<select
							aria-label={`Filter by ${title.toLowerCase()}`}
							value={filter[facet] ?? ""}
							onChange={(event) => setParams({ [`f.${facet}`]: event.currentTarget.value }, false)}
						>
							<option value="">all</option>
							{values.map(([value, shown]) => (
								<option key={value} value={value}>
									{visible(shown)}
								</option>
							))}
						</select>
					</label>
				))}
			</div>
		</div>
	);
}
