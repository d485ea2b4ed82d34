import { visible } from "./format";
import { Ending } from "./name";

/** A cluster in short, as `--detail` has it. */
export interface InBrief {
	readonly id: string;
	readonly common: readonly string[];
	readonly brief?: readonly string[];
	readonly brief_variants?: string;
}

/** The cluster in a line: what the table in the terminal has, or its last function. */
export function briefOf(cluster: InBrief): string {
	return cluster.brief?.length ? cluster.brief.join("  ") : (cluster.common.at(-1) ?? cluster.id);
}

/** The function that the short form ends with in the symptom's thread. */
export function lastWord(cluster: InBrief): string {
	const line = cluster.brief?.[0] ?? cluster.common.at(-1) ?? "";
	return line.split(/[›…]/).at(-1)?.trim() ?? "";
}

/** The last functions of each of its threads: what fits beside a bar. */
export function lastWords(cluster: InBrief): string {
	const lines = cluster.brief?.length ? cluster.brief : [cluster.common.slice(-2).join(" › ")];
	const ends = lines.map((line) => {
		const names = line.split(/[›…]/).map((name) => name.trim());
		return names.slice(-2).filter(Boolean).join(" › ");
	});
	return ends.join("  ");
}

/** Functions that a chain must not lose: the last ones say what it comes to. */
const KEPT = 2;

/** Callers › callees on one line; where there is no room, the callers at its start go first. */
export function Chain({ text, quiet }: { text: string; quiet?: boolean }) {
	const shown = visible(text);
	const cuts = [...shown.matchAll(/ [›…→] /g)].map((m) => m.index);
	return <Ending shown={shown} cut={cuts.at(-KEPT) ?? 0} quiet={quiet ?? false} />;
}

/** Two lines: the symptom's thread; then where it goes on, and what varies. */
export function Brief({ cluster }: { cluster: InBrief }) {
	const [first = briefOf(cluster), ...others] = cluster.brief ?? [];
	const second = [...others, cluster.brief_variants ?? ""].filter(Boolean).join("   ");
	return (
		<span class="brief mono">
			<Chain text={first} />
			{second ? <Chain text={second} quiet /> : null}
		</span>
	);
}
