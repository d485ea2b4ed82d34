// What each thread did during a span (T3), as lode worked it out: a server is asked for any span, a
// file has a document of the spans that tell most. Nothing is estimated: where a file does not have
// a span, it says so, and shows the narrowest one around it that it has.
import type { TimelineMeanwhilesReport } from "../../data/reports";
import type { Source } from "../../data/source";
import { type Model, NO_FUNCTION } from "./model";
import { hasEngine } from "./windows";

export interface Leaf {
	readonly fn: number; // NO_FUNCTION: others
	readonly ns: number;
}

export interface ThreadShare {
	readonly thread: number;
	readonly idle: number;
	readonly leaves: readonly Leaf[];
}

export interface Meanwhile {
	readonly t0: number;
	readonly t1: number;
	readonly threads: readonly ThreadShare[];
}

export type GivenMeanwhile = TimelineMeanwhilesReport["meanwhile"][number];

/** Of a span: what was asked for, or what there is around it. */
export interface Answer {
	readonly isExact: boolean;
	readonly meanwhile: Meanwhile | null;
}

/** From a document of lode. */
export function givenMeanwhile(given: GivenMeanwhile): Meanwhile {
	const length = given.t1 - given.t0;
	return {
		t0: given.t0,
		t1: given.t1,
		// of threads on other clocks nothing is known
		threads: given.idle.flatMap((idle, thread) => {
			if (idle < 0) return [];
			const leaves: Leaf[] = [];
			const pairs = given.leaves[thread] ?? [];
			let rest = length - idle;
			for (let i = 0; i + 1 < pairs.length; i += 2) {
				leaves.push({ fn: pairs[i]!, ns: pairs[i + 1]! });
				rest -= pairs[i + 1]!;
			}
			if (rest > 0) leaves.push({ fn: NO_FUNCTION, ns: rest });
			return [{ thread, idle, leaves }];
		}),
	};
}

/** More than so many times as long tells little of a span. */
const AROUND = 4;
const KEPT = 200;

export class Meanwhiles {
	readonly #source: Source;
	readonly #name: string;
	readonly #hasEngine: boolean;
	#document: Promise<readonly GivenMeanwhile[]> | undefined;
	readonly #answers = new Map<string, Answer>();

	constructor(model: Model, source: Source, name: string) {
		this.#hasEngine = hasEngine(model, source);
		this.#source = source;
		this.#name = name;
	}

	/** What is known already. */
	known(t0: number, t1: number, clock: number): Answer | undefined {
		return this.#answers.get(`${t0} ${t1} ${clock}`);
	}

	/** Fails when a server does. */
	async of(t0: number, t1: number, clock: number): Promise<Answer> {
		const answer = this.known(t0, t1, clock) ?? (await this.#find(t0, t1, clock));
		if (this.#answers.size > KEPT) this.#answers.clear();
		this.#answers.set(`${t0} ${t1} ${clock}`, answer);
		return answer;
	}

	async #find(t0: number, t1: number, clock: number): Promise<Answer> {
		if (this.#hasEngine && this.#source.ask) {
			const query = { t0: String(t0), t1: String(t1), clock: String(clock) };
			const given = await this.#source.ask(this.#name, "meanwhile", query);
			return { isExact: true, meanwhile: givenMeanwhile(given as GivenMeanwhile) };
		}
		this.#document ??= this.#source
			.report(`${this.#name}-part-meanwhile`)
			.then((report) => (report as TimelineMeanwhilesReport).meanwhile);
		let best: GivenMeanwhile | undefined;
		for (const given of await this.#document) {
			if (given.t0 > t0) break; // they are in order
			if (given.clock !== clock) continue;
			if (given.t1 >= t1 && (!best || given.t1 - given.t0 < best.t1 - best.t0)) best = given;
		}
		if (!best || best.t1 - best.t0 > AROUND * (t1 - t0)) return { isExact: false, meanwhile: null };
		return { isExact: best.t0 === t0 && best.t1 === t1, meanwhile: givenMeanwhile(best) };
	}
}
