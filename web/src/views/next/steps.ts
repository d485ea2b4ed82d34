// What the views of an order share.
import type { NextReport } from "../../data/reports";
import { briefOf } from "../../shared/brief";

export type Step = NextReport["order"][number];
export type Known = NonNullable<NextReport["known"]>[number];

export interface Turn {
	readonly step: Step;
	/** From 1. */
	readonly number: number;
	/** What was covered before it. */
	readonly before_ns: number;
}

/** A signature by its name, a cluster by what the terminal says of it. */
export function knownName(known: Known): string {
	if (known.signature !== undefined) return known.signature;
	if (!known.cluster) return "";
	return `#${known.cluster.rank} ${briefOf({ ...known, ...known.cluster })}`;
}
