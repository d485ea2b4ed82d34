// Reports that a server makes when they are asked for: their question is in their name, which is their
// place in the URL. "mine:compare:by=release&a=2.0&b=2.1"
import type { ReportRef } from "./source";

export interface Asked {
	/** The report that is asked. */
	readonly of: string;
	readonly what: string;
	readonly query: Readonly<Record<string, string>>;
}

/** What can be asked for, the schema of its answer, and what a person calls it. */
const KINDS: Readonly<
	Record<string, { schema: string; title: (query: Asked["query"]) => string }>
> = {
	compare: {
		schema: "lode/diff/1",
		title: ({ by, a, b }) => `${by} ${a} against ${b}`,
	},
};

export const nameOfAsked = ({ of, what, query }: Asked) =>
	`${of}:${what}:${new URLSearchParams(query)}`;

export function askedIn(name: string): Asked | undefined {
	const [of, what, ...rest] = name.split(":");
	if (!of || !what || !KINDS[what]) return undefined;
	return { of, what, query: Object.fromEntries(new URLSearchParams(rest.join(":"))) };
}

/** The report of that name, if it is one of these, and of a report that there is. */
export function refOfAsked(
	name: string | undefined,
	refs: readonly ReportRef[],
): ReportRef | undefined {
	const asked = name ? askedIn(name) : undefined;
	const kind = asked && KINDS[asked.what];
	return name && kind && refs.some((ref) => ref.name === asked.of)
		? { name, schema: kind.schema, title: kind.title(asked.query) }
		: undefined;
}
