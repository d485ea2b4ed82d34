// What a stretch of a critical path went to: its spans, cut to the stretch, by thread, kind of time and
// innermost function.
import { useMemo } from "preact/hooks";
import { duration, percent } from "../../shared/format";
import type { KINDS } from "../../shared/kinds";
import { Frame, Name } from "../../shared/name";
import { type Column, Table } from "../../shared/table";

/** A span of the path, as the lanes name it. */
export interface PathSpan {
	readonly start_ns: number;
	readonly end_ns: number;
	readonly thread: string;
	readonly kind: (typeof KINDS)[number];
	/** "lock"; "": it did not wait. */
	readonly reason: string;
	readonly innermost: string;
}

interface Row {
	readonly thread: string;
	readonly what: string;
	readonly innermost: string;
	ns: number;
}

export function PathTable(props: { spans: readonly PathSpan[]; from: number; to: number }) {
	const { spans, from, to } = props;
	const rows = useMemo(() => {
		const found = new Map<string, Row>();
		for (const span of spans) {
			const ns = Math.min(to, span.end_ns) - Math.max(from, span.start_ns);
			if (ns <= 0) continue;
			const { thread, innermost } = span;
			const what = span.reason ? `${span.kind.title}: ${span.reason}` : span.kind.title;
			const key = [thread, what, innermost].join("\0");
			const row = found.get(key) ?? { thread, what, innermost, ns: 0 };
			row.ns += ns;
			found.set(key, row);
		}
		return [...found.values()].sort((a, b) => b.ns - a.ns);
	}, [spans, from, to]);
	const columns = useMemo((): Column<Row>[] => {
		const sum = rows.reduce((total, row) => total + row.ns, 0);
		return [
			{
				key: "ns",
				title: "time",
				value: (r) => r.ns,
				cell: (r) => duration(r.ns),
				numeric: true,
				width: "84px",
				give: 0,
			},
			{
				key: "share",
				title: "share",
				help: "share of the time shown",
				value: (r) => r.ns / Math.max(1, sum),
				cell: (r) => percent(r.ns, sum),
				numeric: true,
				width: "62px",
			},
			{
				key: "what",
				title: "what",
				value: (r) => r.what,
				width: "150px",
				give: 2,
			},
			{
				key: "thread",
				title: "thread",
				value: (r) => r.thread,
				cell: (r) => <Name text={r.thread} most={40} />,
				width: "minmax(90px, 0.5fr)",
				give: 1,
			},
			{
				key: "innermost",
				title: "innermost function",
				value: (r) => r.innermost,
				cell: (r) => (r.innermost ? <Frame text={r.innermost} most={80} /> : "–"),
				width: "minmax(120px, 1fr)",
				give: 0,
			},
		];
	}, [rows]);
	return (
		<Table
			name="path"
			label="Critical path in this time range"
			rows={rows}
			columns={columns}
			keyOf={(r) => `${r.thread} ${r.what} ${r.innermost}`}
			search={(r) => `${r.thread} ${r.what} ${r.innermost}`}
			most={10}
		/>
	);
}
