import { useMemo } from "preact/hooks";
import type { MineReport } from "../../data/reports";
import { costIn, count, duration, plural, visible } from "../../shared/format";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { shortener } from "../../shared/titles";

type Input = MineReport["inputs"][number];

const columnsOf = (short: (path: string) => string): Column<Input>[] => [
	{
		key: "path",
		title: "recording",
		value: (s) => s.path,
		cell: (s) => (
			<span title={visible(s.path)}>
				<Name text={short(s.path)} />
			</span>
		),
		width: "minmax(120px, 1fr)",
	},
	{
		key: "host",
		title: "host",
		value: (s) => s.host,
		cell: (s) => <Name text={s.host} />,
		width: "minmax(60px, 120px)",
	},
	{
		key: "no_waker_ns",
		title: "no waker",
		help: "symptom time in waits without a known waker",
		value: (s) => s.no_waker_ns,
		cell: (s) => duration(s.no_waker_ns),
		numeric: true,
		width: "76px",
	},
	{
		key: "losses",
		title: "losses",
		help: "missing or inconsistent data in the recording",
		value: (s) => s.losses.map((l) => `${l.count} ${l.kind}`).join("; "),
		cell: (s) => (
			<Name
				text={s.losses.map((l) => `${count(l.count)} ${l.kind}`).join("; ") || "none"}
				most={300}
			/>
		),
		width: "minmax(0, 4fr)",
	},
];

const SCOPES: Readonly<Record<string, string>> = {
	critical: "time on the critical path, across threads",
	graph: "all waits reachable from the symptom's",
	thread: "the symptom's own thread",
};

/** Data and method. */
export function MineNotes({ report }: { report: MineReport }) {
	const columns = useMemo(
		() => columnsOf(shortener(report.inputs.map((s) => s.path))),
		[report.inputs],
	);
	const bad = [
		...report.skipped.map((s) => ({ ...s, what: "skipped" })),
		...report.incomplete.map((s) => ({ ...s, what: "partly used" })),
	];
	return (
		<Section
			title="Data and method"
			note={
				<>
					symptoms: <Name text={report.options.symptoms} most={200} />
				</>
			}
		>
			<p class="quiet prose">
				Counted: {SCOPES[report.options.scope] ?? report.options.scope}, {report.options.stacks}{" "}
				stacks: {count(report.aoi.events)} events, {count(report.aoi.stacks)} distinct stacks.
				Patterns under {costIn(report, report.lambda_ns)} (λ, <Name text={report.options.lambda} />)
				are ignored; {plural(report.rounds, "round")} of mining.
			</p>
			{bad.length ? (
				<ul class="bad-inputs">
					{bad.map((s) => (
						<li key={s.path}>
							<Name text={s.path} />: {s.what}: <Name text={s.reason} most={400} />
						</li>
					))}
				</ul>
			) : null}
			<Table
				name="inputs"
				label="Recordings"
				rows={report.inputs}
				columns={columns}
				keyOf={(s) => `${s.id} ${s.path}`}
				search={(s) => `${s.path} ${s.host}`}
				most={10}
			/>
		</Section>
	);
}
