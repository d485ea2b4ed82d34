// What the views of mining share: what they need of a report, and of its clusters.
import type { MineReport } from "../../data/reports";

export type Cluster = MineReport["clusters"][number];

/** What the list needs of a cluster; the rest may come when its page is opened (detail.ts). */
export type Listed = Omit<
	Cluster,
	"patterns" | "worst" | "signature" | "by_stream" | "flame" | "gap_variants"
>;

/** What the page of a cluster needs of a report; triage has it as well, of what has no name. */
export type Mined = Pick<
	MineReport,
	| "unit"
	| "streams"
	| "symptoms"
	| "symptom_ns"
	| "clusters"
	| "frames"
	| "paths"
	| "reasons"
	| "devices"
> & { readonly inputs: ReadonlyArray<Input> };

/** A recording, with what is known of it. */
interface Input {
	readonly path: string;
	readonly id?: string;
	readonly host?: string;
	readonly kernel?: string;
}

export { briefOf } from "../../shared/brief";

/** What people find a cluster by. */
export function searchText(cluster: Listed): string {
	return [
		cluster.id,
		cluster.why ?? "",
		cluster.reason,
		cluster.common.join(" "),
		cluster.brief_variants ?? "",
		cluster.wakers.map((w) => w.name).join(" "),
	].join(" ");
}

/** By its id, or by its number in terminals. */
export function isNamed(cluster: Listed, name: string): boolean {
	return cluster.id === name || String(cluster.rank) === name;
}

/** Position in the ranked list, of the clusters that the report has. */
export function neighbours(report: Mined, cluster: Listed) {
	const at = report.clusters.findIndex((c) => c.id === cluster.id);
	return { before: report.clusters[at - 1], after: report.clusters[at + 1] };
}
