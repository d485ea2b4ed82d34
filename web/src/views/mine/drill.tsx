// From a cluster down: the recordings in which it occurs, the symptoms of one of them, and the critical
// path of one symptom. Served, all of it is asked for; in a file it is what the report holds.
import { useCallback, useMemo } from "preact/hooks";
import type { MineStreamsReport } from "../../data/generated/mine-streams";
import type { MineSymptomsReport } from "../../data/generated/mine-symptoms";
import { costIn, count, duration, pct, percent, plural, visible } from "../../shared/format";
import { type Loaded, Pending, useLoaded } from "../../shared/loaded";
import { setParams, useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { type Dot, StreamDots } from "../../shared/stream-dots";
import { type Column, Table } from "../../shared/table";
import { shortener } from "../../shared/titles";
import type { Cluster, Mined } from "./clusters";
import type { Filter, Passes } from "./filter";
import { Lanes, type Path, WORST_PATH } from "./lanes";
import type { Served } from "./served";

interface Props {
	report: Mined;
	cluster: Cluster;
	/** Undefined in a file. */
	served: Served | undefined;
	/** What costs are narrowed to; undefined: nothing. */
	filter?: Filter | undefined;
	passes?: Passes | undefined;
}

type ServedStream = MineStreamsReport["streams"][number];
type ServedSymptom = MineSymptomsReport["symptoms"][number];

/** A recording; what only a server knows may be missing. */
type Stream = Pick<ServedStream, "stream" | "id" | "path" | "cost_ns"> & Partial<ServedStream>;
/** A symptom, with its recording. */
type Symptom = Omit<ServedSymptom, "symptom"> & { stream_id: string; path: string };

/** In the URL: the same in both homes, whatever else the report holds. */
const keyOf = (s: Pick<Symptom, "tid" | "t0_ns">) => `${s.tid}.${s.t0_ns}`;

function streamsInReport(report: Mined, cluster: Cluster): Stream[] {
	const { stream = [], cost_ns = [] } = cluster.by_stream ?? {};
	const rows = stream.map((at, i): Stream => {
		const input = report.inputs[at];
		return {
			stream: at,
			id: input?.id ?? String(at),
			path: input?.path ?? `recording ${at + 1}`,
			...(input?.host ? { host: input.host } : {}),
			...(input?.kernel ? { kernel: input.kernel } : {}),
			cost_ns: cost_ns[i] ?? 0,
		};
	});
	return rows.sort((a, b) => b.cost_ns - a.cost_ns);
}

function symptomsInReport(cluster: Cluster): Symptom[] {
	return cluster.worst.map((w) => ({
		pid: w.pid,
		tid: w.tid,
		comm: w.comm,
		t0_ns: w.symptom_t0_ns,
		t1_ns: w.symptom_t1_ns,
		cost_ns: w.cost_ns,
		share: w.cost_ns / Math.max(1, w.symptom_t1_ns - w.symptom_t0_ns),
		event_t0_ns: w.t0_ns,
		event_ns: w.event_ns,
		stream_id: w.stream_id,
		path: w.stream,
	}));
}

/** Recordings that pass, with what passes of their costs. */
function filteredStreams(
	streams: readonly Stream[],
	cluster: Cluster,
	passes: Passes | undefined,
): readonly Stream[] {
	if (!passes) return streams;
	const { stream = [], cost_ns = [] } = cluster.by_stream ?? {};
	const costs = new Map(stream.map((at, i) => [at, cost_ns[i]!]));
	return streams.flatMap(({ share: _, symptoms: _n, ...s }) => {
		const cost = passes(s.stream) ? costs.get(s.stream) : undefined;
		return cost ? [{ ...s, cost_ns: cost }] : [];
	});
}

export function Drill({ report, cluster, served, filter, passes }: Props) {
	const [chosen] = useParam("stream");
	const inReport = useMemo(() => streamsInReport(report, cluster), [report, cluster]);
	const worst = useMemo(() => symptomsInReport(cluster), [cluster]);
	const asked = useLoaded(served ? cluster.id : "", () =>
		served!.ask("streams", { cluster: cluster.id }),
	);
	const all = served && asked.state === "done" ? asked.value.streams : inReport;
	const streams = useMemo(() => filteredStreams(all, cluster, passes), [all, cluster, passes]);
	const stream = streams.find((s) => s.id === chosen);
	return (
		<>
			<Section
				title="Recordings"
				note={<StreamsNote cluster={cluster} answer={served ? asked : undefined} />}
				class="streams"
			>
				{served && asked.state !== "done" ? (
					<Pending loaded={asked} text="Loading recordings…" height={120} />
				) : (
					<StreamTable report={report} cluster={cluster} streams={streams} chosen={chosen} />
				)}
			</Section>
			<Symptoms
				report={report}
				cluster={cluster}
				served={served}
				worst={worst}
				stream={stream}
				chosen={chosen}
				filter={filter}
			/>
		</>
	);
}

function StreamsNote(props: { cluster: Cluster; answer: Loaded<MineStreamsReport> | undefined }) {
	const { answer } = props;
	const said = ["in which it occurs; select one to list its symptoms"];
	if (answer?.state === "done") {
		if (answer.value.more) said.push(`${plural(answer.value.more, "further recording")} not shown`);
		if (answer.value.shared)
			said.push(
				`in ${plural(answer.value.shared, "further recording")} everything it matches is owned by other clusters`,
			);
	}
	return <>{said.join("; ")}</>;
}

const text = (labels: Readonly<Record<string, string>> | undefined) =>
	Object.entries(labels ?? {})
		.map(([key, value]) => `${key}=${value}`)
		.join(" ");

function streamColumns(
	report: Mined,
	cluster: Cluster,
	streams: readonly Stream[],
): Column<Stream>[] {
	const whole = cluster.own_ns || cluster.total_ns;
	const short = shortener(streams.map((s) => s.path));
	const any = (has: (s: Stream) => unknown) => streams.some(has);
	const columns: Array<Column<Stream> | false> = [
		{
			key: "cost_ns",
			title: "cost",
			help: "own cost of the cluster in the recording",
			value: (s) => s.cost_ns,
			cell: (s) => costIn(report, s.cost_ns),
			numeric: true,
			width: "84px",
		},
		{
			key: "of_cluster",
			title: "of cluster",
			help: "share of the cluster's cost",
			value: (s) => s.cost_ns / Math.max(1, whole),
			cell: (s) => percent(s.cost_ns, whole),
			numeric: true,
			width: "78px",
		},
		any((s) => s.share !== undefined) && {
			key: "share",
			title: "of recording",
			help: "cost as a share of the symptom time of the recording",
			value: (s) => s.share,
			cell: (s) => pct(100 * (s.share ?? 0)),
			numeric: true,
			width: "78px",
		},
		any((s) => s.symptoms !== undefined) && {
			key: "symptoms",
			title: "symptoms",
			help: "symptoms in which it has a cost",
			value: (s) => s.symptoms,
			cell: (s) => count(s.symptoms ?? 0),
			numeric: true,
			width: "78px",
		},
		any((s) => s.time) && {
			key: "time",
			title: "began (UTC)",
			value: (s) => s.time ?? "",
			cell: (s) => (s.time ?? "").slice(0, 16).replace("T", " "),
			width: "128px",
			give: 3,
		},
		any((s) => s.host) && {
			key: "host",
			title: "host",
			value: (s) => s.host,
			cell: (s) => <Name text={s.host ?? ""} />,
			width: "minmax(50px, 90px)",
			give: 3,
		},
		any((s) => s.kernel) && {
			key: "kernel",
			title: "kernel",
			value: (s) => s.kernel,
			cell: (s) => <Name text={s.kernel ?? ""} />,
			width: "minmax(50px, 110px)",
			give: 3,
		},
		any((s) => text(s.labels)) && {
			key: "labels",
			title: "labels",
			value: (s) => text(s.labels),
			cell: (s) => <Name text={text(s.labels)} most={200} />,
			width: "minmax(50px, 150px)",
			give: 3,
		},
		{
			key: "path",
			title: "recording",
			value: (s) => s.path,
			cell: (s) => (
				<span title={visible(s.path)}>
					<Name text={short(s.path)} />
				</span>
			),
			width: "minmax(160px, 2fr)",
		},
	];
	return columns.filter((c) => c !== false);
}

function StreamTable(props: {
	report: Mined;
	cluster: Cluster;
	streams: readonly Stream[];
	chosen: string;
}) {
	const { report, cluster, streams, chosen } = props;
	const columns = useMemo(
		() => streamColumns(report, cluster, streams),
		[report, cluster, streams],
	);
	return (
		<Table
			name="streams"
			label="Recordings in which the cluster occurs"
			rows={streams}
			columns={columns}
			keyOf={(s) => s.id}
			search={(s) =>
				`${s.path} ${s.host ?? ""} ${s.kernel ?? ""} ${s.time ?? ""} ${text(s.labels)}`
			}
			selected={chosen}
			onSelect={(s) =>
				setParams({
					stream: s.id === chosen ? "" : s.id,
					symptom: "",
					"path.zoom": "",
					"path.span": "",
				})
			}
			most={8}
		/>
	);
}

interface SymptomsProps extends Props {
	/** The cluster's costliest, of all recordings: what stands here until one is chosen. */
	worst: readonly Symptom[];
	stream: Stream | undefined;
	/** Id of the chosen recording, "": none. */
	chosen: string;
}

function Symptoms(props: SymptomsProps) {
	const { report, cluster, served, worst, stream, chosen, filter } = props;
	const asked = useLoaded(served && chosen ? `${cluster.id} ${chosen}` : "", () =>
		served!.ask("symptoms", { cluster: cluster.id, stream: chosen }),
	);
	const rows = useMemo((): readonly Symptom[] => {
		if (!chosen) return worst;
		if (!served) return worst.filter((s) => s.stream_id === chosen || s.path === stream?.path);
		if (asked.state !== "done") return [];
		const { id, path, symptoms } = asked.value;
		return symptoms
			.filter((s) => !filter?.thread || s.comm === filter.thread)
			.map((s) => ({ ...s, stream_id: id, path }));
	}, [worst, chosen, stream, asked, filter]);
	const [symptom] = useParam("symptom");
	const at = rows.find((s) => keyOf(s) === symptom);
	const left = chosen
		? served && asked.state === "done"
			? asked.value.more
			: undefined
		: cluster.worst_more;
	const place = stream?.path ?? (asked.state === "done" ? asked.value.path : "");
	return (
		<>
			<Section
				title={chosen ? "Symptoms of the selected recording" : "Worst symptoms"}
				note={
					<>
						{place ? <Name text={place} most={90} /> : null}
						{left ? `${place ? "; " : ""}${count(left)} more are not in this list` : null}
					</>
				}
				tools={
					chosen ? (
						<button
							type="button"
							class="button no-print"
							onClick={() => setParams({ stream: "", symptom: "" })}
						>
							All recordings
						</button>
					) : undefined
				}
			>
				{served && chosen && asked.state !== "done" ? (
					<Pending loaded={asked} text="Loading symptoms…" height={120} />
				) : (
					<SymptomTable report={report} rows={rows} symptom={symptom} withPath={!chosen} />
				)}
			</Section>
			<PathOf
				report={report}
				cluster={cluster}
				served={served}
				symptom={at ?? (chosen ? undefined : worst[0])}
				isChosen={Boolean(at)}
			/>
		</>
	);
}

function symptomColumns(
	report: Mined,
	rows: readonly Symptom[],
	withPath: boolean,
): Column<Symptom>[] {
	const short = shortener(rows.map((s) => s.path));
	const columns: Column<Symptom>[] = [
		{
			key: "cost_ns",
			title: "cost",
			help: "of the cluster in that symptom",
			value: (s) => s.cost_ns,
			cell: (s) => costIn(report, s.cost_ns),
			numeric: true,
			width: "90px",
		},
		{
			key: "share",
			title: "of symptom",
			value: (s) => s.share,
			cell: (s) => pct(100 * s.share),
			numeric: true,
			width: "90px",
		},
		{
			key: "length_ns",
			title: "symptom",
			help: "its length",
			value: (s) => s.t1_ns - s.t0_ns,
			cell: (s) => duration(s.t1_ns - s.t0_ns),
			numeric: true,
			width: "90px",
		},
		{
			key: "event_ns",
			title: "worst event",
			value: (s) => s.event_ns,
			cell: (s) => costIn(report, s.event_ns),
			numeric: true,
			width: "100px",
		},
		{
			key: "at",
			title: "at",
			help: "start of that event, from the symptom's start",
			value: (s) => s.event_t0_ns - s.t0_ns,
			cell: (s) => `+${duration(s.event_t0_ns - s.t0_ns)}`,
			numeric: true,
			width: "100px",
		},
		{
			key: "thread",
			title: "thread",
			value: (s) => `${s.comm} ${s.tid}`,
			cell: (s) => <Name text={`${s.comm} ${s.tid}`} />,
			width: "minmax(120px, 1fr)",
		},
	];
	if (withPath)
		columns.push({
			key: "stream",
			title: "recording",
			value: (s) => s.path,
			cell: (s) => (
				<span title={visible(s.path)}>
					<Name text={short(s.path)} />
				</span>
			),
			width: "minmax(160px, 3fr)",
		});
	return columns;
}

function SymptomTable(props: {
	report: Mined;
	rows: readonly Symptom[];
	symptom: string;
	withPath: boolean;
}) {
	const { report, rows, symptom, withPath } = props;
	const columns = useMemo(() => symptomColumns(report, rows, withPath), [report, rows, withPath]);
	const selected = rows.find((s) => keyOf(s) === symptom);
	const rowKey = (s: Symptom) => `${s.stream_id} ${keyOf(s)}`;
	return (
		<Table
			name="worst"
			label="Worst symptoms of the cluster"
			rows={rows}
			columns={columns}
			keyOf={rowKey}
			search={(s) => `${s.path} ${s.comm} ${s.tid}`}
			selected={selected ? rowKey(selected) : undefined}
			onSelect={(s) =>
				setParams({
					symptom: keyOf(s) === symptom ? "" : keyOf(s),
					"path.zoom": "",
					"path.span": "",
				})
			}
			most={8}
			empty="This report has none of its symptoms in that recording."
		/>
	);
}

/** The path as a server reads it out of the recording. */
async function askPath(served: Served, cluster: Cluster, symptom: Symptom) {
	const { symptoms } = await served.ask("symptoms", {
		cluster: cluster.id,
		stream: symptom.stream_id,
	});
	const at = symptoms.find((s) => keyOf(s) === keyOf(symptom));
	if (!at) throw new Error("unknown symptom");
	return served.ask("path", { stream: symptom.stream_id, symptom: String(at.symptom) });
}

function PathOf(props: Props & { symptom: Symptom | undefined; isChosen: boolean }) {
	const { report, cluster, served, symptom, isChosen } = props;
	const title = isChosen ? "Critical path of the selected symptom" : WORST_PATH;
	const canAsk = served?.has("path") && symptom;
	const key = canAsk ? `${symptom.stream_id} ${keyOf(symptom)}` : "";
	const asked = useLoaded(key, () => askPath(served!, cluster, symptom!));
	if (canAsk) {
		if (asked.state === "done")
			return <Lanes key={key} report={asked.value} path={asked.value.path as Path} title={title} />;
		const isGone = asked.state === "failed" && (asked.status === 410 || asked.status === 422);
		return (
			<Section title={title}>
				{isGone ? (
					<p class="quiet">
						Not available: <bdi>{visible(asked.reason)}</bdi>
					</p>
				) : (
					<Pending loaded={asked} text="Reading the recording…" height={260} />
				)}
			</Section>
		);
	}
	if (served) return null;
	const path = isChosen
		? report.paths?.find((p) => p.stream_id === symptom?.stream_id && keyOf(p) === keyOf(symptom))
		: report.paths?.find((p) => p.clusters.includes(cluster.id));
	if (path)
		return (
			<Lanes key={`${path.stream_id} ${keyOf(path)}`} report={report} path={path} title={title} />
		);
	if (!isChosen || !report.paths) return null;
	return (
		<Section title={title}>
			<p class="quiet">
				This file has the critical paths of the worst symptoms only; <code>lode serve</code> shows
				all.
			</p>
		</Section>
	);
}

/** A dot per recording, in the order of the inputs; a click chooses it in the table. */
export function StreamPicture({ report, cluster }: Omit<Props, "served">) {
	const [chosen] = useParam("stream");
	const rows = useMemo(() => streamsInReport(report, cluster), [report, cluster]);
	const dots = useMemo(() => {
		const costs = new Map(rows.map((row) => [row.stream, row.cost_ns]));
		return Array.from({ length: report.streams }, (_, i): Dot => {
			const title = report.inputs[i]?.path ?? `recording ${i + 1}`;
			return { title, value: costs.get(i) ?? 0 };
		});
	}, [report, rows]);
	const groups = useMemo(
		() => [{ title: `recordings, 1 to ${count(report.streams)}`, colour: "accent" as const, dots }],
		[dots],
	);
	const pick = useCallback(
		(_group: number, at: number) => {
			const row = rows.find((r) => r.stream === at);
			if (!row) return;
			setParams({ stream: row.id, symptom: "", "path.zoom": "", "path.span": "" });
			document.querySelector(".section.streams")?.scrollIntoView({ block: "start" });
		},
		[rows],
	);
	const at = rows.find((row) => row.id === chosen)?.stream;
	return (
		<Section title="Cost by recording">
			<StreamDots
				name={`streams-${cluster.rank}`}
				label={`Cost of cluster ${cluster.rank} in each of ${report.streams} recordings`}
				report={report}
				groups={groups}
				onPick={pick}
				chosen={at === undefined ? undefined : { group: 0, at }}
			/>
		</Section>
	);
}
