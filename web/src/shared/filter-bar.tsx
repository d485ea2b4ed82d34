// Filters of a report: what can be chosen, and a sentence that says what is, and how much passes. In
// the URL as `f.NAME`, which stays while one goes about in a report (location.ts).
import type { ComponentChildren } from "preact";
import { visible } from "./format";
import { setParams } from "./location";
import "./filter-bar.css";

/** What is chosen, by the facets' names; one that is not there leaves all. */
export type Chosen<Facet extends string> = Readonly<Partial<Record<Facet, string>>>;

export interface Choices<Facet extends string> {
	readonly facet: Facet;
	readonly title: string;
	/** [value, what is shown]. */
	readonly values: ReadonlyArray<readonly [string, string]>;
}

export function chosenOf<Facet extends string>(
	facets: readonly Facet[],
	params: ReadonlyMap<string, string>,
): Chosen<Facet> {
	const pairs = facets.flatMap((facet) => {
		const value = params.get(`f.${facet}`);
		return value ? [[facet, value]] : [];
	});
	return Object.fromEntries(pairs) as Chosen<Facet>;
}

export const isOn = (chosen: object) => Object.keys(chosen).length > 0;

const byName = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
export const distinct = (values: readonly string[]) => [...new Set(values)].sort(byName);
/** Values that are shown as they are. */
export const asThey = (values: readonly string[]) => values.map((value) => [value, value] as const);
/** Only a choice between several is one. */
export const real = <Facet extends string>(all: ReadonlyArray<Choices<Facet>>) =>
	all.filter(({ values }) => values.length > 1);

/** What recordings without a label are grouped under (streams/stream_groups.h). */
const NONE = "(none)";
interface Labelled {
	readonly labels?: Readonly<Record<string, string>>;
}

/** "release=2.1" for each value of each label of which there are several. */
export function labelValues(inputs: readonly Labelled[]): string[] {
	return distinct(inputs.flatMap((input) => Object.keys(input.labels ?? {}))).flatMap((key) => {
		const values = distinct(inputs.map((input) => input.labels?.[key] ?? NONE));
		return values.length > 1 ? values.map((value) => `${key}=${value}`) : [];
	});
}

export function hasLabel(input: Labelled, label: string): boolean {
	const cut = label.indexOf("=");
	return cut >= 0 && (input.labels?.[label.slice(0, cut)] ?? NONE) === label.slice(cut + 1);
}

/** "host web1, kind waiting" */
function words(choices: ReadonlyArray<Choices<string>>, chosen: Chosen<string>): string {
	return Object.entries(chosen)
		.map(([facet, value]) => {
			const of = choices.find((c) => c.facet === facet);
			const shown = of?.values.find(([v]) => v === value)?.[1] ?? value ?? "";
			return `${(of?.title ?? facet).toLowerCase()} ${visible(shown)}`;
		})
		.join(", ");
}

export function FilterBar<Facet extends string>(props: {
	choices: ReadonlyArray<Choices<Facet>>;
	chosen: Chosen<Facet>;
	/** What passes, behind what is chosen. */
	passes: ComponentChildren;
	/** False: `passes` says why nothing is filtered. */
	isFiltered?: boolean;
	/** Filters that other pages have and this data cannot serve, and why. */
	without?: { readonly titles: readonly string[]; readonly why: ComponentChildren };
	/** What is chosen elsewhere: in words, and the parameters that say it. */
	also?: ReadonlyArray<readonly [words: string, parameter: string]>;
}) {
	const { choices, passes, isFiltered = true, also = [], without } = props;
	const chosen: Chosen<string> = props.chosen;
	const isAny = isOn(chosen) || also.length > 0;
	if (!choices.length && !isAny && !without) return null;
	const parameters = [
		...Object.keys(chosen).map((facet) => `f.${facet}`),
		...also.map((a) => a[1]),
	];
	const clear = Object.fromEntries(parameters.map((name) => [name, ""]));
	return (
		<div class="filters">
			{isAny ? (
				<p class="notice" role="status">
					{isFiltered ? (
						<>
							<strong>Filtered:</strong>{" "}
							<bdi>
								{[words(choices, chosen), ...also.map((a) => a[0])].filter(Boolean).join(", ")}
							</bdi>
							.{" "}
						</>
					) : null}
					{passes}{" "}
					<button type="button" class="button no-print" onClick={() => setParams(clear, false)}>
						Clear filters
					</button>
				</p>
			) : null}
			{choices.length || without ? (
				<div class="filter-row no-print" role="group" aria-label="Filters">
					{choices.map(({ facet, title, values }) => (
						<label key={facet}>
							{title}{" "}
							<select
								aria-label={`Filter by ${title.toLowerCase()}`}
								value={chosen[facet] ?? ""}
								onChange={(event) =>
									setParams({ [`f.${facet}`]: event.currentTarget.value }, false)
								}
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
					{without?.titles.map((title) => (
						<label key={title} class="filter-without">
							{title}{" "}
							<select aria-label={`Filter by ${title.toLowerCase()}`} disabled>
								<option value="">all</option>
							</select>
						</label>
					))}
				</div>
			) : null}
			{without ? <p class="quiet filter-why">{without.why}</p> : null}
		</div>
	);
}
