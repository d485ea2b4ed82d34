// Colours of functions: the most prominent have one of their own, taken by a hash of their name, so
// that a function looks the same in each report where it matters; all others are grey, for more
// than a handful of hues cannot be told apart ([REGTIME24] §4.4).
import type { Colors } from "../../shared/theme";
import { category } from "../../shared/theme";
import type { Model } from "./model";

const HUES = 7; // the theme's eighth category is a grey

function hash(text: string): number {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return h >>> 0;
}

/** Index of the theme's category by function, or -1: grey. */
export function functionHues(model: Model): Int8Array {
	const hues = new Int8Array(model.functions.length).fill(-1);
	const taken = new Set<number>();
	for (const { index, name, prominence } of model.byProminence.slice(0, HUES)) {
		if (!prominence) break;
		let hue = hash(name) % HUES;
		while (taken.has(hue)) hue = (hue + 1) % HUES;
		taken.add(hue);
		hues[index] = hue;
	}
	return hues;
}

export interface Palette {
	of(fn: number): string;
	/** Whether the function stands out: always, when nothing is highlighted. */
	isLit(fn: number): boolean;
	readonly isHighlighting: boolean;
}

export function makePalette(
	colors: Colors,
	hues: Int8Array,
	highlighted: ReadonlySet<number>,
): Palette {
	const grey = colors["cat-7"];
	return {
		isHighlighting: highlighted.size > 0,
		isLit: (fn) => highlighted.size === 0 || highlighted.has(fn),
		of(fn) {
			const hue = hues[fn] ?? -1;
			if (hue >= 0) return category(colors, hue);
			return highlighted.has(fn) ? colors.mark : grey;
		},
	};
}

function channels(color: string): number[] | null {
	const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
	return match ? [1, 2, 3].map((i) => Number.parseInt(match[i]!, 16) / 255) : null;
}

/** Relative luminance, as WCAG has it. */
function luminance(rgb: readonly number[]): number {
	const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** Of the theme's text and background the one that is read better on a mark. */
export function readableOn(colors: Colors, fill: string, opacity: number): string {
	const [mark, bg, text] = [fill, colors.bg, colors.text].map(channels);
	if (!mark || !bg || !text) return opacity > 0.75 ? colors.bg : colors.text;
	const on = luminance(mark.map((c, i) => c * opacity + bg[i]! * (1 - opacity)));
	const contrast = (other: readonly number[]) => {
		const light = luminance(other);
		return (Math.max(on, light) + 0.05) / (Math.min(on, light) + 0.05);
	};
	return contrast(bg) > contrast(text) ? colors.bg : colors.text;
}
