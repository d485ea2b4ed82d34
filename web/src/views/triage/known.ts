import type { TriageReport } from "../../data/reports";

export type Triaged = TriageReport["triaged"][number];
export type Known = Triaged["signatures"][number];
export type Returned = TriageReport["returned"][number];
export type Cluster = NonNullable<TriageReport["clusters"]>[number];

/** Parts of a recording's symptoms: known, back although retired, and the rest. */
export const PARTS = [
	{ key: "known", title: "known", colour: "wait", css: "var(--wait)" },
	{ key: "returned", title: "came back", colour: "mark", css: "var(--mark)" },
	{ key: "rest", title: "not explained", colour: "faint", css: "var(--faint)" },
] as const;

export function partsOf(stream: {
	covered_ns: number;
	returned_ns: number;
	unexplained_ns: number;
}): number[] {
	return [stream.covered_ns, stream.returned_ns, stream.unexplained_ns - stream.returned_ns];
}
