// All rows, their names and the axis as one picture, for files and print.
import { shorten, visible } from "../../shared/format";
import type { Paint } from "../../shared/paint";
import type { Colors } from "../../shared/theme";
import type { Scene } from "./draw";
import type { Model, WindowMarks } from "./model";
import type { Row } from "./rows";
import { drawRows, drawRuler, rulerHeight } from "./scene";
import type { View } from "./time-axis";

/** Left of the times: names of threads. */
export const PICTURE_HEAD = 176;

/** A paint whose origin is elsewhere. */
function moved(paint: Paint, dx: number, dy: number): Paint {
	const shift = (points: ArrayLike<number>) =>
		Array.from(points, (value, i) => value + (i % 2 ? dy : dx));
	return {
		rect: (x, y, w, h, fill, opacity) => paint.rect(x + dx, y + dy, w, h, fill, opacity),
		frame: (x, y, w, h, stroke, width) => paint.frame(x + dx, y + dy, w, h, stroke, width),
		line: (x0, y0, x1, y1, stroke, width, dash) =>
			paint.line(x0 + dx, y0 + dy, x1 + dx, y1 + dy, stroke, width, dash),
		polyline: (points, stroke, width, dash) => paint.polyline(shift(points), stroke, width, dash),
		polygon: (points, fill, opacity) => paint.polygon(shift(points), fill, opacity),
		circle: (x, y, r, fill, opacity) => paint.circle(x + dx, y + dy, r, fill, opacity),
		text: (x, y, text, style) => paint.text(x + dx, y + dy, text, style),
		measure: paint.measure,
		clip: (x, y, w, h, draw) => paint.clip(x + dx, y + dy, w, h, draw),
	};
}

export function drawPicture(of: {
	model: Model;
	rows: readonly Row[];
	marks: WindowMarks;
	linear: View;
	scene: (colors: Colors) => Scene;
}) {
	const top = rulerHeight(of.linear.axis.kind === "readable") + 4;
	return {
		height: (rows: number) => rows + top,
		draw(paint: Paint, _width: number, total: number, colors: Colors) {
			const scene = of.scene(colors);
			const ruler = rulerHeight(scene.view.axis.kind === "readable");
			drawRuler(moved(paint, PICTURE_HEAD, 0), colors, scene.view, of.linear);
			drawRows(moved(paint, PICTURE_HEAD, ruler), scene, of.rows, of.marks, 0, total - ruler);
			for (const { thread, y, height } of of.rows)
				paint.text(
					4,
					ruler + y + Math.min(15, height / 2 + 4),
					shorten(`${visible(thread.name) || "thread"} ${thread.tid}`, 30),
					{
						fill: colors.text,
						maxWidth: PICTURE_HEAD - 10,
					},
				);
		},
	};
}
