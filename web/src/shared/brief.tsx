import { visible } from "./format";

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

/** Two lines: the symptom's thread; then where it goes on, and what varies. */
export function Brief({ cluster }: { cluster: InBrief }) {
	const [first = briefOf(cluster), ...others] = (cluster.brief ?? []).map(visible);
	const second = [...others, visible(cluster.brief_variants ?? "")].filter(Boolean).join("   ");
	return (
		<span class="brief mono">
			<bdi>{first}</bdi>
			<bdi class="quiet">{second}</bdi>
		</span>
	);
}
