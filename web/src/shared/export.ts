// What leaves the page as a file.

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
 * A field of a CSV: quoted where it must be. Names are untrusted, and spreadsheets run what begins
 * with = + - @: such a text gets an apostrophe in front; numbers stay numbers.
 */
function csvField(value: string | number | undefined | null): string {
	if (value === undefined || value === null) return "";
	if (typeof value === "number") return String(value);
	const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
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

export function downloadPng(
	name: string,
	draw: Draw,
	width: number,
	height: number,
	colors: Colors,
) {
	const canvas = document.createElement("canvas");
	const scale = 2;
	canvas.width = width * scale;
	canvas.height = height * scale;
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
