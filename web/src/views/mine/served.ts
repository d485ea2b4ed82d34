// What a server is asked about a report of mining, with the types that docs/schema promises.
import type { DiffReport } from "../../data/generated/diff";
import type { MineClusterReport } from "../../data/generated/mine-cluster";
import type { MineFlameReport } from "../../data/generated/mine-flame";
import type { MinePathReport } from "../../data/generated/mine-path";
import type { MineSignaturesReport } from "../../data/generated/mine-signatures";
import type { MineSourceReport } from "../../data/generated/mine-source";
import type { MineStreamsReport } from "../../data/generated/mine-streams";
import type { MineSymptomsReport } from "../../data/generated/mine-symptoms";
import type { MineTrendReport } from "../../data/generated/mine-trend";
import type { MineReport } from "../../data/reports";
import type { Source } from "../../data/source";

interface Answers {
	cluster: MineClusterReport;
	compare: DiffReport;
	flame: MineFlameReport;
	streams: MineStreamsReport;
	symptoms: MineSymptomsReport;
	path: MinePathReport;
	trend: MineTrendReport;
	signatures: MineSignaturesReport;
	source: MineSourceReport;
}
export type Question = keyof Answers;
export type Change = NonNullable<MineReport["served"]>["changes"][number];

/** A report whose server answers questions. */
export interface Served {
	readonly source: Source;
	/** Of the report. */
	readonly name: string;
	/** Path of the repository; undefined: the report is made of files. */
	readonly repo: string | undefined;
	has(question: Question): boolean;
	/** What was answered once is remembered; signatures and trends of them change. */
	ask<Q extends Question>(question: Q, query: Record<string, string>): Promise<Answers[Q]>;
	/** Whether who looks may change things. */
	mayChange(): Promise<boolean>;
	/** The same, once it was answered. */
	mayChangeNow(): boolean | undefined;
}

const REMEMBERED = new Set<Question>(["cluster", "flame", "streams", "symptoms", "path"]);

function make(source: Source, name: string, report: MineReport): Served | undefined {
	const { served } = report;
	if (!served || !source.ask) return undefined;
	const answers = new Map<string, Promise<unknown>>();
	let session: Promise<boolean> | undefined;
	let now: boolean | undefined;
	return {
		source,
		name,
		repo: served.repo,
		has: (question) => served.questions.includes(question),
		ask<Q extends Question>(question: Q, query: Record<string, string>) {
			const key = `${question} ${new URLSearchParams(query)}`;
			const known = answers.get(key);
			if (known) return known as Promise<Answers[Q]>;
			const promise = source.ask!(name, question, query) as Promise<Answers[Q]>;
			if (REMEMBERED.has(question)) {
				answers.set(key, promise);
				promise.catch(() => answers.delete(key)); // the next try asks again
			}
			return promise;
		},
		mayChange() {
			if (!session) {
				session = (source.session?.() ?? Promise.resolve(null)).then((s) => Boolean(s?.may_change));
				session.then(
					(may) => {
						now = may;
					},
					() => {
						session = undefined;
					},
				);
			}
			return session;
		},
		mayChangeNow: () => now,
	};
}

const known = new WeakMap<MineReport, Served | undefined>();

/** The same object for the same report. Undefined in a file. */
export function servedOf(source: Source, name: string, report: MineReport): Served | undefined {
	if (!known.has(report)) known.set(report, make(source, name, report));
	return known.get(report);
}
