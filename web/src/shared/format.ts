// Numbers and names as people read them: the same words as in the terminal (src/document/units.c,
// src/base/duration.c).

const THIN = "\u202f";

function threeDigits(value: number): string {
	const size = Math.abs(value);
	return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

/** 1.23 ms, 12.3 s: three digits that matter. */
export function duration(ns: number): string {
	const size = Math.abs(ns);
	if (size < 999.5) return `${Math.round(ns)}${THIN}ns`;
	if (size < 999.5e3) return `${threeDigits(ns / 1e3)}${THIN}µs`;
	if (size < 999.5e6) return `${threeDigits(ns / 1e6)}${THIN}ms`;
	const sign = ns < 0 ? "−" : "";
	const seconds = Math.round(size / 1e9);
	if (seconds < 120) return `${threeDigits(ns / 1e9).replace("-", "−")}${THIN}s`;
	const pad = (n: number) => String(n).padStart(2, "0");
	if (seconds < 3600)
		return `${sign}${Math.floor(seconds / 60)}${THIN}min ${pad(seconds % 60)}${THIN}s`;
	const minutes = Math.round(size / 60e9);
	return `${sign}${Math.floor(minutes / 60)}${THIN}h ${pad(minutes % 60)}${THIN}min`;
}

/** 12,345 */
export function count(n: number): string {
	const text = Math.round(Math.abs(n)).toString();
	return (n < 0 ? "−" : "") + text.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A cost in the report's unit: durations for ns, else a count. */
export function cost(value: number, unit = "ns"): string {
	return unit === "ns" ? duration(value) : count(value);
}

/** What costs are in: every report that has some says it. */
export interface InUnit {
	readonly unit: string;
}

/** A cost as it stands alone: with its unit's name where that is no time. */
export function costIn(report: InUnit, value: number): string {
	return report.unit === "ns" ? duration(value) : `${count(value)} ${visible(report.unit)}`;
}

/** +1.53 s, −340 ms */
export function changeIn(report: InUnit, value: number): string {
	return `${value < 0 ? "−" : "+"}${costIn(report, Math.abs(value))}`;
}

/** × 3.4, −42 %: how many times as much, or how much less; empty where one of both is nothing. */
export function times(ratio: number | undefined): string {
	if (ratio === undefined || !(ratio > 0)) return "";
	if (ratio < 1) {
		const less = 100 * (1 - ratio);
		return `−${less < 99.5 ? less.toFixed(0) : "99+"}${THIN}%`;
	}
	if (ratio >= 999.5) return `×${THIN}999+`;
	return `×${THIN}${ratio.toFixed(ratio < 9.95 ? 1 : 0)}`;
}

/** A p: no more digits than tell. */
export function chance(p: number): string {
	if (p >= 0.0995) return p.toFixed(2);
	if (p >= 0.00095) return p.toFixed(3);
	return String(Number(p.toPrecision(1)));
}

export function percent(part: number, whole: number): string {
	if (!(whole > 0)) return "–";
	return pct((100 * part) / whole);
}

export function pct(value: number): string {
	if (value > 0 && value < 0.005) return `<0.01${THIN}%`;
	return `${value.toFixed(value > 0 && value < 0.095 ? 2 : 1)}${THIN}%`;
}

/** A ratio with the digits that tell. */
export function ratio(value: number | undefined, digits = 3): string {
	if (value === undefined) return "–";
	return value.toFixed(digits).replace("-", "−");
}

/** A value of unknown unit: three digits, and a power of ten where it is far from 1. */
export function number(value: number): string {
	const size = Math.abs(value);
	if (Number.isInteger(value) && size < 1e7) return count(value);
	if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(2).replace("-", "−");
	return (size < 1 ? value.toPrecision(3) : size < 1e4 ? threeDigits(value) : count(value)).replace(
		"-",
		"−",
	);
}

/** A sentence of the report's, in which no line ends between a number and its unit. */
export function measured(text: string): string {
	return text.replace(
		/(\d) (?=(?:%|ns|µs|ms|s|min|h|d|B|kB|MB|GB|TB)(?![\p{L}\p{N}_]))/gu,
		`$1${THIN}`,
	);
}

/** "2 streams", "1 stream" */
export function plural(n: number, noun: string): string {
	return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

// Characters that hide, reorder or steer: controls, bidi marks, zero-width and line separators.
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/gu;

/**
 * An untrusted name as text that shows all of itself: `\x1b`, `\u202e`. What is shown is what is
 * there, on one line, in its order.
 */
export function visible(name: string): string {
	return name.replace(STEERING, (mark) => {
		const code = mark.codePointAt(0) ?? 0;
		if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
		return code > 0xffff
			? `\\U${code.toString(16).padStart(8, "0")}`
			: `\\u${code.toString(16).padStart(4, "0")}`;
	});
}

/** At most `most` characters, cut in the middle: both ends of a C++ name tell something. */
export function shorten(text: string, most: number): string {
	if (text.length <= most) return text;
	const tail = Math.floor((most - 1) / 2);
	return `${text.slice(0, most - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** `module!function` apart; a frame without module has "". */
export function frameParts(frame: string): { module: string; name: string } {
	if (frame.startsWith("→")) return { module: "", name: frame };
	const cut = frame.indexOf("!");
	return cut < 0
		? { module: "", name: frame }
		: { module: frame.slice(0, cut), name: frame.slice(cut + 1) };
}
