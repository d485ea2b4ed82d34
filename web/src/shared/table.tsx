// Tables: sorted by any column, searched, walked with the arrow keys, saved as CSV. Sort order and
// search are in the URL (`NAME.sort`, `NAME.q`). Only the rows in sight are in the document, so that
// ten thousand cost no more than fifty; for print all are there.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { CsvButton, type Value } from "./csv-button";
import { count, plural, shorten, visible } from "./format";
import { setParams, usePlace } from "./location";
import { useWidth } from "./picture";
import { usePrinting } from "./printing";
import { wordsOrExpression } from "./search";

export type { Value };

export interface Column<Row> {
	readonly key: string;
	readonly title: string;
	/** What the column says, for the tooltip of its head. */
	readonly help?: string;
	/** What it is sorted by, and what the CSV has under the column's key. */
	readonly value: (row: Row) => Value;
	/** What the CSV has instead, by their names there: where a cell shows several, or a picture. */
	readonly csv?: ReadonlyArray<readonly [name: string, value: (row: Row) => Value]>;
	/** What is shown; default: the value. */
	readonly cell?: (row: Row) => ComponentChildren;
	/** Numbers stand right, and are sorted from the largest first. */
	readonly numeric?: boolean;
	/** Numbers that stand left all the same: a bar follows them. */
	readonly left?: boolean;
	/** A CSS width; default: what is left. */
	readonly width?: string;
	/** Where there is no room, columns with the largest number go first; 0: never (see `fitting`). */
	readonly give?: number;
}

/** A field whose numbers have a column, with its heading (docs/schema: `title`) and meaning. */
interface Heading {
	readonly key: string;
	readonly title: string;
	readonly help: string;
}

/** Columns of numbers, as the document's table of fields has them; those of `_ns` are costs. */
export function numberColumns<Row>(
	headings: ReadonlyArray<Heading & { readonly key: keyof Row }>,
	cost: (value: number) => string,
): Column<Row>[] {
	return headings.map(({ key, title, help }) => {
		const value = (row: Row) => row[key] as number;
		const show = key.endsWith("_ns") ? cost : count;
		const width = key.endsWith("_ns") ? "86px" : "60px";
		return { key, title, help, value, cell: (row) => show(value(row)), numeric: true, width };
	});
}

export interface TableProps<Row> {
	/** Unique in the page: parameters and the CSV are named for it. */
	name: string;
	label: string;
	rows: readonly Row[];
	columns: readonly Column<Row>[];
	keyOf: (row: Row) => string;
	/** Column of the first order; default: the rows' own order. */
	sort?: string;
	/** What a row is found by. */
	search?: (row: Row) => string;
	selected?: string | undefined;
	onSelect?: (row: Row) => void;
	/** Height of a row in pixels, the same for all. */
	rowHeight?: number;
	/** Rows in sight before it scrolls; a few more are shown, too. */
	most?: number;
	empty?: string;
	/** Rows on paper; default: all. */
	printed?: number;
	/** What stands beside the search box. */
	tools?: ComponentChildren;
	rowClass?: (row: Row) => string;
}

function compare(a: Value, b: Value): number {
	if (a === b) return 0;
	if (a === undefined || a === null || Number.isNaN(a)) return 1;
	if (b === undefined || b === null || Number.isNaN(b)) return -1;
	if (typeof a === "number" && typeof b === "number") return a - b;
	return String(a) < String(b) ? -1 : 1;
}

function ordered<Row>(rows: readonly Row[], column: Column<Row> | undefined, down: boolean) {
	if (!column) return rows;
	const sign = down ? -1 : 1;
	return rows
		.map((row, i) => ({ row, i, value: column.value(row) }))
		.sort((a, b) => {
			const missing = (v: Value) => v === undefined || v === null || Number.isNaN(v);
			// What has no value stands last in both orders.
			if (missing(a.value) || missing(b.value)) return compare(a.value, b.value) || a.i - b.i;
			return sign * compare(a.value, b.value) || a.i - b.i;
		})
		.map((item) => item.row);
}

/** Windows below this have only columns that fit; in wider ones a table scrolls instead. */
const NARROW = 900;
const COLUMN_GAP = 14;
const LEAST_TEXT = 120;
const LEAST_NUMBER = 64;

/** The least width of a column: "84px", "minmax(96px, 1fr)". */
function leastOf(column: { width?: string; numeric?: boolean }): number {
	const least = Number(/\d+/.exec(column.width ?? "")?.[0] ?? 0);
	const readable = column.numeric ? LEAST_NUMBER : LEAST_TEXT;
	return column.width?.includes("fr") ? Math.max(least, readable) : least || readable;
}

/**
 * The columns that fit into so many pixels: numbers are given up before texts, the last ones before
 * the first; the first text stays, whatever it needs, and the first number.
 */
function fitting<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
	if (!width || width >= NARROW) return columns;
	const name = columns.find((c) => !c.numeric && (c.give ?? 0) === 0);
	const number =
		columns.find((c) => c.numeric && c.give === 0) ??
		columns.find((c) => c.numeric && c.give === undefined);
	const gives = (c: Column<Row>) => c.give ?? (c === name || c === number ? 0 : c.numeric ? 2 : 1);
	const kept = [...columns];
	const needs = () => kept.reduce((sum, c) => sum + leastOf(c) + COLUMN_GAP, 2);
	while (needs() > width) {
		const most = Math.max(...kept.map(gives));
		if (!most) break;
		kept.splice(
			kept.findLastIndex((c) => gives(c) === most),
			1,
		);
	}
	return kept;
}

/** Height of the head, which stays in sight (style/table.css). */
const HEAD = 28;

/** So few rows are found by looking. */
const FEW = 8;

function isRight(column: { numeric?: boolean; left?: boolean }): boolean {
	return Boolean(column.numeric && !column.left);
}

const cellClass = (column: { numeric?: boolean; left?: boolean }) =>
	isRight(column) ? "cell num" : "cell";

function SortMark({ down }: { down: boolean }) {
	return (
		<span class="sort-mark" aria-hidden="true">
			{down ? "▾" : "▴"}
		</span>
	);
}

export function Table<Row>(props: TableProps<Row>) {
	const { name, rows, columns: all, keyOf, rowHeight = 26, most = 20 } = props;
	const { ref: outer, width } = useWidth<HTMLDivElement>();
	const place = usePlace();
	const printing = usePrinting();
	const columns = useMemo(() => (printing ? all : fitting(all, width)), [all, width, printing]);
	const box = useRef<HTMLDivElement>(null);
	const [top, setTop] = useState(0);
	const [focus, setFocus] = useState(-1);

	const sortText = place.params.get(`${name}.sort`) ?? props.sort ?? "";
	const sortKey = sortText.replace(/^-/, "");
	const column = all.find((c) => c.key === sortKey);
	// "-key" turns a column's natural order around: numbers fall, texts rise.
	const down = Boolean(column?.numeric) !== sortText.startsWith("-");
	const query = place.params.get(`${name}.q`) ?? "";

	const shown = useMemo(() => {
		const matches = wordsOrExpression(query);
		const found =
			props.search && matches ? rows.filter((row) => matches(props.search!(row))) : rows;
		return ordered(found, column, down);
	}, [rows, all, query, sortKey, down]);

	const fields = all.flatMap((c) => c.csv ?? [[c.key, c.value] as const]);
	const selectedAt = props.selected ? shown.findIndex((row) => keyOf(row) === props.selected) : -1;
	const reveal = (at: number) => {
		const element = box.current;
		if (!element || at < 0) return;
		const y = at * rowHeight;
		const end = y + rowHeight + HEAD;
		if (y < element.scrollTop) element.scrollTop = y;
		else if (end > element.scrollTop + element.clientHeight)
			element.scrollTop = end - element.clientHeight;
	};
	useLayoutEffect(() => reveal(selectedAt), [selectedAt, shown]);

	const searchable = props.search && (rows.length > FEW || query !== "");
	const windowed = !printing && shown.length > 2 * most;
	// Half a row at the end says that there are more.
	const scrolls = !printing && rows.length > 1.3 * most;
	const first = windowed ? Math.max(0, Math.floor(top / rowHeight) - 8) : 0;
	const onPaper = printing ? (props.printed ?? shown.length) : shown.length;
	const last = windowed
		? Math.min(shown.length, first + most + 24)
		: Math.min(shown.length, onPaper);
	const grid = { gridTemplateColumns: columns.map((c) => c.width ?? "minmax(0, 1fr)").join(" ") };

	const onKey = (event: KeyboardEvent) => {
		const from = focus >= 0 ? focus : selectedAt;
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: most, PageUp: -most }[event.key];
		let to = -1;
		if (step) to = Math.min(shown.length - 1, Math.max(0, from + step));
		else if (event.key === "Home") to = 0;
		else if (event.key === "End") to = shown.length - 1;
		else if ((event.key === "Enter" || event.key === " ") && from >= 0) {
			const row = shown[from];
			if (row) props.onSelect?.(row);
			event.preventDefault();
			return;
		} else return;
		event.preventDefault();
		setFocus(to);
		reveal(to);
	};
	const sortBy = (c: Column<Row>) => {
		const next = c.key === sortKey && !sortText.startsWith("-") ? `-${c.key}` : c.key;
		setParams({ [`${name}.sort`]: next === (props.sort ?? "") ? "" : next });
		if (box.current) box.current.scrollTop = 0;
	};
	const active = focus >= 0 ? focus : selectedAt;
	const rowId = (at: number) => `${name}-row-${at}`;
	return (
		<div class="table-box" ref={outer}>
			<div class={`table-tools no-print${searchable || props.tools ? "" : " beside-title"}`}>
				{searchable ? (
					<input
						type="search"
						placeholder="Search"
						title="Text or regular expression"
						aria-label={`Search ${props.label}`}
						value={query}
						onInput={(event) => {
							setFocus(-1);
							setParams({ [`${name}.q`]: event.currentTarget.value });
						}}
					/>
				) : null}
				<span class="quiet" aria-live="polite">
					{shown.length === rows.length
						? plural(rows.length, "row")
						: `${count(shown.length)} of ${plural(rows.length, "row")}`}
				</span>
				{props.tools}
				<CsvButton
					name={name}
					label={props.label}
					header={fields.map(([title]) => title)}
					rows={() => shown.map((row) => fields.map(([, value]) => value(row)))}
				/>
			</div>
			<div
				class="table"
				ref={box}
				style={scrolls ? { maxHeight: `${HEAD + (most + 0.5) * rowHeight}px` } : {}}
				onScroll={(event) => setTop(event.currentTarget.scrollTop)}
				role="grid"
				aria-label={props.label}
				aria-rowcount={shown.length + 1}
				aria-activedescendant={active >= 0 ? rowId(active) : undefined}
				tabIndex={0}
				onKeyDown={onKey}
				onBlur={() => setFocus(-1)}
			>
				<div class="table-row table-head" role="row" style={grid}>
					{columns.map((c) => (
						<div
							key={c.key}
							role="columnheader"
							class={cellClass(c)}
							aria-sort={c.key === sortKey ? (down ? "descending" : "ascending") : "none"}
						>
							{c.key === sortKey && isRight(c) ? <SortMark down={down} /> : null}
							<button type="button" title={c.help} onClick={() => sortBy(c)}>
								{c.title}
							</button>
							{c.key === sortKey && !isRight(c) ? <SortMark down={down} /> : null}
						</div>
					))}
				</div>
				<div class="table-body" role="rowgroup">
					{windowed ? <div style={{ height: `${first * rowHeight}px` }} /> : null}
					{shown.slice(first, last).map((row, i) => (
						<TableRow
							key={keyOf(row)}
							row={row}
							columns={columns}
							id={rowId(first + i)}
							at={first + i}
							style={{ ...grid, [printing ? "minHeight" : "height"]: `${rowHeight}px` }}
							selected={keyOf(row) === props.selected}
							focused={first + i === focus}
							extra={props.rowClass?.(row) ?? ""}
							onSelect={props.onSelect}
						/>
					))}
					{windowed ? <div style={{ height: `${(shown.length - last) * rowHeight}px` }} /> : null}
				</div>
				{onPaper < shown.length ? (
					<p class="empty">and {count(shown.length - onPaper)} more, in the table's CSV</p>
				) : null}
				{shown.length ? null : (
					<p class="empty">
						{query && rows.length ? (
							<>
								No row of {count(rows.length)} matches <bdi>{visible(shorten(query, 80))}</bdi>.
							</>
						) : (
							(props.empty ?? "Nothing found.")
						)}
					</p>
				)}
			</div>
			{columns.length < all.length ? (
				<p class="quiet columns-hidden">
					{plural(all.length - columns.length, "column")} hidden: the window is too narrow
				</p>
			) : null}
			<ColumnHelp columns={columns} />
		</div>
	);
}

/** What is cut off is said in full to a pointer that rests on it. */
function sayWhole(event: JSX.TargetedMouseEvent<HTMLElement>) {
	const cell = event.currentTarget;
	const isCut =
		cell.scrollWidth > cell.clientWidth && !cell.querySelector("[title]:not([title=''])");
	cell.title = isCut ? shorten(cell.textContent ?? "", 1000) : "";
}

/** What columns say, where no pointer can rest on their heads (table.css). */
function ColumnHelp<Row>({ columns }: { columns: readonly Column<Row>[] }) {
	const told = columns.filter((c) => c.help);
	if (!told.length) return null;
	return (
		<details class="column-help no-print">
			<summary>Column descriptions</summary>
			<dl>
				{told.map((c) => (
					<div key={c.key}>
						<dt>{c.title}</dt>
						<dd>{c.help}</dd>
					</div>
				))}
			</dl>
		</details>
	);
}

function TableRow<Row>(props: {
	row: Row;
	columns: readonly Column<Row>[];
	id: string;
	at: number;
	style: JSX.CSSProperties;
	selected: boolean;
	focused: boolean;
	extra: string;
	onSelect: ((row: Row) => void) | undefined;
}) {
	const { row, columns, selected, focused } = props;
	const state = `${selected ? " selected" : ""}${focused ? " focused" : ""}${props.onSelect ? " pick" : ""}`;
	return (
		<div
			class={`table-row${state} ${props.extra}`}
			role="row"
			id={props.id}
			aria-rowindex={props.at + 2}
			aria-selected={selected}
			style={props.style}
			onClick={() => props.onSelect?.(row)}
		>
			{columns.map((c) => (
				<div key={c.key} role="gridcell" class={cellClass(c)} onMouseEnter={sayWhole}>
					{c.cell ? c.cell(row) : c.value(row)}
				</div>
			))}
		</div>
	);
}
