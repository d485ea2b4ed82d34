// From values to pixels, and the ticks between: the only arithmetic that views do.

export interface Scale {
	(value: number): number;
	invert(pixel: number): number;
	readonly domain: readonly [number, number];
	readonly range: readonly [number, number];
}

export function linear(domain: readonly [number, number], range: readonly [number, number]): Scale {
	const [d0, d1] = domain;
	const [r0, r1] = range;
	const k = d1 === d0 ? 0 : (r1 - r0) / (d1 - d0);
	const scale = (value: number) => r0 + (value - d0) * k;
	return Object.assign(scale, {
		invert: (pixel: number) => (k === 0 ? d0 : d0 + (pixel - r0) / k),
		domain,
		range,
	});
}

/** Logarithmic; the domain must be above 0, what is below its start is put there. */
export function logarithmic(
	domain: readonly [number, number],
	range: readonly [number, number],
): Scale {
	const inner = linear([Math.log(domain[0]), Math.log(domain[1])], range);
	const scale = (value: number) => inner(Math.log(Math.max(value, domain[0])));
	return Object.assign(scale, {
		invert: (pixel: number) => Math.exp(inner.invert(pixel)),
		domain,
		range,
	});
}

/** The round step (1, 2 or 5 times a power of ten) that gives at most `most` of them. */
export function roundStep(span: number, most: number): number {
	if (!(span > 0)) return 1;
	const raw = span / Math.max(1, most);
	const power = 10 ** Math.floor(Math.log10(raw));
	const lead = raw / power;
	return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

/** Round values inside of the domain. */
export function ticks(domain: readonly [number, number], most: number): number[] {
	const step = roundStep(domain[1] - domain[0], most);
	const out: number[] = [];
	for (let i = Math.ceil(domain[0] / step - 1e-9); i * step <= domain[1] + step * 1e-9; i++)
		out.push(i * step);
	return out;
}

export function logTicks(domain: readonly [number, number]): number[] {
	const out: number[] = [];
	const first = Math.floor(Math.log10(domain[0]));
	for (let p = first; 10 ** p <= domain[1] * 1.0001; p++)
		if (10 ** p >= domain[0] * 0.9999) out.push(10 ** p);
	return out;
}

const SECOND = 1e9;
const STEPS_NS = [
	...[1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap((s) => [s, s * 1e3, s * 1e6]),
	...[
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
	].map((s) => s * SECOND),
].sort((a, b) => a - b);

/** Ticks of a time axis in ns, at round steps of the clock. */
export function timeTicks(domain: readonly [number, number], most: number): number[] {
	const span = domain[1] - domain[0];
	const step = STEPS_NS.find((s) => span / s <= most) ?? roundStep(span, most);
	const out: number[] = [];
	for (let t = Math.ceil(domain[0] / step) * step; t <= domain[1]; t += step) out.push(t);
	return out;
}

/** Time since the start, with no more digits than the step has, and no fewer: 1.5 s, 250 ms,
    774.95 ms. */
export function sinceText(ns: number, stepNs: number): string {
	if (ns === 0) return "0";
	if (stepNs >= SECOND) return `${Number((ns / SECOND).toFixed(3))}\u202fs`;
	const size = Math.abs(ns);
	const [unit, name] =
		size >= SECOND
			? [SECOND, "s"]
			: size >= 1e6
				? [1e6, "ms"]
				: size >= 1e3
					? [1e3, "µs"]
					: [1, "ns"];
	const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(stepNs / unit) - 1e-9)));
	return `${(ns / unit).toFixed(digits)}\u202f${name}`;
}

/** 14:05:30 of UTC, with the seconds only if the step is below a minute. */
export function clockText(ns: number, stepNs = SECOND): string {
	const text = new Date(ns / 1e6).toISOString();
	return text.slice(11, stepNs < 60 * SECOND ? 19 : 16);
}

/** 2013-04-17 14:05:30 of UTC. */
export function dateText(ns: number): string {
	return new Date(ns / 1e6).toISOString().slice(0, 19).replace("T", " ");
}
