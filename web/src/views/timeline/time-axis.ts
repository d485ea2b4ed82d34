// From time to pixels, on either axis.
//
//   linear     by time
//   readable   the report's knots: outliers and gaps have room, regular stretches are narrow; one
//              mapping for all threads, so what happened at once stands at one place
//
// A place on an axis is a number from 0 (the trace's start) to 1 (its end).
import type { TimelinePageReport } from "../../data/reports";

export type AxisKind = "linear" | "readable";

export interface TimeAxis {
	readonly kind: AxisKind;
	place(t: number): number;
	time(place: number): number;
}

function linearAxis(length: number): TimeAxis {
	return { kind: "linear", place: (t) => t / length, time: (place) => place * length };
}

/** Last index whose value is at most `value`, but not the very last. */
function segment(values: ArrayLike<number>, value: number): number {
	let low = 0;
	let high = values.length - 2;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (values[middle]! <= value) low = middle;
		else high = middle - 1;
	}
	return low;
}

function between(from: ArrayLike<number>, to: ArrayLike<number>, value: number): number {
	const i = segment(from, value);
	const width = from[i + 1]! - from[i]!;
	return width > 0 ? to[i]! + ((value - from[i]!) / width) * (to[i + 1]! - to[i]!) : to[i]!;
}

function readableAxis(axis: TimelinePageReport["axis"], length: number): TimeAxis {
	const t = Float64Array.from(axis.t);
	const x = Float64Array.from(axis.x, (value) => value / axis.width);
	t[t.length - 1] = Math.max(t[t.length - 1] ?? 0, length);
	return {
		kind: "readable",
		place: (time) => between(t, x, time),
		time: (place) => between(x, t, place),
	};
}

export function timeAxis(report: TimelinePageReport, kind: AxisKind): TimeAxis {
	const length = Math.max(1, report.trace.length_ns);
	return kind === "readable" && report.axis.t.length > 1
		? readableAxis(report.axis, length)
		: linearAxis(length);
}

/** What is seen: a stretch of time on an axis, over some pixels. */
export class View {
	readonly #from: number;
	readonly #scale: number;

	constructor(
		readonly axis: TimeAxis,
		readonly t0: number,
		readonly t1: number,
		readonly width: number,
	) {
		this.#from = axis.place(t0);
		this.#scale = width / Math.max(Number.MIN_VALUE, axis.place(t1) - this.#from);
	}

	x(t: number): number {
		return (this.axis.place(t) - this.#from) * this.#scale;
	}

	time(x: number): number {
		return this.axis.time(this.#from + x / this.#scale);
	}

	/** The same pixels of another stretch: `factor` times as much, what is at `x` stays there. */
	zoomed(factor: number, x: number, length: number): [number, number] {
		const width = Math.min(1, (this.width / this.#scale) * factor);
		const fixed = this.#from + x / this.#scale;
		const from = Math.max(0, Math.min(1 - width, fixed - (x / this.width) * width));
		return this.#span(from, width, length);
	}

	panned(pixels: number, length: number): [number, number] {
		const width = this.width / this.#scale;
		const from = Math.max(0, Math.min(1 - width, this.#from + pixels / this.#scale));
		return this.#span(from, width, length);
	}

	#span(from: number, width: number, length: number): [number, number] {
		const t0 = Math.max(0, Math.floor(this.axis.time(from)));
		const t1 = Math.min(length, Math.ceil(this.axis.time(from + width)));
		return t1 - t0 >= LEAST_NS ? [t0, t1] : [this.t0, this.t1];
	}
}

/** There is nothing to see in less. */
export const LEAST_NS = 20;
