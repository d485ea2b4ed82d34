import { useCallback, useMemo } from "preact/hooks";
import type { DiffReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { bottomAxis } from "../../shared/axis";
import { Brief, lastWords } from "../../shared/brief";
import type { Draw } from "../../shared/export";
import { chance, changeIn, costIn, count, measured, times, visible } from "../../shared/format";
import { goTo, useParam } from "../../shared/location";
import { Picture } from "../../shared/picture";
import { linear, ticks } from "../../shared/scales";
import { Choice, Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { TipTable } from "../../shared/tooltip";
import {
	briefOf,
	type Change,
	CLASSES,
	classWord,
	intervalText,
	isTold,
	searchText,
} from "./changes";
import type { Shown } from "./filter";

/** Bars of the picture: more do not fit on a slide. */
const MOST_BARS = 16;

export function ChangeList({ shown, reference }: { shown: Shown; reference: ReportRef }) {
	const { report } = shown;
	const [show, setShow] = useParam("show", "changes");
	const told = useMemo(() => report.clusters.filter(isTold), [report]);
	const columns = useMemo(() => columnsOf(shown), [shown]);
	const hasBoth = report.a.symptoms > 0 && report.b.symptoms > 0;
	const open = (change: Change) => goTo({ path: [reference.name, change.id], params: new Map() });
	return (
		<>
			{told.length && hasBoth ? (
				<Section
					title="Changes"
					note={
						told.length > MOST_BARS
							? `cost per symptom, the first ${MOST_BARS} of ${told.length}; grey: not significant`
							: "cost per symptom; grey: not significant"
					}
				>
					<Bars report={report} changes={told.slice(0, MOST_BARS)} onPick={open} />
				</Section>
			) : null}
			<Section
				title="Clusters"
				note={report.more ? `${count(report.more)} more are not in this report` : undefined}
			>
				<Table
					name="clusters"
					label="Clusters"
					rows={show === "all" ? report.clusters : told}
					columns={columns}
					keyOf={(c) => c.id}
					search={searchText}
					onSelect={open}
					rowHeight={46}
					most={14}
					empty={
						report.clusters.length
							? "No significant changes."
							: `No clusters: patterns under ${costIn(report, report.lambda_ns)} are ignored.`
					}
					tools={
						<Choice
							label="Clusters shown"
							options={[
								["changes", "Changes"],
								["all", "All clusters"],
							]}
							value={show === "all" ? "all" : "changes"}
							onChange={(value) => setShow(value)}
						/>
					}
				/>
			</Section>
		</>
	);
}

function columnsOf({ report, isPart }: Shown): Column<Change>[] {
	const none = Number.NaN;
	const cost = (value: number) => (Number.isNaN(value) ? "–" : costIn(report, value));
	const inA = (c: Change) => (report.a.symptoms ? c.a.per_symptom_ns : none);
	const inB = (c: Change) => (report.b.symptoms ? c.b.per_symptom_ns : none);
	const change = (c: Change) => (report.a.symptoms && report.b.symptoms ? c.change_ns : none);
	const numbers = (
		key: string,
		title: string,
		help: string,
		value: (c: Change) => number,
		cell: (c: Change) => string,
		width: string,
	): Column<Change> => ({ key, title, help, value, cell, numeric: true, width });
	const columns: Array<Column<Change> | null> = [
		{
			...numbers(
				"number",
				"#",
				"rank, as --show takes it",
				(c) => c.number,
				(c) => count(c.number),
				"30px",
			),
			give: 1,
		},
		{
			key: "class",
			title: "class",
			help: "?: large enough to matter, but not significant",
			value: (c) => c.class,
			cell: (c) => <span class={`diff-class diff-${c.class}`}>{classWord(c)}</span>,
			width: "48px",
			give: 1,
		},
		numbers("a_ns", "A", "cost per symptom", inA, (c) => cost(inA(c)), "68px"),
		numbers("b_ns", "B", "cost per symptom", inB, (c) => cost(inB(c)), "68px"),
		{
			...numbers(
				"change_ns",
				"change",
				"of the cost per symptom",
				change,
				(c) => (Number.isNaN(change(c)) ? "–" : changeIn(report, c.change_ns)),
				"76px",
			),
			give: 0,
		},
		isPart || !report.clusters.some((c) => intervalText(report, c))
			? null
			: {
					key: "interval",
					title: "95 % interval",
					help: "of the change; not corrected for the number of clusters",
					value: (c) => intervalText(report, c),
					cell: (c) => <span class="quiet">{intervalText(report, c)}</span>,
					numeric: true,
					width: "150px",
				},
		numbers(
			"ratio",
			"times",
			"B over A",
			(c) => c.ratio ?? Number.NaN,
			(c) => times(c.ratio),
			"52px",
		),
		numbers(
			"in_a",
			"in A",
			"recordings of A in which it occurs",
			(c) => c.a.streams,
			(c) => `${count(c.a.streams)}/${count(report.a.streams)}`,
			"48px",
		),
		numbers(
			"in_b",
			"in B",
			"recordings of B in which it occurs",
			(c) => c.b.streams,
			(c) => `${count(c.b.streams)}/${count(report.b.streams)}`,
			"48px",
		),
		isPart
			? null
			: numbers(
					"p_adjusted",
					"p",
					"corrected for all clusters",
					(c) => c.p_adjusted,
					(c) => chance(c.p_adjusted),
					"52px",
				),
		{
			key: "why",
			title: "why",
			help: "main component of its own cost",
			value: (c) => c.why ?? c.reason,
			cell: (c) => measured(visible(c.why ?? c.reason)),
			width: "146px",
			give: 2,
		},
		{
			key: "common",
			title: "who waits → for whom",
			help: "the most distinctive functions that its patterns share",
			value: briefOf,
			cell: (c) => <Brief cluster={c} />,
		},
	];
	return columns.filter((c) => c !== null);
}

const ROW = 24;
const AXIS = 24;
const labelOf = (width: number) => (width < 760 ? Math.min(220, width / 2.3) : 480);
/** For a change beside its bar. */
const BESIDE = 64;
/** Of the label, for what the cost is. */
const WHY = 90;

/** A bar per change from nothing to what was added or saved, the largest of its class first. */
function Bars(props: {
	report: DiffReport;
	changes: readonly Change[];
	onPick: (change: Change) => void;
}) {
	const { report, changes, onPick } = props;
	const [at, setAt] = useParam("bar");
	const focus = at === "" ? -1 : Math.min(Number(at) || 0, changes.length - 1);
	const domain = useMemo((): [number, number] => {
		const values = changes.map((c) => c.change_ns);
		const low = Math.min(0, ...values, ...changes.map((c) => c.change_low_ns ?? 0));
		const high = Math.max(0, ...values, ...changes.map((c) => c.change_high_ns ?? 0));
		return [low, high];
	}, [changes]);
	const height = changes.length * ROW + AXIS;
	const x = useCallback(
		(width: number) => {
			// Room for the texts beside the bars.
			const [low, high] = domain;
			const left = labelOf(width) + (low < 0 ? BESIDE : 0);
			return linear(domain, [left, width - 8 - (high > 0 ? BESIDE : 0)]);
		},
		[domain],
	);
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			const sx = x(width);
			bottomAxis(paint, colors, sx, {
				at: height - AXIS + 2,
				ticks: ticks(domain, 6),
				format: (v) => (v ? changeIn(report, v) : "0"),
				gridTo: 0,
			});
			paint.line(sx(0), 0, sx(0), height - AXIS + 2, colors.quiet);
			changes.forEach((change, i) => {
				const y = i * ROW + 4;
				const from = Math.min(sx(0), sx(change.change_ns));
				const to = Math.max(sx(0), sx(change.change_ns));
				paint.rect(
					from,
					y,
					Math.max(1, to - from),
					ROW - 9,
					colors[CLASSES[change.class].colour],
					0.85,
				);
				const { change_low_ns: low, change_high_ns: high } = change;
				if (low !== undefined && high !== undefined) {
					const middle = y + (ROW - 9) / 2;
					paint.line(sx(low), middle, sx(high), middle, colors.text, 1);
					for (const end of [low, high])
						paint.line(sx(end), middle - 4, sx(end), middle + 4, colors.text, 1);
				}
				paint.text(0, y + 11, classWord(change), {
					fill: change.class === "same" ? colors.quiet : colors.text,
					size: 12,
					weight: 600,
				});
				const words = lastWords(change);
				const label = labelOf(width);
				const why = label > 300 ? WHY : 0;
				const room = label - 62 - why;
				paint.text(52, y + 11, words, { fill: colors.text, size: 12, maxWidth: room });
				paint.text(
					52 + Math.min(room, paint.measure(words, 12)) + 10,
					y + 11,
					change.why ?? change.reason,
					{ fill: colors.quiet, size: 12, maxWidth: why - 10 },
				);
				const more = change.change_ns >= 0;
				const right = Math.max(to, sx(high ?? 0)) + 6;
				const left = Math.min(from, sx(low ?? 0)) - 6;
				paint.text(more ? right : left, y + 11, changeIn(report, change.change_ns), {
					fill: colors.quiet,
					size: 12,
					anchor: more ? "start" : "end",
				});
			});
		},
		[changes, domain, report],
	);
	const rowAt = (y: number) => changes[Math.floor(y / ROW)];
	return (
		<Picture
			name="changes"
			label={`Changes of the cost per symptom from A to B, of ${changes.length} clusters`}
			height={height}
			draw={draw}
			overlay={(paint, width, _h, colors, pointer) => {
				const i = pointer ? Math.floor(pointer.y / ROW) : focus;
				if (i >= 0 && i < changes.length)
					paint.frame(0, i * ROW, width, ROW - 1, pointer ? colors.line : colors.accent);
			}}
			hit={(_px, py) => {
				const change = rowAt(py);
				if (!change) return null;
				return {
					key: change.id,
					pick: () => onPick(change),
					tip: (
						<>
							<b>
								{classWord(change)}: {changeIn(report, change.change_ns)} per symptom
							</b>
							<div class="mono">
								<bdi>{visible(briefOf(change))}</bdi>
							</div>
							<TipTable
								rows={[
									["A", costIn(report, change.a.per_symptom_ns)],
									["B", costIn(report, change.b.per_symptom_ns)],
									["change, 95 % interval", intervalText(report, change) || "–"],
									["p, corrected", chance(change.p_adjusted)],
								]}
							/>
						</>
					),
				};
			}}
			onKey={(event) => {
				const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
				if (step) {
					setAt(String(Math.min(changes.length - 1, Math.max(0, focus + step))));
					return true;
				}
				const change = changes[focus];
				if (event.key !== "Enter" || !change) return false;
				onPick(change);
				return true;
			}}
		/>
	);
}
