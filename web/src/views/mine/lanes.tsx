// The critical path of a symptom as lanes: a row per thread, what it did as a thin band, what of it is
// the path as thick blocks, and who woke whom as arrows.
import { useCallback, useMemo } from "preact/hooks";
import type { MineReport } from "../../data/reports";
import { bottomAxis } from "../../shared/axis";
import type { Draw } from "../../shared/export";
import { count, duration, percent, visible } from "../../shared/format";
import { KINDS, KindLegend } from "../../shared/kinds";
import { setParams, useParam } from "../../shared/location";
import { Frame, Name } from "../../shared/name";
import { Picture } from "../../shared/picture";
import { linear, sinceText, timeTicks } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Shortcut, TIME_KEYS, timeKey, useShortcuts } from "../../shared/shortcuts";
import { TipTable } from "../../shared/tooltip";
import type { Mined } from "./clusters";
import { type PathSpan, PathTable } from "./path-table";

export type Path = NonNullable<MineReport["paths"]>[number];
type Whole = Path & Required<Pick<Path, "lanes" | "spans" | "wakes" | "stacks" | "threads">>;

export const WORST_PATH = "Critical path of its worst symptom";

const KEYS: readonly Shortcut[] = [
	...TIME_KEYS,
	["← →", "previous and next span of the path"],
	["Esc", "the whole path"],
];

const LEFT = 176;
const RIGHT = 8;
const LANE = 34;
const TOP = 6;

// As the report numbers them: 0 running, 1 waiting, 2 ready.
const KIND = [KINDS[1], KINDS[0], KINDS[2]];

/** Functions of a stack, the innermost first. */
function stackOf(path: Whole, node: number): string[] {
	const out: string[] = [];
	for (let at = node; at > 0; at = path.stacks.parent[at]!)
		out.push(path.stacks.functions[path.stacks.function[at]!] ?? "");
	return out;
}

/** Index of the item at `t`, of columns in order of time; -1: none. */
function find(start: readonly number[], length: readonly number[], t: number): number {
	let low = 0;
	let high = start.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (start[middle]! <= t) low = middle + 1;
		else high = middle;
	}
	return low > 0 && t < start[low - 1]! + length[low - 1]! ? low - 1 : -1;
}

interface LanesProps {
	/** Names of reasons and devices, by number. */
	report: Pick<Mined, "reasons" | "devices">;
	path: Path;
	/** Whose path it is; default: that of the cluster's worst symptom. */
	title?: string;
}

export function Lanes({ report, path, title = WORST_PATH }: LanesProps) {
	if (!path.lanes || !path.spans || !path.wakes || !path.stacks)
		return (
			<Section title={title}>
				<p class="quiet">
					Not available:{" "}
					<Name text={path.missing ?? "the recording could not be read"} most={300} />.
				</p>
			</Section>
		);
	return <LanePicture report={report} path={path as Whole} title={title} />;
}

function LanePicture(props: Required<LanesProps> & { path: Whole }) {
	const { report, path } = props;
	useShortcuts("Critical path", KEYS);
	const [zoom] = useParam("path.zoom");
	const [chosen, setChosen] = useParam("path.span");
	const { lanes, spans, wakes } = path;
	const whole = path.t1_ns - path.t0_ns;
	const [z0 = 0, z1 = whole] = zoom ? zoom.split("-").map(Number) : [];
	const from = z0 >= 0 && z0 < whole ? z0 : 0;
	const to = z1 > from && z1 <= whole ? z1 : whole;
	const n_rows = lanes.length + (path.threads > lanes.length ? 1 : 0);
	const base = TOP + n_rows * LANE;
	const height = base + 26;
	const x = useCallback((width: number) => linear([from, to], [LEFT, width - RIGHT]), [from, to]);
	const rowOf = (lane: number) => TOP + (lane < 0 ? lanes.length : lane) * LANE;
	const at = chosen === "" ? -1 : Number(chosen);
	const pinned = at >= 0 && at < spans.lane.length ? at : -1;

	const draw: Draw = useCallback(
		(paint, width, _h, colors) => {
			const sx = x(width);
			const right = width - RIGHT;
			const step = timeTicks([from, to], Math.max(3, Math.floor((right - LEFT) / 90)));
			bottomAxis(paint, colors, sx, {
				at: base,
				ticks: step,
				format: (t) => sinceText(t, step.length > 1 ? step[1]! - step[0]! : to - from),
				gridTo: TOP,
			});
			for (let i = 0; i < n_rows; i++) {
				const lane = lanes[i];
				const y = TOP + i * LANE;
				paint.line(0, y + LANE - 2.5, right, y + LANE - 2.5, colors.grid);
				paint.text(
					0,
					y + 13,
					lane ? lane.comm : `${count(path.threads - lanes.length)} more threads`,
					{
						fill: lane ? colors.text : colors.quiet,
						weight: i === 0 ? 600 : 400,
						maxWidth: LEFT - 72,
					},
				);
				if (!lane) continue;
				paint.text(LEFT - 8, y + 13, lane.path_ns ? duration(lane.path_ns) : "", {
					fill: colors.quiet,
					size: 12,
					anchor: "end",
				});
				paint.text(0, y + 27, `${lane.tid}`, { fill: colors.quiet, size: 12 });
			}
			paint.clip(LEFT, 0, right - LEFT, base, () => {
				lanes.forEach((lane, i) => {
					const y = TOP + i * LANE + 21;
					for (let k = 0; k < lane.start_ns.length; k++) {
						const x0 = sx(lane.start_ns[k]!);
						const w = sx(lane.start_ns[k]! + lane.duration_ns[k]!) - x0;
						if (x0 > right || x0 + w < LEFT) continue;
						paint.rect(
							x0,
							y,
							Math.max(0.5, w),
							6,
							colors[KIND[lane.kind[k]!]!.colour],
							lane.kind[k] === 1 ? 0.22 : 0.6,
						);
					}
				});
				for (let k = 0; k < spans.lane.length; k++) {
					const x0 = sx(spans.start_ns[k]!);
					const w = sx(spans.start_ns[k]! + spans.duration_ns[k]!) - x0;
					if (x0 > right || x0 + w < LEFT) continue;
					const y = rowOf(spans.lane[k]!);
					paint.rect(x0, y + 3, Math.max(0.7, w), 16, colors[KIND[spans.kind[k]!]!.colour], 0.9);
					const stack = w > 46 ? stackOf(path, spans.stack[k]!) : [];
					const name =
						spans.kind[k] === 1
							? report.reasons?.[spans.reason[k]!]
							: stack[0]?.replace(/^[^!]*!/, "");
					if (w > 46 && name)
						paint.text(x0 + 4, y + 11, name, {
							fill: colors.bg,
							size: 12,
							baseline: "middle",
							maxWidth: w - 8,
						});
				}
				let last = "";
				for (let k = 0; k < wakes.t_ns.length; k++) {
					const px = Math.round(sx(wakes.t_ns[k]!)) + 0.5;
					const [a, b] = [wakes.from[k]!, wakes.to[k]!];
					const key = `${px} ${a} ${b}`;
					if (a < 0 || px < LEFT || px > right || key === last) continue;
					last = key;
					const y0 = rowOf(a) + (a < b ? 19 : 3);
					const y1 = rowOf(b) + (a < b ? 3 : 19);
					const tip = a < b ? -5 : 5;
					paint.line(px, y0, px, y1, colors.quiet, 1);
					paint.polygon([px - 3, y1 + tip, px + 3, y1 + tip, px, y1], colors.quiet);
				}
			});
		},
		[x, path, from, to],
	);
	const spanAt = (px: number, py: number, width: number): number => {
		if (px < LEFT || px > width - RIGHT || py > base) return -1;
		const k = find(spans.start_ns, spans.duration_ns, x(width).invert(px));
		return k;
	};
	const setZoom = (text: string) => setParams({ "path.zoom": text }, false);
	const show = (a: number, b: number) =>
		setZoom(
			b - a >= whole * 0.999
				? ""
				: `${Math.max(0, Math.round(a))}-${Math.min(whole, Math.round(b))}`,
		);
	const pan = (by: number) => {
		const start = Math.max(0, Math.min(whole - (to - from), from + by * (to - from)));
		setParams({ "path.zoom": `${Math.round(start)}-${Math.round(start + to - from)}` });
	};
	const reveal = (k: number) => {
		const start = spans.start_ns[k]!;
		const end = start + spans.duration_ns[k]!;
		if (start >= from && end <= to) return {};
		const half = Math.max((to - from) / 2, (end - start) * 0.6);
		const middle = Math.min(whole - half, Math.max(half, (start + end) / 2));
		return {
			"path.zoom": `${Math.max(0, Math.round(middle - half))}-${Math.min(whole, Math.round(middle + half))}`,
		};
	};
	const tell = (k: number) => {
		const lane = lanes[spans.lane[k]!];
		const kind = KIND[spans.kind[k]!]!;
		const reason = spans.kind[k] === 1 ? ` for ${report.reasons?.[spans.reason[k]!] ?? ""}` : "";
		const device = spans.device[k]
			? `, ended by the ${report.devices?.[spans.device[k]!] ?? "device"}`
			: "";
		return (
			<TipTable
				rows={[
					["thread", lane ? <Name text={`${lane.comm} ${lane.tid}`} /> : "another"],
					["what", `${kind.title}${reason}${device}`],
					["for", `${duration(spans.duration_ns[k]!)}, ${percent(spans.duration_ns[k]!, whole)}`],
					["at", `+${duration(spans.start_ns[k]!)}`],
					...(spans.merged[k]! > 1
						? [["merges", `${count(spans.merged[k]!)} short spans`] as const]
						: []),
				]}
			/>
		);
	};
	const stack = useMemo(
		() => (pinned >= 0 ? stackOf(path, spans.stack[pinned]!) : []),
		[path, pinned],
	);
	const inSpans = useMemo(
		() =>
			spans.lane.map((lane, k): PathSpan => {
				const kind = KIND[spans.kind[k]!]!;
				return {
					start_ns: spans.start_ns[k]!,
					end_ns: spans.start_ns[k]! + spans.duration_ns[k]!,
					thread: lanes[lane] ? `${lanes[lane].comm} ${lanes[lane].tid}` : "another",
					kind,
					reason: spans.kind[k] === 1 ? (report.reasons?.[spans.reason[k]!] ?? "") : "",
					innermost: stackOf(path, spans.stack[k]!)[0] ?? "",
				};
			}),
		[path, report],
	);
	return (
		<Section
			title={props.title}
			note={
				<>
					<Name text={`${path.comm} ${path.tid}, ${path.stream}`} most={100} />: {duration(whole)},
					every nanosecond attributed to one thread
				</>
			}
			tools={
				zoom ? (
					<button type="button" class="button no-print" onClick={() => setZoom("")}>
						Whole path
					</button>
				) : undefined
			}
		>
			<div onDblClick={() => setZoom("")} role="presentation">
				<Picture
					name="critical-path"
					label={`Critical path of ${visible(path.comm)} over ${duration(whole)}: ${count(lanes.length)} threads, ${count(spans.lane.length)} spans`}
					height={height}
					draw={draw}
					overlay={(paint, width, _h, colors, pointer) => {
						const hover = pointer ? spanAt(pointer.x, pointer.y, width) : -1;
						const sx = x(width);
						for (const k of [pinned, hover]) {
							if (k < 0) continue;
							const x0 = Math.max(LEFT, sx(spans.start_ns[k]!));
							const x1 = Math.min(width - RIGHT, sx(spans.start_ns[k]! + spans.duration_ns[k]!));
							if (x1 < LEFT || x0 > width - RIGHT) continue;
							paint.rect(x0, TOP, Math.max(1, x1 - x0), base - TOP, colors.accent, 0.08);
							paint.frame(
								x0,
								rowOf(spans.lane[k]!) + 2,
								Math.max(2, x1 - x0),
								18,
								colors.text,
								1.5,
							);
						}
					}}
					hit={(px, py, width) => {
						const k = spanAt(px, py, width);
						if (k < 0) return null;
						return {
							key: String(k),
							pick: () => setChosen(String(k)),
							tip: (
								<>
									{tell(k)}
									<div class="tip-rules mono">
										{stackOf(path, spans.stack[k]!)
											.slice(0, 8)
											.map((frame, i) => (
												// biome-ignore lint/suspicious/noArrayIndexKey: a function can stand there twice
												<div key={i}>
													<Frame text={frame} most={70} />
												</div>
											))}
									</div>
								</>
							),
						};
					}}
					onDrag={(x0, x1, done, width) => {
						const clamp = (px: number) => Math.min(width - RIGHT, Math.max(LEFT, px));
						const a = x(width).invert(clamp(Math.min(x0, x1)));
						const b = x(width).invert(clamp(Math.max(x0, x1)));
						if (done && b - a > whole / 1e6) show(a, b);
					}}
					onKey={(event) => {
						const key = timeKey(event);
						const middle = (from + to) / 2;
						const half = (to - from) / 2;
						if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
							const next = Math.min(
								spans.lane.length - 1,
								Math.max(0, pinned + (event.key === "ArrowRight" ? 1 : -1)),
							);
							setParams({ "path.span": String(next), ...reveal(next) });
						} else if (key === "+") show(middle - half / 2, middle + half / 2);
						else if (key === "-") show(middle - half * 2, middle + half * 2);
						else if (zoom && key === "Earlier") pan(-1 / 8);
						else if (zoom && key === "Later") pan(1 / 8);
						else if (event.key === "Escape") setParams({ "path.span": "", "path.zoom": "" });
						else return false;
						return true;
					}}
				/>
			</div>
			<p class="legend">
				<KindLegend />
				<span>thick: the path; thin: what the thread did meanwhile; arrows: who woke whom</span>
			</p>
			{zoom ? (
				<>
					<h3 class="path-part">
						The path from +{duration(from)} to +{duration(to)}: {duration(to - from)} of{" "}
						{duration(whole)}
					</h3>
					<PathTable spans={inSpans} from={from} to={to} />
				</>
			) : null}
			{pinned >= 0 ? (
				<div class="span-details">
					{tell(pinned)}
					<ol class="plain mono">
						{stack.map((frame, i) => (
							// biome-ignore lint/suspicious/noArrayIndexKey: a function can stand there twice
							<li key={i}>
								<Frame text={frame} most={120} />
							</li>
						))}
						{stack.length ? null : <li class="quiet">no stack recorded</li>}
					</ol>
				</div>
			) : null}
		</Section>
	);
}
