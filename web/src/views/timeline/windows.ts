// More detail where somebody zooms: the windows that are in the file, or any that the server makes.
import type { TimelineWindowsReport } from "../../data/reports";
import type { Source } from "../../data/source";
import { type Model, WindowMarks } from "./model";

interface Known {
	readonly t0: number;
	readonly t1: number;
	/** Call by call: there is nothing finer. */
	readonly single: boolean;
	readonly load: () => Promise<WindowMarks>;
	marks?: WindowMarks;
	asked?: boolean;
	failed?: boolean;
}

export interface Detail {
	readonly marks: WindowMarks;
	/** Better marks are on their way. */
	readonly isLoading: boolean;
	/** No zooming shows more: it is call by call, or the file's finest. */
	readonly isEnd: boolean;
	readonly isSingle: boolean;
}

const SERVED_KEPT = 60;

export class Windows {
	#known: Known[];
	readonly #model: Model;
	readonly #source: Source;
	readonly #name: string;
	readonly #changed: () => void;

	constructor(model: Model, source: Source, name: string, changed: () => void) {
		this.#model = model;
		this.#source = source;
		this.#name = name;
		this.#changed = changed;
		const parts = new Map<number, Promise<Map<string, WindowMarks>>>();
		const part = (n: number) => {
			const asked = parts.get(n) ?? source.report(`${name}-part-${n}`).then(decodeWindows);
			parts.set(n, asked);
			return asked;
		};
		this.#known = model.report.windows.map((w) => ({
			t0: w.t0,
			t1: w.t1,
			single: w.single,
			load: async () => {
				const marks = (await part(w.part)).get(`${w.t0} ${w.t1}`);
				if (!marks) throw new Error("the window is not in its part");
				return marks;
			},
		}));
		this.#known.sort((a, b) => a.t1 - a.t0 - (b.t1 - b.t0) || a.t0 - b.t0);
	}

	/** The best marks there are for a stretch of time; better ones are fetched, and announced. */
	at(t0: number, t1: number): Detail {
		if (this.#source.ask) this.#askFor(t0, t1);
		const holding = this.#known.filter((w) => w.t0 <= t0 && t1 <= w.t1 && !w.failed);
		const best = holding[0];
		const there = holding.find((w) => w.marks);
		if (best && !best.marks) this.#fetch(best);
		return {
			marks: there?.marks ?? this.#model.whole,
			isLoading: Boolean(best && !best.marks),
			isSingle: best?.single ?? this.#isSingle(),
			isEnd: best?.single || (!this.#source.ask && !this.#hasFiner(t0, t1, best)),
		};
	}

	#isSingle(): boolean {
		return this.#model.threads.every((thread) => this.#model.whole.of(thread.index).single);
	}

	#hasFiner(t0: number, t1: number, best: Known | undefined): boolean {
		const length = best ? best.t1 - best.t0 : this.#model.length;
		return this.#known.some((w) => w.t1 - w.t0 < length && w.t0 < t1 && w.t1 > t0);
	}

	#fetch(window: Known) {
		if (window.asked) return;
		window.asked = true;
		window.load().then(
			(marks) => {
				window.marks = marks;
				this.#changed();
			},
			() => {
				window.failed = true;
				this.#changed();
			},
		);
	}

	/** Windows of the server: twice to four times the stretch, half of them overlapping, so that
	    panning finds most of them made. */
	#askFor(t0: number, t1: number) {
		const length = this.#model.length;
		const step = 2 ** Math.ceil(Math.log2(Math.max(1, t1 - t0)));
		const from = Math.floor(t0 / step) * step;
		const to = Math.min(length + 1, from + 2 * step);
		if (to - from >= length || this.#known.some((w) => w.t0 === from && w.t1 === to)) return;
		this.#known.unshift({
			t0: from,
			t1: to,
			single: false,
			load: async () => {
				const ask = this.#source.ask!;
				const query = { t0: String(from), t1: String(to) };
				const report = await ask.call(this.#source, this.#name, "window", query);
				return [...decodeWindows(report).values()][0]!;
			},
		});
		this.#known.sort((a, b) => a.t1 - a.t0 - (b.t1 - b.t0) || a.t0 - b.t0);
		const old = this.#known.filter((w) => w.marks).slice(SERVED_KEPT);
		for (const window of old) this.#known.splice(this.#known.indexOf(window), 1);
	}
}

function decodeWindows(report: unknown): Map<string, WindowMarks> {
	const { windows } = report as TimelineWindowsReport;
	return new Map(windows.map((w) => [`${w.t0} ${w.t1}`, new WindowMarks(w.t0, w.t1, w.timelines)]));
}
