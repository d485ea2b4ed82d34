// The timelines on paper: the first rows, in pieces that a sheet holds, each with the times above it.
import { useMemo } from "preact/hooks";
import { plural, visible } from "../../shared/format";
import { Printed } from "../../shared/picture";
import type { Colors } from "../../shared/theme";
import type { Scene } from "./draw";
import type { Model, WindowMarks } from "./model";
import { makePalette } from "./palette";
import type { Row } from "./rows";
import { rulerHeight } from "./scene";
import { type AxisKind, timeAxis, View } from "./time-axis";
import { drawPicture, PICTURE_HEAD } from "./whole-picture";

const WIDTH = 1180;
const SHEET = 700; // of a landscape sheet that is as wide, with room for a heading
const MOST_SHEETS = 3;
/** Rows that need more become bands. */
export const PRINTED_HEIGHT = SHEET * (MOST_SHEETS - 1);

/** Rows in pieces of so much height, each from its own top. */
function pieces(rows: readonly Row[], height: number): Row[][] {
	const out: Row[][] = [];
	let top = 0;
	for (const row of rows) {
		const piece = out.at(-1);
		if (piece && row.y + row.height - top <= height) piece.push({ ...row, y: row.y - top });
		else {
			top = row.y;
			out.push([{ ...row, y: 0 }]);
		}
	}
	return out;
}

export function PrintedRows(props: {
	model: Model;
	hues: Int8Array;
	rows: readonly Row[];
	marks: WindowMarks;
	span: readonly [number, number];
	axis: AxisKind;
	highlighted: ReadonlySet<number>;
}) {
	const { model, span, rows, marks } = props;
	const all = useMemo(() => {
		const view = (kind: AxisKind) =>
			new View(timeAxis(model.report, kind), span[0], span[1], WIDTH - PICTURE_HEAD);
		const scene = (colors: Colors): Scene => ({
			view: view(props.axis),
			colors,
			palette: makePalette(colors, props.hues, props.highlighted),
			nameOf: (fn) => visible(model.functions[fn]?.name ?? ""),
		});
		const top = rulerHeight(props.axis === "readable");
		const sheets = pieces(rows, SHEET - top).slice(0, MOST_SHEETS);
		return sheets.map((piece) => {
			const picture = drawPicture({ model, rows: piece, marks, linear: view("linear"), scene });
			const last = piece[piece.length - 1]!;
			return { draw: picture.draw, height: last.y + last.height + top + 4, n: piece.length };
		});
	}, [model, props.hues, rows, marks, span[0], span[1], props.axis, props.highlighted]);
	const left = rows.length - all.reduce((sum, { n }) => sum + n, 0);
	return (
		<div class="tl-printed">
			{all.map(({ draw, height }, i) => (
				<Printed
					key={`${i} ${height}`}
					draw={draw}
					label={`Timelines, ${i + 1} of ${all.length}`}
					width={WIDTH}
					height={height}
				/>
			))}
			{left ? (
				<p class="quiet">{plural(left, "thread")} more: save the picture as SVG for all.</p>
			) : null}
		</div>
	);
}
