// The same in text: threads, long calls, and one thread in order of time. For those who cannot see
// the picture, who search, and who take the numbers elsewhere.
import { useMemo } from "preact/hooks";
import { count, duration, percent, visible } from "../../shared/format";
import { Frame, Name } from "../../shared/name";
import { type Column, Table } from "../../shared/table";
import {
	CALL,
	EXPRESSION,
	GAP,
	type Model,
	NO_FUNCTION,
	type Outlier,
	type ThreadInfo,
	type ThreadMarks,
} from "./model";
import { threadTitle } from "./scene";
import { since } from "./tip";

export function ThreadsTable(props: {
	model: Model;
	threads: readonly ThreadInfo[];
	current: number | null;
	onThread: (thread: number) => void;
}) {
	const columns: Column<ThreadInfo>[] = [
		{
			key: "thread",
			title: "thread",
			value: (t) => t.name,
			cell: (t) => <Name text={t.name || "–"} most={50} />,
		},
		{
			key: "tid",
			title: "tid",
			numeric: true,
			width: "80px",
			value: (t) => t.tid,
			cell: (t) => String(t.tid),
			give: 0,
		},
		{
			key: "first",
			title: "start",
			numeric: true,
			width: "150px",
			value: (t) => t.first,
			cell: (t) => since(t.first),
			give: 3,
		},
		{
			key: "last",
			title: "end",
			numeric: true,
			width: "150px",
			value: (t) => t.last,
			cell: (t) => since(t.last),
			give: 3,
		},
		{
			key: "calls",
			title: "calls",
			numeric: true,
			width: "110px",
			value: (t) => t.calls,
			cell: (t) => count(t.calls),
		},
		{
			key: "functions",
			title: "functions",
			numeric: true,
			width: "90px",
			value: (t) => t.called.size,
			give: 3,
		},
		{
			key: "idle_ns",
			title: "idle",
			help: "share of its lifetime, from its first to its last call",
			numeric: true,
			width: "80px",
			value: (t) => t.idle,
			cell: (t) => percent(t.idle, t.last - t.first),
		},
		{
			key: "long_calls",
			title: "long calls",
			numeric: true,
			width: "90px",
			value: (t) => t.outliers,
			cell: (t) => count(t.outliers),
		},
		{
			key: "longest_ns",
			title: "longest",
			numeric: true,
			width: "90px",
			value: (t) => t.longest || undefined,
			cell: (t) => (t.longest ? duration(t.longest) : "–"),
			give: 1,
		},
	];
	return (
		<Table
			name="threads"
			label="Threads"
			rows={props.threads}
			columns={columns}
			keyOf={(t) => String(t.index)}
			selected={props.current === null ? undefined : String(props.current)}
			onSelect={(t) => props.onThread(t.index)}
			search={(t) => `${t.name} ${t.tid}`}
			most={12}
			printed={20}
		/>
	);
}

/** Long calls of these threads, and of these functions if there are any. */
export function longOnes(
	model: Model,
	threads: ReadonlySet<number>,
	functions: ReadonlySet<number>,
): readonly Outlier[] {
	return model.outliers.filter(
		(o) => threads.has(o.thread) && (functions.size === 0 || functions.has(o.fn)),
	);
}

export function OutliersTable(props: {
	model: Model;
	threads: ReadonlySet<number>;
	highlighted: ReadonlySet<number>;
	selected: string | undefined;
	onSelect: (outlier: Outlier) => void;
}) {
	const { model, highlighted } = props;
	const rows = useMemo(
		() => longOnes(model, props.threads, highlighted),
		[model, props.threads, highlighted],
	);
	const columns: Column<Outlier>[] = [
		{
			key: "function",
			title: "function",
			value: (o) => model.functions[o.fn]!.name,
			cell: (o) => <Frame text={model.functions[o.fn]!.name} most={80} />,
		},
		{
			key: "thread",
			title: "thread",
			width: "220px",
			value: (o) => threadTitle(model.threads[o.thread]!),
			cell: (o) => <Name text={threadTitle(model.threads[o.thread]!)} most={30} />,
			give: 2,
		},
		{
			key: "start_ns",
			title: "start",
			numeric: true,
			width: "150px",
			value: (o) => o.start,
			cell: (o) => since(o.start),
			give: 3,
		},
		{
			key: "duration_ns",
			title: "duration",
			numeric: true,
			width: "90px",
			give: 0,
			value: (o) => o.duration,
			cell: (o) => duration(o.duration),
		},
		{
			key: "times_median",
			title: "× median",
			help: "duration relative to the median of the function",
			numeric: true,
			width: "100px",
			value: (o) => o.timesMedian,
			cell: (o) => (o.timesMedian < 10 ? o.timesMedian.toFixed(1) : count(o.timesMedian)),
			give: 1,
		},
		{
			key: "depth",
			title: "depth",
			numeric: true,
			width: "70px",
			value: (o) => o.depth,
			cell: (o) => String(o.depth),
			give: 3,
		},
	];
	return (
		<Table
			name="outliers"
			label="Long calls"
			rows={rows}
			columns={columns}
			keyOf={outlierKey}
			selected={props.selected}
			onSelect={props.onSelect}
			search={(o) => `${model.functions[o.fn]!.name} ${threadTitle(model.threads[o.thread]!)}`}
			most={12}
			printed={20}
			empty="No call is longer than its thread's threshold."
		/>
	);
}

export function outlierKey(o: {
	thread: number;
	start: number;
	duration: number;
	depth: number;
}): string {
	return `${o.thread} ${o.start} ${o.duration} ${o.depth}`;
}

interface Line {
	readonly item: number;
	readonly kind: string;
	readonly depth: number;
	readonly start: number;
	readonly end: number;
	readonly calls: number;
	readonly fn: number;
	readonly own: number;
}

/** The heaviest outermost function says what merged calls are. */
function heaviest(marks: ThreadMarks, item: number): number {
	const last =
		item + 1 < marks.itemMark.length ? marks.itemMark[item + 1]! : marks.markStart.length;
	let found = NO_FUNCTION;
	let most = -1;
	for (let m = marks.itemMark[item]!; m < last; m++) {
		const total = marks.markEnd[m]! - marks.markStart[m]!;
		if (marks.markCaller[m]! < 0 && marks.markFunction[m] !== NO_FUNCTION && total > most) {
			most = total;
			found = marks.markFunction[m]!;
		}
	}
	return found;
}

export function ThreadTable(props: {
	model: Model;
	marks: ThreadMarks;
	thread: ThreadInfo;
	span: readonly [number, number];
	selectedItem: number;
	onSelect: (item: number) => void;
}) {
	const { model, marks, span } = props;
	const lines = useMemo(() => {
		const words: Record<number, string> = {
			[CALL]: "call",
			[EXPRESSION]: "merged calls",
			[GAP]: "gap",
		};
		const out: Line[] = [];
		for (let i = 0; i < marks.itemKind.length; i++) {
			if (marks.itemEnd[i]! < span[0] || marks.itemStart[i]! > span[1]) continue;
			const kind = marks.itemKind[i]!;
			const mark = marks.itemMark[i]!;
			out.push({
				item: i,
				kind: words[kind]!,
				depth: marks.itemDepth[i]!,
				start: marks.itemStart[i]!,
				end: marks.itemEnd[i]!,
				calls: marks.itemCalls[i]!,
				fn:
					kind === CALL
						? marks.markFunction[mark]!
						: kind === EXPRESSION
							? heaviest(marks, i)
							: NO_FUNCTION,
				own: kind === CALL ? marks.markOwn[mark]! : Number.NaN,
			});
		}
		return out;
	}, [marks, span[0], span[1]]);
	const nameOf = (line: Line) =>
		line.fn === NO_FUNCTION ? "" : visible(model.functions[line.fn]!.name);
	const columns: Column<Line>[] = [
		{
			key: "start_ns",
			title: "start",
			numeric: true,
			width: "150px",
			value: (l) => l.start,
			cell: (l) => since(l.start),
		},
		{
			key: "duration_ns",
			title: "duration",
			numeric: true,
			width: "90px",
			value: (l) => l.end - l.start,
			cell: (l) => duration(l.end - l.start),
		},
		{ key: "kind", title: "what", width: "100px", value: (l) => l.kind },
		{
			key: "depth",
			title: "depth",
			numeric: true,
			width: "70px",
			value: (l) => l.depth,
			cell: (l) => String(l.depth),
		},
		{
			key: "calls",
			title: "calls",
			numeric: true,
			width: "100px",
			value: (l) => l.calls,
			cell: (l) => (l.calls ? count(l.calls) : ""),
		},
		{
			key: "own_ns",
			title: "self",
			numeric: true,
			width: "90px",
			value: (l) => l.own,
			cell: (l) => (Number.isNaN(l.own) ? "" : duration(l.own)),
		},
		{
			key: "function",
			title: "function",
			help: "for merged calls, the outermost function with the most time",
			value: nameOf,
			cell: (l) =>
				l.fn === NO_FUNCTION ? "" : <Frame text={model.functions[l.fn]!.name} most={90} />,
		},
	];
	return (
		<Table
			name="marks"
			label={`${threadTitle(props.thread)} in order of time`}
			rows={lines}
			columns={columns}
			keyOf={(l) => String(l.item)}
			selected={props.selectedItem >= 0 ? String(props.selectedItem) : undefined}
			onSelect={(l) => props.onSelect(l.item)}
			search={nameOf}
			most={16}
		/>
	);
}
