import type { Paint } from "../../shared/paint";
import { type Colors, category } from "../../shared/theme";
import type { Part } from "./parts";

/** A part in its colour; what several explain and what came back are hatched as well. */
export function paintPart(
	paint: Paint,
	colors: Colors,
	part: Pick<Part, "kind" | "at">,
	x: number,
	y: number,
	w: number,
	h: number,
) {
	if (part.kind === "rest") {
		paint.rect(x, y, w, h, colors.grid);
		return;
	}
	const fill =
		part.kind === "exclusive"
			? category(colors, part.at)
			: part.kind === "returned"
				? colors.mark
				: colors.quiet;
	paint.rect(x, y, w, h, fill, part.kind === "exclusive" ? 0.85 : 0.35);
	if (part.kind === "exclusive" || w < 3 || h < 3) return;
	paint.clip(x, y, w, h, () => {
		const step = 6;
		for (let at = -h; at < w; at += step)
			if (part.kind === "returned") paint.line(x + at, y, x + at + h, y + h, fill, 1);
			else paint.line(x + at + h, y, x + at, y + h, fill, 1);
	});
}
