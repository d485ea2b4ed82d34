// The timeline: what each thread did over time, on one screen ([REGTIME24] §4.4, and what its users
// missed, §7.5-7.6).
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TimelinePageReport } from "../../data/reports";
import { downloadPng, downloadSvg } from "../../shared/export";
import { count, duration, plural, visible } from "../../shared/format";
import { setParams } from "../../shared/location";
import { Opening } from "../../shared/opening";
import { usePrinting } from "../../shared/printing";
import { wordsOrExpression } from "../../shared/search";
import { currentColors } from "../../shared/theme";
import { type ViewProps, view } from "../view";
import { around, Chart } from "./chart";
import { Details } from "./details";
import { TimelineFilters } from "./filters";
import { FunctionsPanel } from "./functions-panel";
import { Meanwhiles } from "./meanwhile";
import { type Model, makeModel, type Outlier } from "./model";
import { functionHues, makePalette } from "./palette";
import { formatPick, isUnseen, type Pick, parsePick, pickMark } from "./pick";
import { PRINTED_HEIGHT, PrintedRows } from "./printed-rows";
import { layoutRows, type RowStyle, SORTS, sortThreads } from "./rows";
import { longOnes, OutliersTable, outlierKey, ThreadsTable, ThreadTable } from "./tables";
import { timeAxis, View } from "./time-axis";
import { drawPicture, PICTURE_HEAD } from "./whole-picture";
import "./timeline.css";
import { useTimelineState } from "./use-view";
import { type Detail, Windows } from "./windows";

export const page = view("lode/timeline-page/1", "Timeline", TimelinePage);

function TimelinePage({ report, source, reference }: ViewProps<TimelinePageReport>) {
	const model = useMemo(() => makeModel(report), [report]);
	const hues = useMemo(() => functionHues(model), [model]);
	const [version, setVersion] = useState(0);
	const windows = useMemo(
		() => new Windows(model, source, reference.name, () => setVersion((v) => v + 1)),
		[model, source],
	);
	const meanwhiles = useMemo(
		() => new Meanwhiles(model, source, reference.name),
		[model, source, reference.name],
	);
	const state = useTimelineState(model);
	const { span, query, highlighted } = state;
	const detail = useMemo(() => windows.at(span[0], span[1]), [windows, span[0], span[1], version]);

	const found = useMemo(() => {
		const matches = wordsOrExpression(query);
		return matches
			? new Set(model.functions.filter((f) => matches(f.name)).map((f) => f.index))
			: null;
	}, [model, query]);
	const threads = useMemo(() => {
		const all = sortThreads(model.threads, state.sort);
		return all.filter(
			(t) =>
				(!state.isAlone || state.chosen.has(t.index)) &&
				(!state.name || t.name === state.name) &&
				(!found || [...t.called.keys()].some((fn) => found.has(fn))),
		);
	}, [model, state.sort, state.isAlone, state.chosen, state.name, found]);
	const [room, setRoom] = useState(0);
	const { rows, height, style } = useMemo(
		() => layoutRows(model, threads, state.open, room, state.rows),
		[model, threads, state.open, room, state.rows],
	);
	const shownThreads = useMemo(() => new Set(threads.map((t) => t.index)), [threads]);
	// What is searched for is lit as well, unless something was picked in the legend.
	const lit = highlighted.size ? highlighted : (found ?? highlighted);

	// What was seen from near stays selected from afar.
	const seen = useRef<{ text: string; pick: Pick } | null>(null);
	const selection = useMemo(() => {
		const text = state.selected;
		const pick = text ? parsePick(model, text, (thread) => detail.marks.of(thread)) : null;
		if (pick && isUnseen(pick)) return seen.current?.text === text ? seen.current.pick : pick;
		seen.current = pick && { text, pick };
		return pick;
	}, [model, state.selected, detail.marks]);
	const select = useCallback(
		(pick: Pick | null, isWalk = false) =>
			state.setSelected(pick ? formatPick(model, pick) : "", isWalk),
		[model, state.selected],
	);
	const highlight = (fn: number) => {
		const next = new Set(highlighted);
		if (!next.delete(fn)) next.add(fn);
		state.setHighlighted(next);
	};
	const goTo = (pick: { t0: number; t1: number }) =>
		state.setSpan(...around(pick, model.length), true);
	const choose = (threads: readonly number[], isChosen: boolean) => {
		const next = new Set(state.chosen);
		for (const thread of threads)
			if (isChosen) next.add(thread);
			else next.delete(thread);
		state.setChosen(next);
	};
	const selectOutlier = (o: Outlier) => {
		const marks = model.whole.of(o.thread);
		const mark = marks.markStart.findIndex(
			(start, m) =>
				start === o.start &&
				marks.markDepth[m] === o.depth &&
				marks.markEnd[m] === o.start + o.duration,
		);
		if (mark < 0) return;
		const pick = pickMark(o.thread, marks, mark);
		if (pick.t0 < span[0] || pick.t1 > span[1] || pick.t1 - pick.t0 < (span[1] - span[0]) / 200)
			goTo(pick);
		select(pick);
	};
	// The picture comes first: tables below it once it is on the screen.
	const [isDrawn, setDrawn] = useState(false);
	useEffect(() => {
		const frame = requestAnimationFrame(() => setTimeout(() => setDrawn(true)));
		return () => cancelAnimationFrame(frame);
	}, []);
	const printing = usePrinting();
	const tableThread = selection?.thread ?? state.thread;
	// What does not show the stretch of time is left as it is when that changes: a step of zooming
	// draws the picture, not hundreds of rows. What is called is always the present one.
	const acts = useRef({ highlight, goTo, selectOutlier });
	acts.current = { highlight, goTo, selectOutlier };
	const side = useMemo(
		() => (
			<aside class="tl-side">
				<FunctionsPanel
					model={model}
					hues={hues}
					query={query}
					highlighted={highlighted}
					onHighlight={state.setHighlighted}
				/>
				<Details
					model={model}
					pick={selection}
					thread={state.thread}
					meanwhiles={meanwhiles}
					onZoom={(t0, t1) => acts.current.goTo({ t0, t1 })}
					onHighlight={(fn) => acts.current.highlight(fn)}
				/>
			</aside>
		),
		[model, hues, query, highlighted, selection, state.thread, meanwhiles],
	);
	const longCalls = useMemo(
		() => (
			<section class="section">
				<div class="section-head">
					<h2>Long calls</h2>
					<span class="quiet">
						longest relative to their function's median first; select one to see it and what the
						other threads did
					</span>
				</div>
				<OutliersTable
					model={model}
					threads={shownThreads}
					highlighted={lit}
					selected={
						selection
							? outlierKey({
									thread: selection.thread,
									start: selection.t0,
									duration: selection.t1 - selection.t0,
									depth: selection.depth,
								})
							: undefined
					}
					onSelect={(outlier) => acts.current.selectOutlier(outlier)}
				/>
			</section>
		),
		[model, shownThreads, lit, selection],
	);
	const alone = state.isAlone ? state.chosen.size : 0;
	const filters = useMemo(
		() => (
			<TimelineFilters
				model={model}
				threads={threads}
				found={found}
				longCalls={longOnes(model, shownThreads, lit).length}
				name={state.name}
				query={query}
				alone={alone}
			/>
		),
		[model, threads, found, shownThreads, lit, state.name, query, alone],
	);
	const threadTable = useMemo(
		() => (
			<section class="section">
				<div class="section-head">
					<h2>Threads</h2>
				</div>
				<ThreadsTable
					model={model}
					threads={threads}
					current={tableThread}
					onThread={state.setThread}
				/>
			</section>
		),
		[model, threads, tableThread],
	);
	return (
		<div class="tl-page">
			<Head model={model} />
			<Opening report={report} />
			<Toolbar
				model={model}
				state={state}
				detail={detail}
				shown={threads.length}
				hues={hues}
				threads={threads}
				style={style}
			/>
			{filters}
			<div class="tl-main">
				{printing ? (
					<PrintedRows
						model={model}
						hues={hues}
						rows={
							height <= PRINTED_HEIGHT
								? rows
								: layoutRows(model, threads, new Set(), 0, "leaves").rows
						}
						marks={detail.marks}
						span={span}
						axis={state.axis}
						highlighted={lit}
					/>
				) : null}
				<Chart
					model={model}
					hues={hues}
					threads={threads}
					span={span}
					axis={state.axis}
					detail={detail}
					highlighted={lit}
					chosen={state.chosen}
					selection={selection}
					rows={rows}
					height={height}
					onRoom={setRoom}
					words={`${duration(span[1] - span[0])} shown · ${resolution(model, detail)}`}
					onSpan={state.setSpan}
					onSelect={select}
					onOpen={(thread) => state.setOpen(toggled(state.open, thread))}
					onChoose={choose}
					onThread={state.setThread}
				/>
				{side}
				<div class="tl-tables">
					{isDrawn ? (
						<>
							{longCalls}
							{threadTable}
							{tableThread !== null && tableThread !== undefined ? (
								<section class="section no-print">
									<div class="section-head">
										<h2>
											{visible(model.threads[tableThread]!.name) || "Thread"}{" "}
											{model.threads[tableThread]!.tid} in order of time
										</h2>
										<span class="quiet">the timeline above as a table</span>
									</div>
									<ThreadTable
										model={model}
										thread={model.threads[tableThread]!}
										marks={detail.marks.of(tableThread)}
										span={span}
										selectedItem={
											selection && selection.marks === detail.marks.of(tableThread)
												? selection.item
												: -1
										}
										onSelect={(item) => {
											const marks = detail.marks.of(tableThread);
											select(pickMark(tableThread, marks, marks.itemMark[item]!));
										}}
									/>
								</section>
							) : null}
						</>
					) : null}
				</div>
			</div>
		</div>
	);
}

function toggled(set: ReadonlySet<number>, thread: number): ReadonlySet<number> {
	const next = new Set(set);
	if (!next.delete(thread)) next.add(thread);
	return next;
}

function Head({ model }: { model: Model }) {
	const { trace } = model.report;
	const marks = model.report.threads.reduce((sum, t) => sum + t.events_after, 0);
	const faults = [
		...Object.entries(trace.repairs).map(([what, n]) => `${what}: ${count(n)}`),
		...trace.losses.map((loss) => {
			const what = loss.count > 1 ? `${loss.kind} (${count(loss.count)})` : loss.kind;
			return loss.detail ? `${what}: ${loss.detail}` : what;
		}),
	];
	return (
		<>
			<div class="head">
				<h1>Timeline</h1>
				<span class="quiet">
					{plural(trace.calls, "call")} of {plural(model.threads.length, "thread")} in{" "}
					{duration(model.length)}, as {plural(marks, "mark")}
					{trace.format ? ` · ${visible(trace.format)}` : ""}
					{trace.classic ? " · classic" : ""}
				</span>
			</div>
			{faults.length ? (
				<p class="quiet tl-faults">Repaired or missing: {faults.map(visible).join("; ")}.</p>
			) : null}
		</>
	);
}

function Toolbar(props: {
	model: Model;
	state: ReturnType<typeof useTimelineState>;
	detail: Detail;
	shown: number;
	hues: Int8Array;
	threads: ReturnType<typeof sortThreads>;
	style: RowStyle;
}) {
	const { model, state, detail, shown } = props;
	const { span, setSpan } = state;
	const length = span[1] - span[0];
	const zoom = (factor: number) => {
		const half = Math.min(model.length, Math.max(20, length * factor)) / 2;
		const middle = Math.max(half, Math.min(model.length - half, (span[0] + span[1]) / 2));
		setSpan(Math.floor(middle - half), Math.ceil(middle + half), true);
	};
	const save = (how: "svg" | "png") => {
		const width = 1600;
		const { rows, height } = layoutRows(model, props.threads, state.open, 900, state.rows);
		const view = new View(
			timeAxis(model.report, state.axis),
			span[0],
			span[1],
			width - PICTURE_HEAD,
		);
		const linear = new View(
			timeAxis(model.report, "linear"),
			span[0],
			span[1],
			width - PICTURE_HEAD,
		);
		const draw = drawPicture({
			model,
			rows,
			marks: detail.marks,
			linear,
			scene: (colors) => ({
				view,
				colors,
				palette: makePalette(colors, props.hues, state.highlighted),
				nameOf: (fn) => visible(model.functions[fn]?.name ?? ""),
			}),
		});
		const total = draw.height(height);
		if (how === "svg")
			downloadSvg("timeline", "Timelines of threads", draw.draw, width, total, currentColors());
		else downloadPng("timeline", draw.draw, width, total, currentColors());
	};
	return (
		<div class="tl-tools no-print" role="toolbar" aria-label="Timeline">
			<input
				type="search"
				placeholder="Function…"
				aria-label="Show only threads that call a function"
				value={state.query}
				onInput={(event) => state.setQuery(event.currentTarget.value)}
			/>
			<span class="quiet" aria-live="polite">
				{shown === model.threads.length
					? ""
					: `${count(shown)} of ${plural(model.threads.length, "thread")}`}
			</span>
			{state.chosen.size ? (
				<button
					type="button"
					class="button"
					aria-pressed={state.isAlone}
					title="Hide threads that are not selected"
					onClick={() => state.setAlone(!state.isAlone)}
				>
					Only the {count(state.chosen.size)} chosen
				</button>
			) : null}
			{state.chosen.size || state.query || state.highlighted.size ? (
				<button
					type="button"
					class="button"
					onClick={() => setParams({ threads: "", alone: "", q: "", hl: "", "f.thread": "" })}
				>
					Show all
				</button>
			) : null}
			<label class="tl-sort">
				<select
					aria-label="Order of threads"
					value={state.sort}
					onChange={(event) => state.setSort(event.currentTarget.value)}
				>
					{SORTS.map(([key, words]) => (
						<option key={key} value={key}>
							{words}
						</option>
					))}
				</select>
			</label>
			<fieldset class="choice" aria-label="Rows">
				<button
					type="button"
					aria-pressed={props.style === "stacks"}
					title="Callees below callers"
					onClick={() => state.setRows("stacks")}
				>
					Stacks
				</button>
				<button
					type="button"
					aria-pressed={props.style === "leaves"}
					title="One row per thread, showing the innermost function. Fits more threads"
					onClick={() => state.setRows("leaves")}
				>
					Leaves
				</button>
			</fieldset>
			<fieldset class="choice" aria-label="Axis of time">
				<button
					type="button"
					aria-pressed={state.axis === "linear"}
					onClick={() => state.setAxis("linear")}
				>
					Linear
				</button>
				<button
					type="button"
					aria-pressed={state.axis === "readable"}
					title="Regular parts are compressed, outliers and gaps are wide; the strip above shows the time scale"
					onClick={() => state.setAxis("readable")}
				>
					Readable
				</button>
			</fieldset>
			<fieldset class="choice" aria-label="Zoom">
				<button type="button" aria-label="Zoom out" onClick={() => zoom(2)}>
					−
				</button>
				<button type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
					+
				</button>
				<button type="button" onClick={() => setSpan(0, model.length, true)}>
					All
				</button>
			</fieldset>
			<span class="spring" />
			<span class="exports">
				<button type="button" title="save these timelines as SVG" onClick={() => save("svg")}>
					SVG
				</button>
				<button type="button" title="save these timelines as PNG" onClick={() => save("png")}>
					PNG
				</button>
			</span>
		</div>
	);
}

function resolution(model: Model, detail: Detail): string {
	if (detail.isLoading) return "loading more detail…";
	if (detail.isSingle) return "call by call";
	if (detail.isFailed) return "the server does not answer";
	if (detail.isEnd) return "finest level in this file; lode serve shows single calls";
	return detail.marks === model.whole ? "whole trace" : "summarised again";
}
