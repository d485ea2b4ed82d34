// What pictures are drawn with: one set of calls, on a canvas for the screen and PNG, or written
// down as SVG. A picture that uses only these can be exported as both.
import { visible } from "./format";

export type Anchor = "start" | "middle" | "end";

export interface TextStyle {
	fill: string;
	size?: number;
	anchor?: Anchor;
	weight?: number;
	/** "middle": `y` is the middle of the line; default: its baseline. */
	baseline?: "middle";
	/** Cut with an ellipsis to this many pixels. */
	maxWidth?: number;
}

export interface Paint {
	rect(x: number, y: number, w: number, h: number, fill: string, opacity?: number): void;
	/** An outline inside of the rectangle's edges. */
	frame(x: number, y: number, w: number, h: number, stroke: string, width?: number): void;
	line(
		x0: number,
		y0: number,
		x1: number,
		y1: number,
		stroke: string,
		width?: number,
		dash?: readonly number[],
	): void;
	/** x, y, x, y, … */
	polyline(
		points: ArrayLike<number>,
		stroke: string,
		width?: number,
		dash?: readonly number[],
	): void;
	polygon(points: ArrayLike<number>, fill: string, opacity?: number): void;
	circle(x: number, y: number, r: number, fill: string, opacity?: number): void;
	text(x: number, y: number, text: string, style: TextStyle): void;
	/** Width in pixels. */
	measure(text: string, size?: number, weight?: number): number;
	clip(x: number, y: number, w: number, h: number, draw: () => void): void;
}

const SIZE = 12;

let ruler: CanvasRenderingContext2D | null | undefined;

function measureWith(font: string, text: string, size: number, weight: number): number {
	ruler ??= document.createElement("canvas").getContext("2d");
	if (!ruler) return text.length * size * 0.55;
	ruler.font = `${weight} ${size}px ${font}`;
	return ruler.measureText(text).width;
}

/** `text` cut with an ellipsis so that it is at most `width` wide. */
export function fit(measure: (text: string) => number, text: string, width: number): string {
	if (width < 8) return "";
	if (text.length > 400) text = `${text.slice(0, 399)}…`;
	if (measure(text) <= width) return text;
	let low = 0;
	let high = text.length - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (measure(`${text.slice(0, middle)}…`) <= width) low = middle;
		else high = middle - 1;
	}
	return low > 0 ? `${text.slice(0, low)}…` : "";
}

export function canvasPaint(context: CanvasRenderingContext2D, font: string): Paint {
	const paint: Paint = {
		rect(x, y, w, h, fill, opacity = 1) {
			context.globalAlpha = opacity;
			context.fillStyle = fill;
			context.fillRect(x, y, w, h);
			context.globalAlpha = 1;
		},
		frame(x, y, w, h, stroke, width = 1) {
			context.strokeStyle = stroke;
			context.lineWidth = width;
			context.strokeRect(x + width / 2, y + width / 2, w - width, h - width);
		},
		line(x0, y0, x1, y1, stroke, width = 1, dash = []) {
			context.strokeStyle = stroke;
			context.lineWidth = width;
			context.setLineDash([...dash]);
			context.beginPath();
			context.moveTo(x0, y0);
			context.lineTo(x1, y1);
			context.stroke();
			context.setLineDash([]);
		},
		polyline(points, stroke, width = 1, dash = []) {
			context.strokeStyle = stroke;
			context.lineWidth = width;
			context.setLineDash([...dash]);
			context.lineJoin = "round";
			context.beginPath();
			for (let i = 0; i + 1 < points.length; i += 2) context.lineTo(points[i]!, points[i + 1]!);
			context.stroke();
			context.setLineDash([]);
		},
		polygon(points, fill, opacity = 1) {
			context.globalAlpha = opacity;
			context.fillStyle = fill;
			context.beginPath();
			for (let i = 0; i + 1 < points.length; i += 2) context.lineTo(points[i]!, points[i + 1]!);
			context.closePath();
			context.fill();
			context.globalAlpha = 1;
		},
		circle(x, y, r, fill, opacity = 1) {
			context.globalAlpha = opacity;
			context.fillStyle = fill;
			context.beginPath();
			context.arc(x, y, r, 0, 2 * Math.PI);
			context.fill();
			context.globalAlpha = 1;
		},
		text(x, y, text, style) {
			const shown = shownText(paint, text, style);
			context.font = `${style.weight ?? 400} ${style.size ?? SIZE}px ${font}`;
			context.fillStyle = style.fill;
			context.textAlign = style.anchor === "middle" ? "center" : (style.anchor ?? "start");
			context.textBaseline = style.baseline ?? "alphabetic";
			context.direction = "ltr";
			context.fillText(shown, x, style.baseline ? y + 0.5 : y);
		},
		measure: (text, size = SIZE, weight = 400) => measureWith(font, text, size, weight),
		clip(x, y, w, h, draw) {
			context.save();
			context.beginPath();
			context.rect(x, y, w, h);
			context.clip();
			draw();
			context.restore();
		},
	};
	return paint;
}

function shownText(paint: Paint, text: string, style: TextStyle): string {
	const shown = visible(text.length > 2000 ? text.slice(0, 2000) : text);
	if (style.maxWidth === undefined) return shown;
	return fit((part) => paint.measure(part, style.size, style.weight), shown, style.maxWidth);
}

/** What no XML may have, not even escaped, becomes U+FFFD. */
const xml = (text: string) =>
	text
		.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
		.replace(/[\ud800-\udfff\ufffe\uffff]/gu, "\ufffd");
const n = (value: number) => Number(value.toFixed(2)).toString();

export interface SvgPaint extends Paint {
	/** The document, once all is drawn. */
	finish(width: number, height: number, background: string, title: string): string;
}

/** `prefix`: of its ids; pictures that stand in one document need different ones. */
export function svgPaint(font: string, prefix = "c"): SvgPaint {
	const out: string[] = [];
	let clips = 0;
	const solid = (opacity: number) => (opacity === 1 ? "" : ` fill-opacity="${n(opacity)}"`);
	const list = (points: ArrayLike<number>) => {
		const text: string[] = [];
		for (let i = 0; i + 1 < points.length; i += 2)
			text.push(`${n(points[i]!)},${n(points[i + 1]!)}`);
		return text.join(" ");
	};
	const paint: SvgPaint = {
		rect(x, y, w, h, fill, opacity = 1) {
			out.push(
				`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${fill}"${solid(opacity)}/>`,
			);
		},
		frame(x, y, w, h, stroke, width = 1) {
			out.push(
				`<rect x="${n(x + width / 2)}" y="${n(y + width / 2)}" width="${n(Math.max(0, w - width))}" height="${n(Math.max(0, h - width))}" fill="none" stroke="${stroke}" stroke-width="${n(width)}"/>`,
			);
		},
		line(x0, y0, x1, y1, stroke, width = 1, dash = []) {
			const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
			out.push(
				`<line x1="${n(x0)}" y1="${n(y0)}" x2="${n(x1)}" y2="${n(y1)}" stroke="${stroke}" stroke-width="${n(width)}"${dashes}/>`,
			);
		},
		polyline(points, stroke, width = 1, dash = []) {
			const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
			out.push(
				`<polyline points="${list(points)}" fill="none" stroke="${stroke}" stroke-width="${n(width)}" stroke-linejoin="round"${dashes}/>`,
			);
		},
		polygon(points, fill, opacity = 1) {
			out.push(`<polygon points="${list(points)}" fill="${fill}"${solid(opacity)}/>`);
		},
		circle(x, y, r, fill, opacity = 1) {
			out.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}"${solid(opacity)}/>`);
		},
		text(x, y, text, style) {
			const shown = shownText(paint, text, style);
			if (!shown) return;
			const anchor = style.anchor ? ` text-anchor="${style.anchor}"` : "";
			const weight = style.weight ? ` font-weight="${style.weight}"` : "";
			const middle = style.baseline ? ` dominant-baseline="central"` : "";
			out.push(
				`<text x="${n(x)}" y="${n(y)}" font-size="${style.size ?? SIZE}" fill="${style.fill}"${anchor}${weight}${middle}>${xml(shown)}</text>`,
			);
		},
		measure: (text, size = SIZE, weight = 400) => measureWith(font, text, size, weight),
		clip(x, y, w, h, draw) {
			const id = `${prefix}${clips++}`;
			out.push(
				`<clipPath id="${id}"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"/></clipPath><g clip-path="url(#${id})">`,
			);
			draw();
			out.push("</g>");
		},
		finish: (width, height, background, title) =>
			`<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" font-family="${xml(font)}"><title>${xml(visible(title))}</title><rect width="100%" height="100%" fill="${background}"/>${out.join("\n")}</svg>\n`,
	};
	return paint;
}
