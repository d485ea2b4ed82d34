// Two values of a label, to be compared as `lode diff --repo` does: what is asked for, not the answer.
import { useMemo } from "preact/hooks";
import { nameOfAsked } from "../../data/asked";
import type { MineReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { plural, visible } from "../../shared/format";
import { hrefOf, setParams, usePlace } from "../../shared/location";
import { Section } from "../../shared/section";

type Input = MineReport["inputs"][number];

const NONE = "(none)";
const byName = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
const labelOf = (input: Input, key: string) =>
	(key === "host" ? input.host : key === "kernel" ? input.kernel : input.labels?.[key]) || NONE;

/** Keys with two values at least, labels first; their values with how many recordings have each. */
function keysOf(inputs: readonly Input[]): ReadonlyArray<readonly [string, Map<string, number>]> {
	const labels = new Set(inputs.flatMap((input) => Object.keys(input.labels ?? {})));
	return [...[...labels].sort(byName), "host", "kernel"].flatMap((key) => {
		const counts = new Map<string, number>();
		for (const input of inputs) {
			const value = labelOf(input, key);
			counts.set(value, (counts.get(value) ?? 0) + 1);
		}
		const sorted = new Map([...counts].sort((a, b) => byName(a[0], b[0])));
		return sorted.size > 1 ? [[key, sorted] as const] : [];
	});
}

function Pick(props: {
	label: string;
	value: string;
	values: ReadonlyArray<readonly [string, string]>;
	onChange: (value: string) => void;
}) {
	return (
		<label>
			{props.label}{" "}
			<select
				aria-label={`Compare: ${props.label}`}
				value={props.value}
				onChange={(event) => props.onChange(event.currentTarget.value)}
			>
				{props.values.map(([value, shown]) => (
					<option key={value} value={value}>
						{visible(shown)}
					</option>
				))}
			</select>
		</label>
	);
}

export function Compare({ report, reference }: { report: MineReport; reference: ReportRef }) {
	const keys = useMemo(() => keysOf(report.inputs), [report]);
	const { params } = usePlace();
	const [by, counts] = keys.find(([key]) => key === params.get("compare.by")) ??
		keys[0] ?? ["", null];
	if (!counts) return null;
	const values = [...counts.keys()];
	// The two last ones are what one mostly wants: a release and the one before.
	const chosen = (side: "a" | "b", fallback: string | undefined) => {
		const value = params.get(`compare.${side}`);
		return value && counts.has(value) ? value : (fallback ?? "");
	};
	const known = values.filter((value) => value !== NONE);
	const last = known.length > 1 ? known : values;
	const a = chosen("a", last.at(-2));
	const b = chosen("b", last.at(-1));
	const shown = values.map(
		(value) => [value, `${value} (${plural(counts.get(value)!, "recording")})`] as const,
	);
	const name = nameOfAsked({ of: reference.name, what: "compare", query: { by, a, b } });
	return (
		<Section
			title="Compare"
			note="compare two values of a label: what is new, gone, worse or better"
			class="no-print"
		>
			<p class="filter-row">
				<Pick
					label="label"
					value={by}
					values={keys.map(([key]) => [key, key] as const)}
					onChange={(key) => setParams({ "compare.by": key, "compare.a": "", "compare.b": "" })}
				/>
				<Pick label="A" value={a} values={shown} onChange={(v) => setParams({ "compare.a": v })} />
				<Pick label="B" value={b} values={shown} onChange={(v) => setParams({ "compare.b": v })} />
				{a === b ? (
					<span class="quiet">Select two different values.</span>
				) : (
					<a class="button" href={hrefOf([name])}>
						Compare A with B
					</a>
				)}
			</p>
		</Section>
	);
}
