// The page's state: all of it is in the URL, so that a link shows what was seen.
//
//   w      120000-900000   the stretch of time, ns since the trace's start
//   axis   readable        else linear
//   q      read_page       the search: threads that call nothing like it are not shown
//   hl     read_page,evict highlighted functions, by name
//   sel    7_100_900_2_node_1   the selected mark (pick.ts)
//   t      7               the thread whose details are shown
//   threads 7,9            threads that were chosen
//   alone  1               only these are shown
//   f.thread sorter        threads of this name are
//   rows   leaves          each thread as one band of what is innermost, or as "stacks"; else what fits
//   open   7               threads that are shown large
//   sort   calls           the order of threads
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { setParams, setParamsAtRest, usePlace } from "../../shared/location";
import type { Model } from "./model";
import { type RowStyle, SORTS, type SortKey } from "./rows";
import type { AxisKind } from "./time-axis";

const ROW_STYLES: readonly RowStyle[] = ["stacks", "leaves"];

export type Span = readonly [number, number];

function parseSpan(text: string | undefined, length: number): Span {
	const match = /^(\d+)-(\d+)$/.exec(text ?? "");
	if (!match) return [0, length];
	const t0 = Math.min(Number(match[1]), length - 1);
	const t1 = Math.min(Number(match[2]), length);
	return t1 > t0 ? [t0, t1] : [0, length];
}

/** The stretch of time that is seen; the URL follows, and "back" takes it back: a step at once,
    wheels and drags when they have come to rest. */
export function useSpan(model: Model): [Span, (t0: number, t1: number, isStep?: boolean) => void] {
	const place = usePlace();
	const text = place.params.get("w") ?? "";
	const [span, setSpan] = useState<Span>(() => parseSpan(text, model.length));
	const written = useRef(text);
	useLayoutEffect(() => {
		if (text === written.current) return;
		written.current = text; // somebody went back
		setSpan(parseSpan(text, model.length));
	}, [place]);
	const set = (t0: number, t1: number, isStep = false) => {
		setSpan([t0, t1]);
		const isAll = t0 <= 0 && t1 >= model.length;
		const w = isAll ? "" : `${t0}-${t1}`;
		written.current = w;
		if (isStep) setParams({ w }, false);
		else setParamsAtRest({ w });
	};
	return [span, set];
}

function useThreadSet(
	model: Model,
	key: string,
): [ReadonlySet<number>, (next: ReadonlySet<number>) => void] {
	const text = usePlace().params.get(key) ?? "";
	const set = useMemo(() => {
		const tids = new Set(text.split(",").filter(Boolean));
		return new Set(model.threads.filter((t) => tids.has(String(t.tid))).map((t) => t.index));
	}, [text, model]);
	const write = (next: ReadonlySet<number>) =>
		setParams({ [key]: [...next].map((i) => model.threads[i]!.tid).join(",") });
	return [set, write];
}

export function useTimelineState(model: Model) {
	const { params } = usePlace();
	const [span, setSpan] = useSpan(model);
	const [chosen, setChosen] = useThreadSet(model, "threads");
	const [open, setOpen] = useThreadSet(model, "open");
	const byName = useMemo(() => new Map(model.functions.map((f) => [f.name, f.index])), [model]);
	const names = params.get("hl") ?? "";
	// Names may hold commas: they are separated by line ends.
	const highlighted: ReadonlySet<number> = useMemo(
		() =>
			new Set(
				names
					.split("\n")
					.map((name) => byName.get(name))
					.filter((fn) => fn !== undefined),
			),
		[names, byName],
	);
	const sort = SORTS.find(([key]) => key === params.get("sort"))?.[0] ?? "trace";
	const t = params.get("t");
	const thread = model.threads.findIndex((info) => String(info.tid) === t);
	return {
		span,
		setSpan,
		chosen,
		setChosen,
		isAlone: params.get("alone") === "1" && chosen.size > 0,
		setAlone: (isAlone: boolean) => setParams({ alone: isAlone ? "1" : "" }),
		rows: ROW_STYLES.find((style) => style === params.get("rows")),
		setRows: (style: RowStyle) => setParams({ rows: style }),
		open,
		setOpen,
		highlighted,
		setHighlighted: (fns: ReadonlySet<number>) =>
			setParams({ hl: [...fns].map((fn) => model.functions[fn]!.name).join("\n") }),
		sort: sort as SortKey,
		setSort: (key: string) => setParams({ sort: key === "trace" ? "" : key }),
		axis: (params.get("axis") === "readable" ? "readable" : "linear") as AxisKind,
		setAxis: (axis: AxisKind) => setParams({ axis: axis === "linear" ? "" : axis }),
		name: params.get("f.thread") ?? "",
		query: params.get("q") ?? "",
		setQuery: (query: string) => setParams({ q: query }),
		selected: params.get("sel") ?? "",
		/** Walking from mark to mark leaves no trail of places to go back to. */
		setSelected: (text: string, isWalk = false) =>
			setParams({ sel: text, ...(text ? { t: "" } : {}) }, isWalk && params.has("sel")),
		thread: thread < 0 ? null : thread,
		setThread: (index: number) =>
			setParams({ t: String(model.threads[index]!.tid), sel: "" }, false),
	};
}
