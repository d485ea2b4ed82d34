// What the views of coverage share: whose the parts of a bar are.
import type { CoverageReport } from "../../data/reports";

export type Signature = CoverageReport["signatures"][number];
export type Group = NonNullable<CoverageReport["groups"]>[number];

export const isRetired = (s: Signature) => s.state === "retired";
/** Retired, and matches something again. */
export const hasReturned = (s: Signature) => isRetired(s) && s.total_ns > 0;

/** Signatures that explain something, the largest first: each has its colour in every picture. */
export function explaining(report: CoverageReport): Signature[] {
	return report.signatures
		.filter((s) => !isRetired(s) && s.total_ns > 0)
		.sort((a, b) => b.total_ns - a.total_ns);
}

export interface Part {
	readonly key: string;
	readonly title: string;
	readonly ns: number;
	/** Of `explaining`; -1: of no single one. */
	readonly at: number;
	readonly kind: "exclusive" | "shared" | "returned" | "rest";
}

/**
 * Symptom time as parts that do not overlap: what is one signature's alone, what several share, what
 * came back, and the rest.
 */
export function partsOf(
	names: readonly string[],
	exclusive: readonly number[],
	cover: { symptom_ns: number; covered_ns: number; returned_ns: number },
): Part[] {
	const parts: Part[] = [];
	let alone = 0;
	names.forEach((name, at) => {
		const ns = exclusive[at] ?? 0;
		alone += ns;
		if (ns > 0) parts.push({ key: `of ${name}`, title: name, ns, at, kind: "exclusive" });
	});
	const add = (kind: Part["kind"], title: string, ns: number) => {
		if (ns > 0) parts.push({ key: kind, title, ns, at: -1, kind });
	};
	add("shared", "several", cover.covered_ns - alone);
	add("returned", "came back", cover.returned_ns);
	add("rest", "not explained", cover.symptom_ns - cover.covered_ns - cover.returned_ns);
	return parts;
}
