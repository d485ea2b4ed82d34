// Axes of pictures: quiet lines, text that never overlaps.
import type { Paint } from "./paint";
import type { Scale } from "./scales";
import type { Colors } from "./theme";

export interface AxisOptions {
	/** Where it stands: y of a horizontal axis, x of a vertical one. */
	at: number;
	ticks: readonly number[];
	format: (value: number) => string;
	/** Grid lines reach from `at` to here. */
	gridTo?: number;
}

/** Labels below `at`. */
export function bottomAxis(paint: Paint, colors: Colors, scale: Scale, options: AxisOptions) {
	let free = Number.NEGATIVE_INFINITY;
	for (const tick of options.ticks) {
		const x = Math.round(scale(tick)) + 0.5;
		if (options.gridTo !== undefined) paint.line(x, options.gridTo, x, options.at, colors.grid);
		paint.line(x, options.at, x, options.at + 4, colors.line);
		const text = options.format(tick);
		const half = paint.measure(text, 12) / 2;
		if (x - half < free) continue;
		free = x + half + 12;
		paint.text(x, options.at + 16, text, { fill: colors.quiet, size: 12, anchor: "middle" });
	}
	paint.line(scale.range[0], options.at + 0.5, scale.range[1], options.at + 0.5, colors.line);
}

/** Labels left of `at`. */
export function leftAxis(paint: Paint, colors: Colors, scale: Scale, options: AxisOptions) {
	for (const tick of options.ticks) {
		const y = Math.round(scale(tick)) + 0.5;
		if (options.gridTo !== undefined) paint.line(options.at, y, options.gridTo, y, colors.grid);
		paint.text(options.at - 7, y, options.format(tick), {
			fill: colors.quiet,
			size: 12,
			anchor: "end",
			baseline: "middle",
		});
	}
}
