// All of one cluster. The list of clusters comes first and alone, so that it is there at once; what
// only the page of a cluster shows comes when that is opened.
import type { MineReport } from "../../data/reports";
import type { Source } from "../../data/source";
import { type Loaded, useLoaded } from "../../shared/loaded";
import type { Cluster, Listed, Mined } from "./clusters";
import type { Served } from "./served";

export interface Detail {
	/** With the names and paths that the cluster's page needs. */
	readonly report: Mined;
	readonly cluster: Cluster;
}

async function load(
	report: MineReport,
	listed: Listed,
	source: Source,
	name: string,
	served: Served | undefined,
): Promise<Detail> {
	if (served) {
		const { cluster, frames } = await served.ask("cluster", { id: listed.id });
		return { cluster, report: { ...report, frames } };
	}
	const rest = source.rest?.(name);
	if (!rest) return { cluster: listed as Cluster, report };
	const at = report.clusters.findIndex((c) => c.id === listed.id);
	const [whole, item] = await Promise.all([rest.whole(), rest.item(at)]);
	return { cluster: { ...listed, ...item } as Cluster, report: { ...report, ...whole } };
}

export function useDetail(
	report: MineReport,
	listed: Listed,
	source: Source,
	name: string,
	served: Served | undefined,
): Loaded<Detail> {
	return useLoaded(listed.id, () => load(report, listed, source, name, served));
}
