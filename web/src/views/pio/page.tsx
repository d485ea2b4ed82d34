import type { PioReport } from "../../data/reports";
import { count, duration, pct, percent } from "../../shared/format";
import { setParams, useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { dateText } from "../../shared/scales";
import { Facts, Section } from "../../shared/section";
import { type ViewProps, view } from "../view";
import { PioFilters, RangeCounters, useServer } from "./filter";
import { intervalAt, type Period, type Range } from "./model";
import { Moment } from "./moment";
import { Periods } from "./periods";
import { Tracks } from "./tracks";
import "./pio.css";

const VERDICTS = {
	worse: "worse",
	better: "better",
	same: "no significant change",
	unknown: "not known",
};

export const page = view("lode/pio/1", "PIO", PioPage);

function PioPage({ report: whole }: ViewProps<PioReport>) {
	const server = useServer(whole);
	const { report } = server;
	const [zoom] = useParam("zoom");
	const [at, setAt] = useParam("at");
	const [rows] = useParam("rows");
	const n = report.intervals.length;
	const range = rangeOf(zoom, n);
	const pinned = at === "" ? undefined : clamp(Number.parseInt(at, 10), 0, n - 1);
	const isPart = range.to - range.from < n;
	const slow = [...whole.periods, ...whole.unexplained].reduce((sum, p) => sum + p.duration_ns, 0);
	const sampled = n * report.step_ns;
	const { regression } = report;

	const show = (next: Range | null, isMove = false) => {
		const isPart = next && next.to - next.from < n;
		const text = isPart ? `${Math.round(next.from)}-${Math.round(next.to)}` : "";
		setParams({ zoom: text }, isMove);
	};
	const open = (period: Period) => {
		const from = intervalAt(report, period.start);
		const to = intervalAt(report, period.end);
		const margin = Math.max(20, (to - from) * 2);
		setParams(
			{
				zoom: `${Math.max(0, from - margin)}-${Math.min(n, to + margin)}`,
				at: String(Math.floor((from + to) / 2)),
			},
			false,
		);
	};
	return (
		<>
			<h1>When it was slow</h1>
			<Opening report={whole} />
			<Facts
				items={[
					["from", `${dateText(report.start)} UTC`],
					["length", duration(sampled)],
					["interval", duration(report.step_ns)],
					["slow for", `${duration(slow)} · ${percent(slow, sampled)}`],
					report.has_log
						? ["requests", count(report.intervals.reduce((sum, i) => sum + i.requests, 0))]
						: null,
					[
						"very slow intervals",
						`${percent(regression.high, regression.intervals)} (training: ${pct(100 * regression.expected)}), ${VERDICTS[regression.verdict]}`,
					],
				]}
			/>
			<Tracks
				report={report}
				range={range}
				pinned={pinned}
				onRange={show}
				onPin={(interval) => setAt(interval === null ? "" : String(interval))}
			/>
			<PioFilters whole={whole} shown={server} range={isPart ? range : null} />
			{pinned !== undefined && Number.isFinite(pinned) ? (
				<Moment
					report={report}
					interval={pinned}
					range={range}
					hasRules={rows === "rules" || !report.series.length}
					onClose={() => setAt("")}
				/>
			) : (
				<p class="quiet pio-hint no-print">
					Hover for details; click a moment for its raw counters. Drag to zoom, double-click for
					all; <kbd>?</kbd> lists the keys.
				</p>
			)}
			{isPart && report.series.length ? <RangeCounters report={report} range={range} /> : null}
			<Periods
				report={report}
				title="Slow periods"
				name="periods"
				periods={report.periods}
				onOpen={open}
			/>
			{report.unexplained.length ? (
				<Periods
					report={report}
					title="Slow, but not explained by the model"
					name="unexplained"
					periods={report.unexplained}
					onOpen={open}
				/>
			) : null}
			{report.unfelt.length ? (
				<Periods
					report={report}
					title="Out of range, but users were not affected"
					name="unfelt"
					periods={report.unfelt}
					onOpen={open}
				/>
			) : null}
			<Notes report={whole} />
		</>
	);
}

function clamp(value: number, low: number, high: number): number {
	return Math.min(high, Math.max(low, value));
}

function rangeOf(text: string, n: number): Range {
	const [from, to] = text.split("-").map(Number);
	if (!(from! >= 0) || !(to! > from!)) return { from: 0, to: n };
	return { from: clamp(from!, 0, n - 1), to: clamp(to!, from! + 1, n) };
}

function Notes({ report }: { report: PioReport }) {
	const { retraining } = report;
	const lists = [
		["gone", retraining.vanished],
		["out of range most of the time", retraining.shifted],
		["new", retraining.appeared],
	] as const;
	return (
		<Section title="Data and method">
			<p class="quiet">
				{report.has_log ? "Request log and counters" : "Counters alone"};{" "}
				{report.classic
					? "the paper's rules and intensity"
					: "evidence of counters against servers"}
				. SARatio is MED from {report.bounds.med.toFixed(3)} and HIGH from{" "}
				{report.bounds.high.toFixed(3)}.{" "}
				{retraining.advised ? "Retraining is advised." : "The model still fits."}
			</p>
			<ul class="plain">
				{lists.map(([what, counters]) =>
					counters.length ? (
						<li key={what}>
							Counters {what}:{" "}
							<Name text={counters.map((c) => `${c.server}/${c.counter}`).join(", ")} most={400} />
						</li>
					) : null,
				)}
				{report.losses.map((loss) => (
					<li key={loss.kind}>
						{count(loss.count)} × <Name text={loss.kind} />: <Name text={loss.detail} most={300} />
					</li>
				))}
			</ul>
		</Section>
	);
}
