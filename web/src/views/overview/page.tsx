// The first page of several reports: what was there, and what each analysis found.
import type { AnalyzeReport } from "../../data/reports";
import { PartBar } from "../../shared/bars";
import { measured, pct, plural } from "../../shared/format";
import { hrefOf } from "../../shared/location";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { Section } from "../../shared/section";
import { distinguish } from "../../shared/titles";
import { type ViewProps, view } from "../view";
import "./overview.css";

type Run = AnalyzeReport["runs"][number];
type Finding = Run["details"][number];

const QUESTIONS: Readonly<Record<string, string>> = {
	mine: "What made users wait",
	triage: "What is known, and what is new",
	suspects: "What is linked to slow calls",
	timeline: "Which calls took unusually long",
	pio: "When the service was slow, and which server caused it",
	diff: "What changed",
	next: "Which recordings to review next",
	coverage: "How much signatures explain",
};

/** An existing report is named for its command: "mine", "mine-2". */
function questionOf({ analysis, report }: Run): string {
	const of = analysis === "page" ? (/^[a-z]+/.exec(report ?? "")?.[0] ?? "") : analysis;
	return QUESTIONS[of] ?? "An existing report";
}

/** Numbers that a line begins with, and its words: "34.0 %  7.57 s  lookup: disk". */
function FindingLine({ report, finding }: { report: string | null; finding: Finding }) {
	const { share, path, params } = finding;
	const parts = finding.text.split(/ {2,}/);
	const words = parts.pop() ?? "";
	const text = <Name text={measured(words)} most={200} />;
	const isPlace = report !== null && (path.length > 0 || Object.keys(params).length > 0);
	return (
		<li class="finding">
			{share === undefined ? null : (
				<PartBar
					parts={[[share, "var(--mark)"]]}
					whole={1}
					label={`${pct(100 * share)} of the total`}
				/>
			)}
			{parts.map((number) => (
				<span key={number} class="finding-number">
					<Name text={measured(number)} most={40} />{" "}
				</span>
			))}
			<span class="finding-words">
				{isPlace ? <a href={hrefOf([report, ...path], params)}>{text}</a> : text}
			</span>
		</li>
	);
}

function RunCard({ run, title }: { run: Run; title: string }) {
	const question = questionOf(run);
	return (
		<li class="overview-run">
			<div>
				<h2>{run.report === null ? question : <a href={hrefOf([run.report])}>{question}</a>}</h2>
				<p class="quiet overview-of">
					{run.analysis === "page" ? "existing report " : ""}
					<Name text={title} most={80} />
				</p>
			</div>
			<div>
				{run.report === null ? (
					<p class="overview-summary">No report (exit code {run.exit_code}). To see why, run:</p>
				) : (
					<p class="overview-summary">
						<Name text={measured(run.summary || "See the report.")} most={600} />
					</p>
				)}
				{run.details.length ? (
					<ol class="findings">
						{run.details.map((finding) => (
							<FindingLine key={finding.text} report={run.report} finding={finding} />
						))}
					</ol>
				) : null}
				{run.report !== null && run.exit_code !== 0 ? (
					<p class="quiet">Some input was skipped or incomplete: see the report.</p>
				) : null}
				{run.command ? (
					<p class="overview-command">
						<code>
							<Name text={run.command} most={600} />
						</code>
					</p>
				) : null}
			</div>
		</li>
	);
}

export const page = view("lode/analyze/1", "Overview", OverviewPage);

function OverviewPage({ report }: ViewProps<AnalyzeReport>) {
	const { found } = report;
	const kinds: ReadonlyArray<readonly [number, string]> = [
		[found.recordings, "recording"],
		[found.function_traces, "function trace"],
		[found.request_logs, "request log"],
		[found.counter_files, "counter file"],
		[found.models, "model"],
		[found.pages, "page"],
		[found.other_files, "other file"],
	];
	const inputs = kinds.filter(([n]) => n > 0).map(([n, noun]) => plural(n, noun));
	// One folder may be of two analyses: it is called the same in both.
	const titles = [...new Set(report.runs.map((run) => run.title))];
	const short = new Map(distinguish(titles).map((text, i) => [titles[i], text]));
	return (
		<>
			<h1>Findings</h1>
			<Opening report={report} />
			<p class="quiet overview-inputs">
				in {inputs.join(", ") || "nothing"}
				{found.other_files ? " skipped" : ""}
			</p>
			<ol class="overview-runs">
				{report.runs.map((run) => (
					<RunCard
						key={`${run.analysis} ${run.title}`}
						run={run}
						title={short.get(run.title) ?? run.title}
					/>
				))}
			</ol>
			{report.unread.length ? (
				<Section title="Files that could not be read">
					<ul class="bad-inputs">
						{report.unread.map((file) => (
							<li key={file.path}>
								<Name text={file.path} />: <Name text={file.reason} most={400} />
							</li>
						))}
					</ul>
				</Section>
			) : null}
		</>
	);
}
