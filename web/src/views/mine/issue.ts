// A cluster as text to paste: its stack, its command, and all of it as an issue in Markdown.
import { briefOf, lastWords } from "../../shared/brief";
import { costIn, count, percent, visible } from "../../shared/format";
import { KINDS } from "../../shared/kinds";
import { fenced, linked, paragraphs, plain } from "../../shared/markdown";
import type { Cluster, Listed, Mined } from "./clusters";

/** Its headline: the functions that say most of it, without the callers that others share. */
export function titleOf(cluster: Listed): string {
	return lastWords(cluster) || briefOf(cluster);
}

/** Functions of the shared call path, the outermost first. */
export function stackText(cluster: Listed): string {
	return cluster.common.map(visible).join("\n");
}

/** Shows the cluster in a terminal: the report's own next command, of this cluster. */
export function commandOf(report: object, cluster: Listed): string {
	const { next_command: next } = report as { next_command?: string };
	const show = ` --show ${cluster.id}`;
	return next && / --show \S+/.test(next)
		? visible(next.replace(/ --show \S+/, () => show))
		: `lode mine${show} INPUT...`;
}

export function issueText(report: Mined, cluster: Cluster, address: string): string {
	const cost = (ns: number) => costIn(report, ns).replaceAll("\u202f", " ");
	const share = (part: number, whole: number) => percent(part, whole).replaceAll("\u202f", " ");
	const worst = cluster.worst
		.slice(0, 5)
		.map((w) => `- ${cost(w.cost_ns)} in ${plain(`${w.comm} ${w.tid}`)}, ${plain(w.stream)}`);
	const kinds = KINDS.filter((kind) => cluster.split[kind.key] > 0).map(
		(kind) =>
			`| ${kind.title} | ${cost(cluster.split[kind.key])} | ${share(cluster.split[kind.key], cluster.own_ns)} |`,
	);
	const parts = [
		`# ${plain(titleOf(cluster))}: ${plain(cluster.why ?? cluster.reason)}`,
		`${cost(cluster.own_ns)} of ${cost(report.symptom_ns)} (${share(cluster.own_ns, report.symptom_ns)}), in ${count(cluster.streams)} of ${count(report.streams)} recordings and ${count(cluster.symptoms)} of ${count(report.symptoms)} symptoms.`,
		["| kind | cost | share |", "|---|---:|---:|", ...kinds].join("\n"),
		`Shared call path, outermost first:\n\n${fenced(stackText(cluster))}`,
		worst.length ? `Worst symptoms:\n\n${worst.join("\n")}` : "",
		`To see it:\n\n${fenced(commandOf(report, cluster))}`,
		linked(address),
	];
	return paragraphs(...parts);
}
