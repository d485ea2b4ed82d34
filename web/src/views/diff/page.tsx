// Two sets of recordings: what is new, gone, worse and better in the second.
import type { DiffReport } from "../../data/reports";
import { chance, costIn, count, pct, percent, plural, ratio } from "../../shared/format";
import { BadInputs } from "../../shared/inputs";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { Section } from "../../shared/section";
import { type ViewProps, view } from "../view";
import { ChangePage } from "./change";
import { type Change, CLASSES, type Verdict } from "./changes";
import { DiffFilters, useDiffFilter } from "./filter";
import { ChangeList } from "./list";
import "./diff.css";

export const page = view("lode/diff/1", "Diff", DiffPage);

function DiffPage(props: ViewProps<DiffReport>) {
	const { report: whole, path, reference } = props;
	const shown = useDiffFilter(whole);
	const { report } = shown;
	const isIt = (c: Change) => c.id === path[0] || String(c.number) === path[0];
	// One that the filter leaves nothing of is still there.
	const change = path[0] ? (report.clusters.find(isIt) ?? whole.clusters.find(isIt)) : undefined;
	const filters = <DiffFilters shown={shown} />;
	if (change)
		return <ChangePage shown={shown} reference={reference} change={change} filters={filters} />;
	return (
		<>
			<h1>What changed from A to B</h1>
			{path[0] ? (
				<p class="notice" role="alert">
					This report has no cluster <Name text={path[0]} most={40} />.
				</p>
			) : null}
			<Answer report={whole} />
			{filters}
			<Sets report={report} isPart={shown.isPart} />
			<ChangeList shown={shown} reference={reference} />
			<Notes report={whole} />
		</>
	);
}

/** The verdict, first of all. */
function Answer({ report }: { report: DiffReport }) {
	const { counts, splits } = report;
	const classes: Verdict[] = ["new", "gone", "worse", "better", "same"];
	return (
		<>
			<Opening report={report} />
			<ul class="diff-counts" aria-label="Clusters by class">
				{classes.map((name) => (
					<li key={name} title={CLASSES[name].help} class={counts[name] ? "" : "faint"}>
						<b>{count(counts[name])}</b> {name === "same" ? "the same" : name}
					</li>
				))}
			</ul>
			{report.fail_on ? (
				<p class="notice" role="status">
					{report.failed ? "FAILED" : "Passed"}: --fail-on {report.fail_on.join(",")}.
				</p>
			) : null}
			{splits.enough_streams ? null : (
				<p class="notice" role="status">
					Too few recordings for significance: with {count(report.a.streams)} and{" "}
					{count(report.b.streams)}, p is at least {chance(splits.least_p)}.
				</p>
			)}
		</>
	);
}

function Sets({ report, isPart }: { report: DiffReport; isPart: boolean }) {
	const sides = [
		["A", report.a],
		["B", report.b],
	] as const;
	const other = (side: DiffReport["a"]) => side.other_ns / Math.max(1, side.symptoms);
	return (
		<div class="diff-sets">
			{sides.map(([letter, side]) => (
				<section key={letter} aria-label={`Set ${letter}`}>
					<h2>
						{letter}: <Name text={side.name} most={60} />
					</h2>
					<dl class="facts">
						<div>
							<dt>recordings</dt>
							<dd>{count(side.streams)}</dd>
						</div>
						<div>
							<dt>symptoms</dt>
							<dd>{count(side.symptoms)}</dd>
						</div>
						<div>
							<dt>symptom time</dt>
							<dd>{costIn(report, side.symptom_ns)}</dd>
						</div>
						<div>
							<dt>per symptom</dt>
							<dd>{costIn(report, side.per_symptom_ns)}</dd>
						</div>
						{isPart ? null : (
							<div>
								<dt>in no cluster</dt>
								<dd>
									{costIn(report, other(side))} · {percent(side.other_ns, side.symptom_ns)}
								</dd>
							</div>
						)}
					</dl>
					{side.streams_without_symptom ? (
						<p class="quiet">
							{plural(side.streams_without_symptom, "recording")} without symptoms: left out.
						</p>
					) : null}
				</section>
			))}
		</div>
	);
}

function Notes({ report }: { report: DiffReport }) {
	const { options, splits } = report;
	return (
		<Section title="Data and method">
			<p class="quiet">
				Costs are per symptom, so sets of different sizes are comparable. A change is reported if p
				≤ {ratio(options.level, 2)}, corrected for all{" "}
				{count(report.clusters.length + (report.more ?? 0))} clusters, and if it is at least{" "}
				{costIn(report, options.min_change_ns)} per symptom and {pct(100 * options.min_relative)} of
				the smaller cost. p is from {splits.exact ? "all " : ""}
				{count(splits.tried)} {splits.exact ? "" : "random "}splits of these recordings
				{options.within ? (
					<>
						{" "}
						within each <Name text={options.within} most={40} /> (groups:{" "}
						{count(splits.strata ?? 0)})
					</>
				) : null}
				: the share of splits in which a cluster differs as much. Other differences between the sets
				(another day, another machine) can be significant, too.
			</p>
			<p class="quiet">
				Patterns under λ = {costIn(report, report.lambda_ns)} (
				<Name text={options.lambda} most={80} />) ignored: {plural(report.patterns, "pattern")}.
				Symptoms: <Name text={options.symptoms} most={200} />.
			</p>
			{report.in_both ? (
				<p class="quiet">{plural(report.in_both, "recording")} in both sets: left out.</p>
			) : null}
			{report.repeated ? (
				<p class="quiet">
					{plural(report.repeated, "recording")} more than once in a set: counted once.
				</p>
			) : null}
			<BadInputs
				skipped={[...report.a.skipped, ...report.b.skipped]}
				incomplete={[...report.a.incomplete, ...report.b.incomplete]}
			/>
		</Section>
	);
}
