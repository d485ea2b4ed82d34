import { useCallback, useMemo } from "preact/hooks";
import type { TriageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { bottomAxis } from "../../shared/axis";
import type { Draw } from "../../shared/export";
import { costIn, count, percent, plural } from "../../shared/format";
import { Legend } from "../../shared/legend";
import { goTo, useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { Picture } from "../../shared/picture";
import { namer } from "../../shared/recording-names";
import { linear, ticks } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { shortener } from "../../shared/titles";
import { TipTable } from "../../shared/tooltip";
import { PARTS, partsOf, type Triaged } from "./known";

/** Recordings in the picture; the table has all. */
const MOST_BARS = 20;

export function Streams({ report, reference }: { report: TriageReport; reference: ReportRef }) {
	const open = (s: Triaged) =>
		goTo({ path: [reference.name, "recording", s.id], params: new Map() });
	const first = useMemo(() => report.triaged.slice(0, MOST_BARS), [report]);
	const columns = useMemo(() => columnsOf(report), [report]);
	return (
		<>
			<Section
				title="Recordings"
				note={
					report.streams > first.length
						? `the ${count(first.length)} of ${count(report.streams)} with the most unexplained time`
						: "those with the most unexplained time first"
				}
				tools={<Legend items={PARTS.map((part) => [part.css, part.title])} />}
			>
				<Bars report={report} streams={first} onPick={open} />
			</Section>
			<Section
				title="All recordings"
				note={
					report.triaged_more
						? `${plural(report.triaged_more, "more")} with less unexplained time, not in this report`
						: undefined
				}
			>
				<Table
					name="recordings"
					label="Recordings"
					rows={report.triaged}
					columns={columns}
					keyOf={(s) => s.id}
					search={(s) => `${s.path} ${s.host} ${knownText(report, s)}`}
					onSelect={open}
					rowClass={(s) => (s.over ? "triage-over-row" : "")}
					most={12}
				/>
			</Section>
		</>
	);
}

function knownText(report: TriageReport, stream: Triaged): string {
	return stream.signatures
		.map(
			(s) =>
				`${s.name}${s.state === "retired" ? " (came back)" : ""} ${costIn(report, s.total_ns)}`,
		)
		.join(", ");
}

function columnsOf(report: TriageReport): Column<Triaged>[] {
	const short = shortener(report.triaged.map((s) => s.path));
	const cost = (ns: number) => costIn(report, ns);
	const over: Column<Triaged> = {
		key: "over",
		title: "!",
		help: `more than ${report.fail_over ?? ""} unexplained`,
		value: (s) => (s.over ? "!" : ""),
		cell: (s) => <b class="triage-mark">{s.over ? "!" : ""}</b>,
		width: "20px",
	};
	return [
		...(report.fail_over === undefined ? [] : [over]),
		{
			key: "path",
			title: "recording",
			value: (s) => s.path,
			cell: (s) => <Name text={short(s.path)} most={60} />,
			width: "minmax(150px, 1fr)",
		},
		{
			key: "symptom_ns",
			title: "symptoms",
			value: (s) => s.symptom_ns,
			cell: (s) => cost(s.symptom_ns),
			numeric: true,
			width: "84px",
			give: 3,
		},
		{
			key: "coverage",
			title: "known",
			help: "share of its symptom time",
			value: (s) => s.coverage,
			cell: (s) => percent(s.covered_ns, s.symptom_ns),
			numeric: true,
			width: "72px",
			give: 1,
		},
		{
			key: "unexplained_ns",
			title: "unexplained",
			help: "includes time matched by retired signatures only",
			value: (s) => s.unexplained_ns,
			cell: (s) => cost(s.unexplained_ns),
			numeric: true,
			width: "92px",
			give: 0,
		},
		{
			key: "returned_ns",
			title: "came back",
			value: (s) => s.returned_ns,
			cell: (s) => (s.returned_ns ? cost(s.returned_ns) : "–"),
			numeric: true,
			width: "84px",
			give: 4,
		},
		{
			key: "known",
			title: "known as",
			value: (s) => knownText(report, s),
			cell: (s) => <Name text={knownText(report, s) || "–"} most={400} />,
			width: "minmax(0, 2fr)",
			give: 2,
		},
	];
}

const ROW = 20;
const AXIS = 24;
const LABEL = 250;

function Bars(props: {
	report: TriageReport;
	streams: readonly Triaged[];
	onPick: (stream: Triaged) => void;
}) {
	const { report, streams, onPick } = props;
	const [at, setAt] = useParam("bar");
	const name = useMemo(() => namer(streams.map((s) => s.path)), [streams]);
	const focus = at === "" ? -1 : Math.min(Number(at) || 0, streams.length - 1);
	const domain = useMemo(
		(): [number, number] => [0, Math.max(1, ...streams.map((s) => s.symptom_ns))],
		[streams],
	);
	const height = streams.length * ROW + AXIS;
	const x = useCallback((width: number) => linear(domain, [LABEL, width - 10]), [domain]);
	const draw: Draw = useCallback(
		(paint, width, _h, colors) => {
			const sx = x(width);
			bottomAxis(paint, colors, sx, {
				at: height - AXIS + 2,
				ticks: ticks(domain, 8),
				format: (v) => (v ? costIn(report, v) : "0"),
				gridTo: 0,
			});
			streams.forEach((stream, i) => {
				const y = i * ROW + 3;
				let from = 0;
				partsOf(stream).forEach((ns, k) => {
					const part = PARTS[k]!;
					const w = sx(from + ns) - sx(from);
					if (ns > 0)
						paint.rect(
							sx(from),
							y,
							Math.max(0.5, w),
							ROW - 6,
							colors[part.colour],
							part.key === "rest" ? 0.45 : 0.85,
						);
					// What came back is hatched: it must be seen without colour, too.
					if (part.key === "returned" && w > 3)
						paint.clip(sx(from), y, w, ROW - 6, () => {
							for (let px = -ROW; px < w; px += 5)
								paint.line(sx(from) + px, y, sx(from) + px + ROW, y + ROW, colors.bg, 1);
						});
					from += ns;
				});
				if (stream.over) paint.text(2, y + 11, "!", { fill: colors.mark, size: 13, weight: 700 });
				paint.text(14, y + 11, name(stream.path), {
					fill: colors.text,
					size: 12,
					maxWidth: LABEL - 24,
				});
			});
		},
		[streams, domain, report, name],
	);
	return (
		<Picture
			name="recordings"
			label={`Known, returned and unexplained time of ${streams.length} recordings`}
			height={height}
			draw={draw}
			overlay={(paint, width, _h, colors, pointer) => {
				const i = pointer ? Math.floor(pointer.y / ROW) : focus;
				if (i >= 0 && i < streams.length)
					paint.frame(0, i * ROW, width, ROW, pointer ? colors.line : colors.accent);
			}}
			hit={(_px, py) => {
				const stream = streams[Math.floor(py / ROW)];
				if (!stream) return null;
				return {
					key: stream.id,
					pick: () => onPick(stream),
					tip: (
						<>
							<Name text={stream.path} />
							<TipTable
								rows={partsOf(stream).map((ns, k) => [
									PARTS[k]!.title,
									`${costIn(report, ns)}, ${percent(ns, stream.symptom_ns)}`,
								])}
							/>
						</>
					),
				};
			}}
			onKey={(event) => {
				const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
				if (step) {
					setAt(String(Math.min(streams.length - 1, Math.max(0, focus + step))));
					return true;
				}
				const stream = streams[focus];
				if (event.key !== "Enter" || !stream) return false;
				onPick(stream);
				return true;
			}}
		/>
	);
}
