// What the views of a comparison share.
import type { DiffReport } from "../../data/reports";
import { briefOf } from "../../shared/brief";
import { changeIn, costIn } from "../../shared/format";
import type { ColorName } from "../../shared/theme";

export type Change = DiffReport["clusters"][number];
export type Verdict = Change["class"];

/** What a class means, and its colour: more in B is warm, less in B cool. */
export const CLASSES: Record<Verdict, { help: string; colour: ColorName }> = {
	new: { help: "in B, hardly in A", colour: "mark" },
	gone: { help: "in A, hardly in B", colour: "wait" },
	worse: { help: "more in B", colour: "mark" },
	better: { help: "less in B", colour: "wait" },
	same: { help: "inconclusive, or too small to matter", colour: "faint" },
};

/** In the table's words: differences that are large but may be chance are asked about. */
export function classWord(change: Change): string {
	return change.class === "same" && change.matters ? "?" : change.class;
}

/** Changes, and what would be one if it were more than chance. */
export function isTold(change: Change): boolean {
	return change.class !== "same" || change.matters;
}

/** "+540 to +810 ms"; empty where nothing is known of the spread. */
export function intervalText(
	report: DiffReport,
	change: Pick<Change, "change_low_ns" | "change_high_ns">,
): string {
	const { change_low_ns: low, change_high_ns: high } = change;
	if (low === undefined || high === undefined) return "";
	return `${changeIn(report, low)} to ${low >= 0 ? costIn(report, high) : changeIn(report, high)}`;
}

export function searchText(change: Change): string {
	return [
		change.class,
		change.id,
		String(change.number),
		change.why ?? change.reason,
		change.common.join(" "),
		change.brief_variants ?? "",
	].join(" ");
}

export { briefOf };
