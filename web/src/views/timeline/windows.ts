// More detail where somebody zooms: the windows that are in the file, or any that the server makes.
import type { TimelineWindowsReport } from "../../data/reports";
import type { Source } from "../../data/source";
import { type Model, WindowMarks } from "./model";

interface Known {
	readonly t0: number;
	readonly t1: number;
	/** Call by call: there is nothing finer. */
	readonly isSingle: boolean;
	readonly load: () => Promise<WindowMarks>;
	marks?: WindowMarks;
	isAsked?: boolean;
	isFailed?: boolean;
	/** Asked for before somebody wants it: what is seen does not change when it comes. */
	isAhead?: boolean;
	/** When it was last drawn: the oldest are forgotten. */
	used: number;
}

export interface Detail {
	readonly marks: WindowMarks;
	/** Better marks are on their way. */
	readonly isLoading: boolean;
	/** No zooming shows more: it is call by call, or the file's finest. */
	readonly isEnd: boolean;
	readonly isSingle: boolean;
	/** Better marks could not be had. */
	readonly isFailed: boolean;
}

const SERVED_KEPT = 60;
const MOST_OF_ALL = 0.6;

/** Whether somebody can be asked: a server of the trace. One of a file that was made before shows what
    that has, its windows and spans; a page for a server has none. */
export function hasEngine(model: Model, source: Source): boolean {
	const { windows, meanwhiles } = model.report;
	return source.ask !== undefined && !windows.length && !meanwhiles;
}

/** The shortest first. */
function byLength(a: Known, b: Known): number {
	return a.t1 - a.t0 - (b.t1 - b.t0) || a.t0 - b.t0;
}

export class Windows {
	#known: Known[];
	readonly #model: Model;
	readonly #source: Source;
	readonly #name: string;
	readonly #changed: () => void;
	readonly #hasEngine: boolean;
	/** A server is asked for one window at a time, and then for the one that is wanted by then. */
	#isAsking = false;
	#next: Known | undefined;
	#ahead = false;
	#clock = 0;

	constructor(model: Model, source: Source, name: string, changed: () => void) {
		this.#model = model;
		this.#source = source;
		this.#name = name;
		this.#changed = changed;
		this.#hasEngine = hasEngine(model, source);
		this.#known = this.#ofFile();
	}

	#ofFile(): Known[] {
		const parts = new Map<number, Promise<Map<string, WindowMarks>>>();
		const part = (n: number) => {
			const asked =
				parts.get(n) ?? this.#source.report(`${this.#name}-part-${n}`).then(decodeWindows);
			parts.set(n, asked);
			return asked;
		};
		return this.#model.report.windows
			.map((w) => ({
				t0: w.t0,
				t1: w.t1,
				isSingle: w.single,
				used: 0,
				load: async () => {
					const marks = (await part(w.part)).get(`${w.t0} ${w.t1}`);
					if (!marks) throw new Error("window data is missing");
					return marks;
				},
			}))
			.sort(byLength);
	}

	/** The best marks there are for a stretch of time; better ones are fetched, and announced. */
	at(t0: number, t1: number): Detail {
		if (this.#hasEngine) this.#plan(t0, t1);
		const holding = this.#known.filter((w) => !w.isAhead && w.t0 <= t0 && t1 <= w.t1);
		const best = holding.find((w) => !w.isFailed);
		const there = holding.find((w) => w.marks);
		if (there) there.used = ++this.#clock;
		const isSingle = there ? isAllSingle(this.#model, there.marks!) : this.#isWholeSingle();
		if (best && !best.marks) this.#fetch(best);
		else if (this.#hasEngine && !isSingle) this.#askAhead(t0, t1);
		return {
			marks: there?.marks ?? this.#model.whole,
			isLoading: Boolean(best && !best.marks),
			isSingle,
			isEnd: isSingle || (!this.#hasEngine && !this.#hasFiner(t0, t1, best)),
			isFailed: Boolean(holding[0]?.isFailed),
		};
	}

	#isWholeSingle(): boolean {
		return isAllSingle(this.#model, this.#model.whole);
	}

	#hasFiner(t0: number, t1: number, best: Known | undefined): boolean {
		const length = best ? best.t1 - best.t0 : this.#model.length;
		return this.#known.some((w) => w.t1 - w.t0 < length && w.t0 < t1 && w.t1 > t0);
	}

	#fetch(window: Known) {
		if (window.isAsked) return;
		if (this.#hasEngine && this.#isAsking) {
			this.#next = window; // whatever was to be next is not looked at any more
			return;
		}
		window.isAsked = true;
		this.#isAsking = true;
		const done = () => {
			this.#isAsking = false;
			const next = this.#next;
			this.#next = undefined;
			if (next) this.#fetch(next);
			this.#changed();
		};
		this.#load(window, done);
	}

	#load(window: Known, done: () => void) {
		window.load().then(
			(marks) => {
				window.marks = marks;
				done();
			},
			() => {
				window.isFailed = true;
				done();
			},
		);
	}

	/** While nothing is wanted: what a step of zooming in wants next. It is asked for beside others, so
	    that none waits for it. */
	#askAhead(t0: number, t1: number) {
		if (this.#isAsking || this.#ahead) return;
		const quarter = (t1 - t0) / 4;
		const window = this.#plan(t0 + quarter, t1 - quarter, true);
		if (!window || window.isAsked) return;
		window.isAsked = true;
		this.#ahead = true;
		this.#load(window, () => {
			this.#ahead = false;
			if (!window.isAhead) this.#changed(); // it was wanted meanwhile
		});
	}

	/** Windows of the server: one and a half times to three times the stretch, from a multiple of a
	    third of theirs, so that panning finds most of them made. */
	#plan(t0: number, t1: number, isAhead = false): Known | undefined {
		const length = this.#model.length;
		const step = 2 ** Math.ceil(Math.log2(Math.max(1, (t1 - t0) / 2)));
		const from = Math.floor(t0 / step) * step;
		const to = Math.min(length + 1, from + 3 * step);
		if (to - from > MOST_OF_ALL * length) return undefined; // the whole has as much of it
		const known = this.#known.find((w) => w.t0 === from && w.t1 === to);
		if (known) {
			if (!isAhead) known.isAhead = false;
			return known;
		}
		// Those that were planned on the way here, and not even asked for, are forgotten.
		this.#known = this.#known.filter((w) => w.isAsked);
		const planned: Known = {
			t0: from,
			t1: to,
			isSingle: false,
			isAhead,
			used: isAhead ? this.#clock : 0,
			load: async () => {
				const ask = this.#source.ask!;
				const query = { t0: String(from), t1: String(to) };
				const report = await ask.call(this.#source, this.#name, "window", query);
				return [...decodeWindows(report).values()][0]!;
			},
		};
		this.#known.push(planned);
		this.#known.sort(byLength);
		const loaded = this.#known.filter((w) => w.marks).sort((a, b) => b.used - a.used);
		const old = new Set(loaded.slice(SERVED_KEPT));
		this.#known = this.#known.filter((w) => !old.has(w));
		return planned;
	}
}

function isAllSingle(model: Model, marks: WindowMarks): boolean {
	return model.threads.every((thread) => marks.isSingle(thread.index));
}

function decodeWindows(report: unknown): Map<string, WindowMarks> {
	const { windows } = report as TimelineWindowsReport;
	return new Map(windows.map((w) => [`${w.t0} ${w.t1}`, new WindowMarks(w.t0, w.t1, w.timelines)]));
}
