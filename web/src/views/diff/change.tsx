// One cluster of a comparison: its recordings in both sets, its frames, where its cost moved.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { DiffReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { Columns } from "../../shared/columns";
import { Flame } from "../../shared/flame";
import {
	chance,
	changeIn,
	costIn,
	count,
	measured,
	plural,
	times,
	visible,
} from "../../shared/format";
import { useParam } from "../../shared/location";
import { ThingButtons } from "../../shared/opening";
import { Choice, Facts, Section } from "../../shared/section";
import { type Step, Steps } from "../../shared/steps";
import { type Dot, type DotGroup, StreamDots } from "../../shared/stream-dots";
import { briefOf, type Change, CLASSES, classWord, intervalText } from "./changes";
import type { Shown } from "./filter";

interface ChangeProps {
	shown: Shown;
	reference: ReportRef;
	change: Change;
	filters: ComponentChildren;
}

export function ChangePage({ shown, reference, change, filters }: ChangeProps) {
	const { report, isPart } = shown;
	const at = report.clusters.indexOf(change);
	const before = report.clusters[at - 1];
	const after = report.clusters[at + 1];
	const cost = (ns: number) => costIn(report, ns);
	const stepTo = (other: Change | undefined): Step | undefined =>
		other && {
			path: [reference.name, other.id],
			text: (
				<>
					{classWord(other)} {changeIn(report, other.change_ns)}
				</>
			),
		};
	return (
		<>
			<Steps
				label="Clusters"
				all={{ path: [reference.name], text: "All changes" }}
				before={stepTo(before)}
				after={stepTo(after)}
			/>
			{filters}
			<h1>
				{count(change.number)}.{" "}
				<span class={`diff-class diff-${change.class}`}>
					{classWord(change) === "?" ? "may be chance" : change.class}
				</span>
				: {changeIn(report, change.change_ns)} per symptom
				<span class="cluster-why">{measured(visible(change.why ?? change.reason))}</span>
			</h1>
			<p class="cluster-brief mono">
				{(change.brief?.length ? change.brief : [briefOf(change)]).map((line) => (
					<bdi key={line}>{visible(line)}</bdi>
				))}
			</p>
			<ThingButtons />
			<Facts
				items={[
					["per symptom in A", cost(change.a.per_symptom_ns)],
					["per symptom in B", cost(change.b.per_symptom_ns)],
					["change", `${changeIn(report, change.change_ns)} ${times(change.ratio)}`.trim()],
					intervalText(report, change) ? ["95 % interval", intervalText(report, change)] : null,
					isPart ? null : ["p, corrected", chance(change.p_adjusted)],
					isPart ? null : ["p alone", chance(change.p)],
					["in A", `${count(change.a.streams)} of ${count(report.a.streams)}`],
					["in B", `${count(change.b.streams)} of ${count(report.b.streams)}`],
					["class", CLASSES[change.class].help],
				]}
			/>
			<Recordings shown={shown} change={change} />
			<div>
				<Columns report={report} cluster={change} />
			</div>
			{change.flame && report.frames ? (
				<Stacks report={shown.whole} change={change} flame={change.flame} names={report.frames} />
			) : null}
		</>
	);
}

/** Per symptom of the recording, as the sets are compared. */
function Recordings({ shown, change }: { shown: Shown; change: Change }) {
	const { report, passes } = shown;
	const groups = useMemo((): DotGroup[] | null => {
		const { by_stream } = change;
		const { streams } = report;
		if (!by_stream || !streams) return null;
		const costs = new Map(by_stream.stream.map((at, i) => [at, by_stream.cost_ns[i] ?? 0]));
		const dots = (set: "a" | "b"): Dot[] =>
			streams.flatMap((stream, i) =>
				stream.set === set && stream.symptoms && passes(i)
					? [{ title: stream.path, value: (costs.get(i) ?? 0) / stream.symptoms }]
					: [],
			);
		return [
			{
				title: `A: ${plural(report.a.streams, "recording")}`,
				colour: "wait",
				dots: dots("a"),
				mean: change.a.per_symptom_ns,
			},
			{
				title: `B: ${plural(report.b.streams, "recording")}`,
				colour: "mark",
				dots: dots("b"),
				mean: change.b.per_symptom_ns,
			},
		];
	}, [shown, change]);
	if (!groups) return null;
	return (
		<Section
			title="Recordings"
			note="cost per symptom in each recording; the line is the mean of the set"
		>
			<StreamDots
				name={`recordings-${change.rank}`}
				label="Cost per symptom in each recording of A and of B"
				report={report}
				groups={groups}
				what="cost per symptom"
				height={190}
			/>
		</Section>
	);
}

function Stacks(props: {
	report: DiffReport;
	change: Change;
	flame: NonNullable<Change["flame"]>;
	names: readonly string[];
}) {
	const { report, change, flame, names } = props;
	const [width, setWidth] = useParam("flame.width", "both");
	const data = useMemo(() => {
		const a = flame.a_ns.map((ns) => ns / Math.max(1, report.a.symptoms));
		const b = flame.b_ns.map((ns) => ns / Math.max(1, report.b.symptoms));
		const both = a.map((ns, i) => ns + b[i]!);
		return {
			parent: flame.parent,
			frame: flame.frame,
			own_ns: width === "a" ? a : width === "b" ? b : both,
			sets: [a, b] as const,
		};
	}, [report, flame, width]);
	return (
		<Flame
			name={`flame-${change.rank}`}
			title="Where the cost changed"
			label="Flame graph of the stacks in both sets, coloured by the set that has more of them"
			data={data}
			names={names}
			unit={report.unit}
			sets={["per symptom in A", "per symptom in B"]}
			note={
				flame.left_out
					? `+ more in B, − more in A; ${plural(flame.left_out, "small node")} counted in their callers`
					: "+ more in B, − more in A"
			}
			tools={
				<Choice
					label="Width of the flame graph"
					options={[
						["both", "A + B"],
						["a", "A"],
						["b", "B"],
					]}
					value={width === "a" || width === "b" ? width : "both"}
					onChange={setWidth}
				/>
			}
		/>
	);
}
