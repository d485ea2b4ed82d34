// Tracks on one axis of time: SARatio, evidence, intensity and classes, and aligned under them the
// rule coverage matrix, server by server. One picture, so that it is exported as one.
import { useCallback, useMemo } from "preact/hooks";
import type { PioReport } from "../../data/reports";
import { bottomAxis } from "../../shared/axis";
import type { Draw } from "../../shared/export";
import { count, pct, plural, ratio } from "../../shared/format";
import { useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import type { Paint } from "../../shared/paint";
import { Picture } from "../../shared/picture";
import { clockText, dateText, linear, type Scale, timeTicks } from "../../shared/scales";
import { Choice, Section } from "../../shared/section";
import { type Shortcut, TIME_KEYS, timeKey, useShortcuts } from "../../shared/shortcuts";
import { type Colors, category } from "../../shared/theme";
import { TipTable } from "../../shared/tooltip";
import {
	type Heat,
	pausesOf,
	periodAt,
	placeAt,
	type Range,
	rangeHeat,
	ruleHeat,
	rulesAt,
	timeAt,
} from "./model";

const KEYS: readonly Shortcut[] = [
	...TIME_KEYS,
	["← →", "previous and next interval; with Shift in larger steps"],
	["Esc", "deselect"],
];

/** Left of the times: names of tracks and counters. */
const leftOf = (width: number) => (width < 640 ? 112 : 196);
const RIGHT = 8;
const ROW = 17;
const SA = 84;
const EVIDENCE = 64;
const INTENSITY = 48;
const STRIP = 16;
const GAP = 20;

interface Layout {
	readonly sa: number;
	readonly evidence: number;
	readonly intensity: number;
	readonly classes: number;
	readonly heat: number;
	readonly axis: number;
	readonly height: number;
}

function layoutOf(report: PioReport, heat: Heat, isRules: boolean): Layout {
	const n_rows = heat.groups.reduce((sum, group) => sum + group.rows.length, 0);
	let y = 10;
	const place = (height: number, wanted: boolean) => {
		const at = y;
		if (wanted) y += height + GAP;
		return at;
	};
	const sa = place(SA, report.has_log);
	const evidence = place(EVIDENCE, report.servers.length > 0);
	const intensity = place(INTENSITY, isRules);
	const classes = place(2 * STRIP + 2, isRules);
	const rows = place(n_rows * ROW + heat.groups.length * 20 - GAP, n_rows > 0);
	return { sa, evidence, intensity, classes, heat: rows, axis: y + 2, height: y + 24 };
}

interface TracksProps {
	report: PioReport;
	range: Range;
	pinned: number | undefined;
	/** A move leaves no entry in the history. */
	onRange: (range: Range | null, isMove?: boolean) => void;
	onPin: (interval: number | null) => void;
}

export function Tracks(props: TracksProps) {
	const { report, range, pinned } = props;
	useShortcuts("Time", KEYS);
	const [rows, setRows] = useParam("rows");
	const ranges = useMemo(() => rangeHeat(report), [report]);
	const hasRanges = ranges.groups.length > 0;
	const isRules = rows === "rules" || !hasRanges;
	const heat = useMemo(() => (isRules ? ruleHeat(report) : ranges), [report, isRules]);
	const at = useMemo(() => layoutOf(report, heat, isRules), [report, heat]);
	const x = useCallback(
		(width: number) => linear([range.from, range.to], [leftOf(width), width - RIGHT]),
		[range.from, range.to],
	);
	const draw: Draw = useCallback(
		(paint, width, _h, colors) => drawTracks(paint, colors, report, x(width), at, heat, isRules),
		[report, x, at, heat],
	);
	const intervalOf = (px: number, width: number) =>
		px < leftOf(width) || px > width - RIGHT ? -1 : Math.floor(x(width).invert(px));
	const move = (by: number) => {
		const from = pinned ?? range.from - by;
		const next = Math.min(report.intervals.length - 1, Math.max(0, from + by));
		props.onPin(next);
		if (next < range.from || next >= range.to) {
			const half = (range.to - range.from) / 2;
			const middle = Math.min(report.intervals.length - half, Math.max(half, next));
			props.onRange({ from: middle - half, to: middle + half }, true);
		}
	};
	const pan = (part: number) => {
		const length = range.to - range.from;
		const last = report.intervals.length - length;
		const from = Math.min(last, Math.max(0, range.from + part * length));
		props.onRange({ from, to: from + length }, true);
	};
	const zoomBy = (factor: number, around: number) => {
		const n = report.intervals.length;
		const length = Math.min(n, Math.max(8, (range.to - range.from) * factor));
		const from = Math.min(
			n - length,
			Math.max(0, around - ((around - range.from) * length) / (range.to - range.from)),
		);
		props.onRange({ from, to: from + length });
	};
	const isAll = range.to - range.from >= report.intervals.length;
	return (
		<Section
			title="Time"
			note={
				isAll
					? `${count(report.intervals.length)} intervals`
					: `${dateText(timeAt(report, range.from))} to ${clockText(timeAt(report, range.to))} UTC`
			}
			tools={
				<>
					{isAll ? null : (
						<button type="button" class="button no-print" onClick={() => props.onRange(null)}>
							Whole range
						</button>
					)}
					{hasRanges && report.rules.low_other.length ? (
						<Choice
							label="Rows"
							options={[
								["", "Counters"],
								["rules", "Rules"],
							]}
							value={isRules ? "rules" : ""}
							onChange={setRows}
						/>
					) : null}
				</>
			}
		>
			<div onDblClick={() => props.onRange(null)} role="presentation">
				<Picture
					name="slow-periods"
					label={`SARatio, evidence and ${isRules ? "rule coverage" : "counters outside their healthy range"} over ${count(report.intervals.length)} intervals; ${count(report.periods.length)} slow periods are shaded`}
					height={at.height}
					draw={draw}
					overlay={(paint, width, _h, colors, pointer) => {
						const scale = x(width);
						const rule = (interval: number, colour: string, dash: number[]) => {
							const px = Math.round(scale(interval + 0.5)) + 0.5;
							if (px >= leftOf(width) && px <= width - RIGHT)
								paint.line(px, 0, px, at.axis, colour, 1, dash);
						};
						if (pinned !== undefined) rule(pinned, colors.mark, []);
						const hover = pointer ? intervalOf(pointer.x, width) : -1;
						if (hover >= 0) rule(hover, colors.text, [2, 3]);
					}}
					hit={(px, py, width) => {
						const interval = intervalOf(px, width);
						if (interval < 0 || interval >= report.intervals.length) return null;
						return {
							key: String(interval),
							pick: () => props.onPin(interval),
							tip: (
								<Tip
									report={report}
									interval={interval}
									cell={cellAt(heat, at, interval, py)}
									isRules={isRules}
								/>
							),
						};
					}}
					onDrag={(x0, x1, done, width) => {
						const scale = x(width);
						const clamp = (px: number) => Math.min(width - RIGHT, Math.max(leftOf(width), px));
						const from = Math.floor(scale.invert(clamp(Math.min(x0, x1))));
						const to = Math.ceil(scale.invert(clamp(Math.max(x0, x1))));
						if (done && to - from >= 4) props.onRange({ from, to });
					}}
					onKey={(event) => {
						const step = event.shiftKey ? Math.max(1, Math.round((range.to - range.from) / 20)) : 1;
						const middle = pinned ?? (range.from + range.to) / 2;
						if (event.key === "ArrowRight") move(step);
						else if (event.key === "ArrowLeft") move(-step);
						else if (timeKey(event) === "+") zoomBy(0.5, middle);
						else if (timeKey(event) === "-") zoomBy(2, middle);
						else if (timeKey(event) === "Earlier") pan(-1 / 8);
						else if (timeKey(event) === "Later") pan(1 / 8);
						else if (event.key === "Escape") props.onPin(null);
						else return false;
						return true;
					}}
				/>
			</div>
			<Legend heat={heat} />
			{heat.more ? (
				<p class="quiet">{plural(heat.more, "further counter")} left the healthy range.</p>
			) : null}
		</Section>
	);
}

/** What the colours mean; the classes are named at the pointer, too. */
function Legend({ heat }: { heat: Heat }) {
	const chip = (colour: string) => <i class="chip" style={{ background: colour }} />;
	return (
		<p class="legend pio-legend">
			<span>
				<i class="chip period" />
				slow period
			</span>
			<span>{chip("var(--heat-4)")}HIGH</span>
			<span>{chip("var(--heat-2)")}MED</span>
			<span>{chip("var(--faint)")}LOW</span>
			{heat.groups.length ? (
				<span>
					<i class="chip ramp" />
					{heat.note}
				</span>
			) : null}
		</p>
	);
}

function cellAt(heat: Heat, at: Layout, interval: number, py: number) {
	let y = at.heat;
	for (const group of heat.groups) {
		y += 20;
		for (const row of group.rows) {
			if (py >= y && py < y + ROW) return { row, text: heat.text(row.at(interval)) };
			y += ROW;
		}
	}
	return undefined;
}

function Tip(props: {
	report: PioReport;
	interval: number;
	cell: ReturnType<typeof cellAt>;
	isRules: boolean;
}) {
	const { report, interval, cell, isRules } = props;
	const i = report.intervals[interval]!;
	const period = periodAt(report, interval);
	const rules = isRules ? rulesAt(report, interval) : [];
	const rows: Array<readonly [string, preact.ComponentChildren]> = [];
	if (report.has_log)
		rows.push([
			"SARatio",
			i.sa_ratio === undefined
				? "no request"
				: `${pct(100 * i.sa_ratio)}, ${count(i.slow)} of ${count(i.requests)} slow: ${i.class}`,
		]);
	if (isRules) rows.push(["by the rules", i.estimated], ["intensity", count(i.intensity)]);
	for (const server of report.servers)
		rows.push([`evidence, ${server.server}`, ratio(server.evidence[interval], 2)]);
	if (cell) rows.push([cell.row.counter, cell.text]);
	return (
		<>
			<b>{dateText(timeAt(report, interval))} UTC</b>
			{period ? <span class="tip-period"> slow period</span> : null}
			<TipTable rows={rows} />
			{rules.length ? (
				<div class="tip-rules">
					{rules.slice(0, 6).map((rule) => (
						<div key={`${rule.ruleset} ${rule.then} ${rule.rule}`} class="mono">
							<Name text={rule.text} most={120} />
						</div>
					))}
					{rules.length > 6 ? (
						<div class="quiet">and {count(rules.length - 6)} more rules</div>
					) : null}
				</div>
			) : null}
		</>
	);
}

/** Colours of SARatio's classes. */
function classColour(colors: Colors, name: string): string {
	if (name === "HIGH") return colors["heat-4"];
	if (name === "MED") return colors["heat-2"];
	return name === "LOW" ? colors["heat-0"] : colors.bg;
}

function drawTracks(
	paint: Paint,
	colors: Colors,
	report: PioReport,
	x: Scale,
	at: Layout,
	heat: Heat,
	isRules: boolean,
) {
	const first = Math.max(0, Math.floor(x.domain[0]));
	const last = Math.min(report.intervals.length, Math.ceil(x.domain[1]));
	const [x0, x1] = x.range;
	const shade = () => {
		for (const period of report.periods) {
			const from = x(placeAt(report, period.start));
			const to = x(placeAt(report, period.end));
			if (to > x0 && from < x1) {
				const left = Math.max(x0, from);
				paint.rect(left, 0, Math.max(2, Math.min(x1, to) - left), at.axis, colors.mark, 0.13);
			}
		}
	};
	shade();
	if (report.has_log) drawRatio(paint, colors, report, x, at.sa, first, last, x0, x1);
	if (report.servers.length)
		drawEvidence(paint, colors, report, x, at.evidence, first, last, x0, x1);
	if (isRules) {
		drawIntensity(paint, colors, report, x, at.intensity, first, last, x0, x1);
		drawClasses(paint, colors, report, x, at.classes, first, last);
	}
	drawHeat(paint, colors, x, at.heat, heat, first, last, x0, x1);
	const domain: [number, number] = [timeAt(report, x.domain[0]), timeAt(report, x.domain[1])];
	const most = Math.max(3, Math.floor((x1 - x0) / 90));
	const isCut = pausesOf(report).some((p) => p.interval > x.domain[0] && p.interval < x.domain[1]);
	const ticks = isCut ? evenTicks(report, x.domain, most) : timeTicks(domain, most);
	const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : report.step_ns;
	const inTime = Object.assign((t: number) => x(placeAt(report, t)), {
		invert: (px: number) => timeAt(report, x.invert(px)),
		domain,
		range: x.range,
	});
	bottomAxis(paint, colors, inTime, { at: at.axis, ticks, format: (t) => clockText(t, step) });
}

/** Over a pause that is left out, round times are not evenly apart: intervals are. */
function evenTicks(report: PioReport, domain: readonly [number, number], most: number) {
	const each = Math.max(1, Math.ceil((domain[1] - domain[0]) / most));
	const first = Math.ceil(domain[0] / each) * each;
	const n = Math.max(0, Math.floor((domain[1] - first) / each) + 1);
	return Array.from({ length: n }, (_, i) => timeAt(report, first + i * each));
}

function title(paint: Paint, colors: Colors, x: Scale, y: number, text: string, note = "") {
	const left = x.range[0];
	paint.text(0, y + 11, text, { fill: colors.text, weight: 600, maxWidth: left - 50 });
	if (note) paint.text(0, y + 26, note, { fill: colors.quiet, size: 12, maxWidth: left - 44 });
}

function scaleText(paint: Paint, colors: Colors, x: Scale, y: number, text: string) {
	paint.text(x.range[0] - 6, y, text, {
		fill: colors.quiet,
		size: 12,
		anchor: "end",
		baseline: "middle",
	});
}

/** For each pixel column, the largest of what falls into it: short peaks are never lost. */
function columns(
	x: Scale,
	first: number,
	last: number,
	value: (i: number) => number | undefined,
	put: (px: number, w: number, value: number) => void,
) {
	let px = Number.NaN;
	let most = Number.NaN;
	let end = 0;
	const flush = () => {
		if (!Number.isNaN(most)) put(px, Math.max(1, end - px), most);
		most = Number.NaN;
	};
	for (let i = first; i < last; i++) {
		const from = Math.floor(Math.max(x.range[0], x(i)));
		if (from !== px) {
			flush();
			px = from;
		}
		end = Math.floor(x(i + 1));
		const v = value(i);
		if (v !== undefined && !(v <= most)) most = v;
	}
	flush();
}

function drawRatio(
	paint: Paint,
	colors: Colors,
	report: PioReport,
	x: Scale,
	top: number,
	first: number,
	last: number,
	x0: number,
	x1: number,
) {
	const y = linear([0, 1], [top + SA, top]);
	title(paint, colors, x, top, "SARatio", "slow of all requests");
	for (const v of [0, 0.5, 1]) {
		paint.line(x0, Math.round(y(v)) + 0.5, x1, Math.round(y(v)) + 0.5, colors.grid);
		scaleText(paint, colors, x, y(v), pct(100 * v));
	}
	columns(
		x,
		first,
		last,
		(i) => report.intervals[i]!.sa_ratio,
		(px, w, v) => {
			const colour =
				v >= report.bounds.high && v > 0
					? colors["heat-4"]
					: v >= report.bounds.med && v > 0
						? colors["heat-2"]
						: colors.faint;
			paint.rect(px, y(v), w, Math.max(1, y(0) - y(v)), colour);
		},
	);
	for (const bound of [report.bounds.med, report.bounds.high])
		if (bound > 0.02 && bound < 1) paint.line(x0, y(bound), x1, y(bound), colors.faint, 1, [2, 3]);
}

function drawEvidence(
	paint: Paint,
	colors: Colors,
	report: PioReport,
	x: Scale,
	top: number,
	first: number,
	last: number,
	x0: number,
	x1: number,
) {
	let most = (report.bounds.evidence ?? 1) * 1.5;
	for (const server of report.servers)
		for (let i = first; i < last; i++) most = Math.max(most, server.evidence[i] ?? 0);
	const y = linear([0, most], [top + EVIDENCE, top]);
	title(paint, colors, x, top, "Evidence");
	if (y(0) - y(report.bounds.evidence ?? most) > 11) scaleText(paint, colors, x, y(0), "0");
	scaleText(paint, colors, x, y(most), most.toFixed(1));
	paint.line(x0, top + EVIDENCE + 0.5, x1, top + EVIDENCE + 0.5, colors.line);
	if (report.bounds.evidence) {
		paint.line(
			x0,
			y(report.bounds.evidence),
			x1,
			y(report.bounds.evidence),
			colors.faint,
			1,
			[2, 3],
		);
		scaleText(paint, colors, x, y(report.bounds.evidence), "bound");
	}
	report.servers.forEach((server, k) => {
		const points: number[] = [];
		columns(
			x,
			first,
			last,
			(i) => server.evidence[i],
			(px, w, v) => points.push(px + w / 2, y(v)),
		);
		paint.polyline(points, category(colors, k), 1.5);
		const across = x.range[0] > 160 ? 2 : 1;
		if (k >= 3 * across) return; // more do not fit beside the track; the tooltip has them all
		const lx = k % across ? 76 : 0;
		const ly = top + 26 + 15 * Math.floor(k / across);
		paint.rect(lx, ly - 4, 10, 3, category(colors, k));
		paint.text(lx + 15, ly, server.server || "(none)", {
			fill: colors.quiet,
			size: 12,
			maxWidth: 56,
		});
	});
}

function drawIntensity(
	paint: Paint,
	colors: Colors,
	report: PioReport,
	x: Scale,
	top: number,
	first: number,
	last: number,
	x0: number,
	x1: number,
) {
	let most = 1;
	for (let i = first; i < last; i++) most = Math.max(most, report.intervals[i]!.intensity);
	const y = linear([0, most], [top + INTENSITY, top]);
	title(paint, colors, x, top, "Intensity", "by the rules");
	scaleText(paint, colors, x, y(0), "0");
	scaleText(paint, colors, x, y(most), count(most));
	paint.line(x0, top + INTENSITY + 0.5, x1, top + INTENSITY + 0.5, colors.line);
	columns(
		x,
		first,
		last,
		(i) => report.intervals[i]!.intensity,
		(px, w, v) => {
			if (v > 0) paint.rect(px, y(v), w, y(0) - y(v), colors.accent, 0.6);
		},
	);
}

const RANK = { NONE: 0, LOW: 1, MED: 2, HIGH: 3 } as const;
const NAMES = ["NONE", "LOW", "MED", "HIGH"];

function drawClasses(
	paint: Paint,
	colors: Colors,
	report: PioReport,
	x: Scale,
	top: number,
	first: number,
	last: number,
) {
	const strips = [
		["Class, by the log", "class"],
		["Class, by the rules", "estimated"],
	] as const;
	strips.forEach(([text, key], k) => {
		const y = top + k * (STRIP + 2);
		paint.text(0, y + 10, text, { fill: colors.quiet, size: 12, maxWidth: x.range[0] - 12 });
		columns(
			x,
			first,
			last,
			(i) => RANK[report.intervals[i]![key]],
			(px, w, v) => paint.rect(px, y, w, STRIP, classColour(colors, NAMES[v]!)),
		);
	});
}

function drawHeat(
	paint: Paint,
	colors: Colors,
	x: Scale,
	top: number,
	heat: Heat,
	first: number,
	last: number,
	x0: number,
	x1: number,
) {
	const steps = [colors["heat-1"], colors["heat-2"], colors["heat-3"], colors["heat-4"]];
	const colourOf = (v: number) => steps[heat.bounds.findIndex((bound) => v <= bound)] ?? steps[3]!;
	let y = top;
	for (const group of heat.groups) {
		paint.text(0, y + 14, group.server || "(no server)", {
			fill: colors.text,
			weight: 600,
			maxWidth: x.range[0] - 12,
		});
		y += 20;
		for (const row of group.rows) {
			paint.rect(x0, y, x1 - x0, ROW - 1, colors["heat-0"]);
			paint.text(10, y + ROW / 2, row.counter, {
				fill: colors.quiet,
				size: 12,
				baseline: "middle",
				maxWidth: x.range[0] - 22,
			});
			columns(x, first, last, row.at, (px, w, v) => {
				if (v > 0) paint.rect(px, y, w, ROW - 1, colourOf(v));
			});
			y += ROW;
		}
	}
}
