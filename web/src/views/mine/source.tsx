// One function from the inside, in one recording: its source with the cost of each line, and its
// machine code with that of each instruction. What is not here is said, with what to do.
//
// In the URL: `fn`, the function; `stream`, the recording, else the one that it costs most; `line`, a
// line as FILE:LINE, whose instructions alone are shown.
import { useMemo } from "preact/hooks";
import type { MineSourceReport } from "../../data/generated/mine-source";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { CopyButton, CopyLink } from "../../shared/copy";
import { costIn, count, frameParts, percent, plural, visible } from "../../shared/format";
import { KINDS, splitLabel, splitParts } from "../../shared/kinds";
import { Pending, useLoaded } from "../../shared/loaded";
import { hrefOf, setParams, useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { baseName } from "../../shared/recording-names";
import { Facts, Section } from "../../shared/section";
import { Steps } from "../../shared/steps";
import { type Column, Table } from "../../shared/table";
import { shortener, useTitle } from "../../shared/titles";
import type { Filter } from "./filter";
import type { Served } from "./served";
import "../../shared/filter-bar.css";

type File = MineSourceReport["files"][number];
type Code = MineSourceReport["code"][number];

/** Costs of a line, or of an instruction; absent: nothing was spent there. */
interface Spent {
	readonly exclusive_ns?: number;
	readonly inclusive_ns?: number;
	readonly running_ns?: number;
	readonly waiting_ns?: number;
	readonly ready_ns?: number;
}

/** The address of a function's source; undefined: it has none, or nobody can be asked. */
export function sourceLinks(served: Served | undefined, reference: ReportRef, filter?: Filter) {
	if (!served?.has("source")) return undefined;
	return (fn: string) =>
		fn.includes("!") && !fn.startsWith("→")
			? hrefOf([reference.name, "source"], {
					fn,
					...(filter?.recording ? { stream: filter.recording } : {}),
				})
			: undefined;
}

export function SourcePage(props: { served: Served; reference: ReportRef }) {
	const { served, reference } = props;
	const [fn] = useParam("fn");
	const [stream] = useParam("stream");
	const query = { function: fn, ...(stream ? { stream } : {}) };
	const asked = useLoaded(fn ? JSON.stringify(query) : "", () => served.ask("source", query));
	useTitle(`Source of ${frameParts(fn).name}`);
	return (
		<>
			<Steps
				label="Source"
				all={{ path: [reference.name], text: "All clusters" }}
				before={undefined}
				after={undefined}
			/>
			<h1 class="cluster-title">
				<Name text={frameParts(fn).name || "No function selected"} most={200} />
			</h1>
			{asked.state === "done" ? (
				<Body report={asked.value} />
			) : fn ? (
				<Pending loaded={asked} text="Reading the recording…" height={900} />
			) : null}
		</>
	);
}

function Body({ report }: { report: MineSourceReport }) {
	const cost = (ns: number) => costIn(report, ns);
	const { exclusive_ns = 0, inclusive_ns = 0 } = report;
	const [line] = useParam("line");
	return (
		<>
			<p class="headline">
				<bdi>{visible(report.function)}</bdi> takes {cost(inclusive_ns)},{" "}
				{percent(inclusive_ns, report.symptom_ns)} of symptom time, in{" "}
				<bdi>{visible(baseName(report.stream.path))}</bdi>; {cost(exclusive_ns)} in its own code.
				{report.streams > 1
					? ` That is ${percent(inclusive_ns, report.all_ns)} of what it takes in ${plural(report.streams, "recording")}.`
					: ""}
			</p>
			<RecordingChoice report={report} />
			<p class="copy-row no-print">
				<CopyLink />
				<CopyButton
					label="Copy command"
					text={() => `lode mine --source '${report.function}' ${report.stream.path}`}
				/>
			</p>
			{report.no_lines ? (
				<p class="notice">
					Of {cost(report.unplaced.inclusive_ns ?? 0)} no line is known:{" "}
					<bdi>{visible(report.no_lines)}</bdi>.
				</p>
			) : null}
			<Facts
				items={[
					["exclusive", cost(exclusive_ns)],
					["inclusive", cost(inclusive_ns)],
					["waiting", cost(report.waiting_ns ?? 0)],
					["running", cost(report.running_ns ?? 0)],
					["ready, waiting for a CPU", cost(report.ready_ns ?? 0)],
				]}
			/>
			{report.files.map((file, at) => (
				<Lines key={file.path} report={report} file={file} at={at} chosen={line} />
			))}
			{report.code.map((code, at) => (
				<Instructions
					key={code.start + code.module}
					report={report}
					code={code}
					at={at}
					chosen={line}
				/>
			))}
			{report.more_code ? (
				<p class="quiet">{plural(report.more_code, "other place")} with lower cost.</p>
			) : null}
		</>
	);
}

/** Recordings may hold other builds of the program, with other lines and instructions. */
function RecordingChoice({ report }: { report: MineSourceReport }) {
	const { recordings, stream, more_recordings: more } = report;
	if (recordings.length < 2) return null;
	const short = shortener(recordings.map((r) => r.path));
	const words = (r: (typeof recordings)[number]) => {
		const labels = Object.entries(r.labels ?? {}).map(([key, value]) => `${key}=${value}`);
		return [short(r.path), ...labels, costIn(report, r.inclusive_ns)].map(visible).join(" · ");
	};
	const isListed = recordings.some((r) => r.id === stream.id);
	return (
		<p class="filter-row no-print">
			<label>
				Recording{" "}
				<select
					aria-label="Recording"
					value={stream.id}
					onChange={(event) => setParams({ stream: event.currentTarget.value, line: "" }, false)}
				>
					{isListed ? null : <option value={stream.id}>{visible(short(stream.path))}</option>}
					{recordings.map((r) => (
						<option key={r.id} value={r.id}>
							{words(r)}
						</option>
					))}
				</select>
			</label>
			<span class="quiet">
				each may have a different build
				{more ? `; ${plural(more, "recording")} with lower cost not listed` : ""}
			</span>
		</p>
	);
}

const splitOf = (spent: Spent) => ({
	split: {
		wait_ns: spent.waiting_ns ?? 0,
		run_ns: spent.running_ns ?? 0,
		ready_ns: spent.ready_ns ?? 0,
	},
});

/** Inclusive, exclusive, and a bar by kind: of lines and of instructions. */
function costColumns<Row extends Spent>(report: MineSourceReport): Column<Row>[] {
	const cost = (ns: number) => costIn(report, ns);
	const whole = report.inclusive_ns ?? 0;
	const number = (
		key: keyof Spent,
		title: string,
		help: string,
		give: number,
		width: string,
	): Column<Row> => ({
		key,
		title,
		help,
		value: (row) => row[key] ?? 0,
		cell: (row) => (row[key] ? cost(row[key]) : ""),
		numeric: true,
		width,
		give,
	});
	return [
		number("inclusive_ns", "inclusive", "including everything called from there", 0, "76px"),
		{
			key: "share",
			title: "",
			help: "share of the function's inclusive cost, by kind of time",
			value: (row) => (row.inclusive_ns ?? 0) / Math.max(1, whole),
			csv: KINDS.map((kind) => [kind.key, (row: Row) => splitOf(row).split[kind.key]] as const),
			cell: (row) =>
				row.inclusive_ns ? (
					<PartBar
						parts={splitParts(splitOf(row))}
						whole={whole}
						label={`${percent(row.inclusive_ns, whole)}: ${splitLabel(splitOf(row), cost)}`}
					/>
				) : null,
			numeric: true,
			left: true,
			width: "72px",
			give: 4,
		},
		number("exclusive_ns", "exclusive", "in this code itself", 2, "76px"),
	];
}

const hot = (whole: number) => (spent: Spent) =>
	(spent.inclusive_ns ?? 0) > whole / 10 ? "source-hot" : spent.inclusive_ns ? "source-some" : "";

function Lines(props: { report: MineSourceReport; file: File; at: number; chosen: string }) {
	const { report, file, at, chosen } = props;
	type Line = File["lines"][number];
	const columns = useMemo(
		(): Column<Line>[] => [
			...costColumns<Line>(report),
			{
				key: "line",
				title: "line",
				value: (row) => row.line,
				cell: (row) => String(row.line),
				numeric: true,
				width: "52px",
				give: 0,
			},
			{
				key: "text",
				title: "source",
				value: (row) => row.text ?? "",
				cell: (row) => <SourceText text={row.text ?? ""} />,
				width: "minmax(200px, 1fr)",
				give: 0,
			},
		],
		[report],
	);
	const key = (row: Line) => `${at}:${row.line}`;
	return (
		<Section
			title={baseName(file.path)}
			note={
				<>
					<Name text={file.path} most={90} />
					{file.found && file.found !== file.path ? (
						<>
							{", text from "}
							<Name text={file.found} most={90} />
						</>
					) : null}
					{file.is_newer ? "; changed after the program was built: lines may have moved" : ""}
				</>
			}
		>
			{file.missing ? (
				<p class="notice">
					<bdi>{visible(file.missing)}</bdi>. Without it, lines are numbers; start lode serve with{" "}
					<code>--source-dir DIR</code> to show text from files below <code>DIR</code>.
				</p>
			) : null}
			<Table
				name={`source-${at}`}
				label={`Lines of ${visible(file.path)}`}
				rows={file.lines}
				columns={columns}
				keyOf={key}
				search={(row) => row.text ?? ""}
				selected={chosen}
				onSelect={(row) => setParams({ line: key(row) === chosen ? "" : key(row) }, false)}
				rowHeight={20}
				most={36}
				rowClass={hot(report.inclusive_ns ?? 0)}
			/>
			{file.more ? <p class="quiet">and {plural(file.more, "line")} that cost something</p> : null}
		</Section>
	);
}

function Instructions(props: { report: MineSourceReport; code: Code; at: number; chosen: string }) {
	const { report, code, at, chosen } = props;
	type Row = Code["instructions"][number];
	const columns = useMemo(
		(): Column<Row>[] => [
			...costColumns<Row>(report),
			{
				key: "line",
				title: "line",
				help: "source line; + marks a line of another file",
				value: (row) => row.line ?? 0,
				cell: (row) => (row.line ? `${row.line}${row.file < 0 ? "+" : ""}` : ""),
				numeric: true,
				width: "52px",
				give: 3,
			},
			{
				key: "address",
				title: "address",
				value: (row) => row.address,
				cell: (row) => <code>{row.address}</code>,
				width: "84px",
				give: 1,
			},
			{
				key: "text",
				title: "instruction",
				value: (row) => row.text,
				cell: (row) => <SourceText text={row.text} />,
				width: "minmax(200px, 1fr)",
				give: 0,
			},
		],
		[report],
	);
	const of = (row: Row) => `${row.file}:${row.line ?? 0}`;
	const isChosen = chosen !== "" && code.instructions.some((row) => of(row) === chosen);
	const rows = isChosen ? code.instructions.filter((row) => of(row) === chosen) : code.instructions;
	return (
		<Section
			title="Machine code"
			note={
				<>
					<Name text={code.module} most={40} /> at {code.start}
					{isChosen ? `, of line ${chosen.split(":")[1]} alone` : ""}
					{code.more ? `; ${count(code.more)} instructions without cost are left out` : ""}
				</>
			}
			tools={
				isChosen ? (
					<button
						type="button"
						class="button no-print"
						onClick={() => setParams({ line: "" }, false)}
					>
						All instructions
					</button>
				) : undefined
			}
		>
			{code.missing ? (
				<p class="notice">
					<bdi>{visible(code.missing)}</bdi>.
				</p>
			) : (
				<Table
					name={`code-${at}`}
					label={`Instructions at ${code.start}`}
					rows={rows}
					columns={columns}
					keyOf={(row) => row.address}
					search={(row) => row.text}
					rowHeight={20}
					most={30}
					rowClass={hot(report.inclusive_ns ?? 0)}
				/>
			)}
		</Section>
	);
}

/** Tabs keep their width; all else that steers a line is written out. */
function SourceText({ text }: { text: string }) {
	return <bdi class="source-text">{text.split("\t").map(visible).join("\t")}</bdi>;
}
