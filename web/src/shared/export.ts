// What leaves the page as a file.

import type { FlameData } from "./flame";
import { frameParts, visible } from "./format";
import { canvasPaint, type Paint, svgPaint } from "./paint";
import type { Colors } from "./theme";

export function download(name: string, content: Blob) {
	const url = URL.createObjectURL(content);
	const link = document.createElement("a");
	link.href = url;
	link.download = fileName(name);
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A name that every file system takes. */
function fileName(name: string): string {
	return (
		name
			.replace(/[^A-Za-z0-9._-]+/g, "-")
			.replace(/^[-.]+/, "")
			.slice(0, 120) || "lode"
	);
}

/**
 * A field of a CSV: quoted where it must be. Names are untrusted: marks that steer stand as escapes,
 * as everywhere, and since spreadsheets run what begins with = + - @ (some also behind blanks, or as
 * wide forms), such a text gets an apostrophe in front; numbers stay numbers.
 */
function csvField(value: string | number | undefined | null): string {
	if (value === undefined || value === null || Number.isNaN(value)) return "";
	if (typeof value === "number") return String(value);
	const shown = visible(value);
	const text = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${shown}` : shown;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(
	header: readonly string[],
	rows: Iterable<readonly (string | number | undefined | null)[]>,
): string {
	const lines = [header.map(csvField).join(",")];
	for (const row of rows) lines.push(row.map(csvField).join(","));
	return `${lines.join("\r\n")}\r\n`;
}

export function downloadCsv(name: string, text: string) {
	download(`${name}.csv`, new Blob([text], { type: "text/csv;charset=utf-8" }));
}

/** Draws one picture, all of it, `width` x `height`. */
export type Draw = (paint: Paint, width: number, height: number, colors: Colors) => void;

export function downloadSvg(
	name: string,
	title: string,
	draw: Draw,
	width: number,
	height: number,
	colors: Colors,
) {
	const paint = svgPaint(colors.font);
	draw(paint, width, height, colors);
	const text = paint.finish(width, height, colors.bg, title);
	download(`${name}.svg`, new Blob([text], { type: "image/svg+xml" }));
}

// What canvases of all browsers take; beyond that they stay empty, and say nothing.
const MOST_PIXELS = 16384;
const MOST_AREA = 2 ** 27;

/** Twice as sharp as the screen, unless it is too large for that: the SVG has no such bound. */
export function downloadPng(
	name: string,
	draw: Draw,
	width: number,
	height: number,
	colors: Colors,
) {
	const canvas = document.createElement("canvas");
	const scale = Math.min(
		2,
		MOST_PIXELS / width,
		MOST_PIXELS / height,
		Math.sqrt(MOST_AREA / (width * height)),
	);
	canvas.width = Math.floor(width * scale);
	canvas.height = Math.floor(height * scale);
	const context = canvas.getContext("2d");
	if (!context) return;
	context.scale(scale, scale);
	context.fillStyle = colors.bg;
	context.fillRect(0, 0, width, height);
	draw(canvasPaint(context, colors.font), width, height, colors);
	canvas.toBlob((blob) => {
		if (blob) download(`${name}.png`, blob);
	}, "image/png");
}

/** Places of a stack's frames, root first. */
function pathTo(data: FlameData, node: number): number[] {
	const path: number[] = [];
	for (let at = node; at >= 0; at = data.parent[at]!) path.push(data.frame[at]!);
	return path.reverse();
}

/** What nodes cost themselves: one column, or one for each of two sets. */
function costsOf(data: FlameData): ReadonlyArray<readonly number[]> {
	return data.sets ?? [data.own_ns];
}

/**
 * The stacks of a flame graph as `a;b;c 120`, in the order of their texts: what flamegraph.pl and
 * many others read, as `lode mine --folded` writes it. Of two sets, `a;b;c 120 80`: both costs, as
 * flamegraph.pl wants them to draw a difference.
 */
export function folded(data: FlameData, names: readonly string[]): string {
	const label = (frame: number) =>
		visible(frameParts(names[frame] ?? "").name.replaceAll(";", ":"));
	const columns = costsOf(data);
	const lines: string[] = [];
	for (let node = 0; node < data.parent.length; node++) {
		const costs = columns.map((own) => Math.round(own[node] ?? 0));
		if (costs.some((cost) => cost > 0))
			lines.push(`${pathTo(data, node).map(label).join(";")} ${costs.join(" ")}\n`);
	}
	return lines.sort().join("");
}

/** The same for speedscope.app, as `lode mine --speedscope` writes it: a profile for each set. */
export function speedscope(
	data: FlameData,
	names: readonly string[],
	unit: string,
	title: string,
	sets: readonly string[] = [],
): string {
	const places = new Map<number, number>();
	const place = (frame: number) => {
		const at = places.get(frame) ?? places.size;
		places.set(frame, at);
		return at;
	};
	const profiles = costsOf(data).map((own, set) => {
		const samples: number[][] = [];
		const weights: number[] = [];
		own.forEach((cost, node) => {
			if (cost <= 0) return;
			samples.push(pathTo(data, node).map(place));
			weights.push(cost);
		});
		return {
			type: "sampled",
			name: visible(sets[set] ?? title),
			unit: unit === "ns" ? "nanoseconds" : "none",
			startValue: 0,
			endValue: weights.reduce((a, b) => a + b, 0),
			samples,
			weights,
		};
	});
	const frames = [...places.keys()].map((frame) => {
		const { module, name } = frameParts(names[frame] ?? "");
		return module ? { name: visible(name), file: visible(module) } : { name: visible(name) };
	});
	return JSON.stringify({
		$schema: "https://www.speedscope.app/file-format-schema.json",
		exporter: "lode",
		name: visible(title),
		activeProfileIndex: 0,
		profiles,
		shared: { frames },
	});
}
