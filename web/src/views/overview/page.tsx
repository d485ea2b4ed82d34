// The first page of several reports: what was there, and what each analysis found.
import type { AnalyzeReport } from "../../data/reports";
import { count } from "../../shared/format";
import { hrefOf } from "../../shared/location";
import { Name } from "../../shared/name";
import { Facts, Section } from "../../shared/section";
import type { ViewProps } from "../view";
import "./overview.css";

type Run = AnalyzeReport["runs"][number];

const QUESTIONS: Record<Run["analysis"], string> = {
	mine: "What made users wait",
	suspects: "What goes with slow executions",
	timeline: "What all threads did, and which calls took long",
	pio: "When it was slow, and which server",
	page: "A report of before",
};

function Command({ text }: { text: string }) {
	return (
		<p class="overview-command">
			<code>
				<Name text={text} most={600} />
			</code>
		</p>
	);
}

function RunCard({ run }: { run: Run }) {
	const heading = (
		<>
			<span class="overview-question">{QUESTIONS[run.analysis]}</span>{" "}
			<span class="quiet">
				{run.analysis} · <Name text={run.title} most={80} />
			</span>
		</>
	);
	return (
		<li class="overview-run">
			<h3>{run.report === null ? heading : <a href={hrefOf([run.report])}>{heading}</a>}</h3>
			<p class="overview-summary">
				{run.report === null ? (
					`Gave no report (exit code ${run.exit_code}).`
				) : (
					<Name text={run.summary} most={200} />
				)}
			</p>
			{run.details.length ? (
				<ul class="overview-details">
					{run.details.map((text) => (
						<li key={text}>
							<Name text={text} most={200} />
						</li>
					))}
				</ul>
			) : null}
			{run.report !== null && run.exit_code !== 0 ? (
				<p class="quiet">Some of its input was skipped or incomplete.</p>
			) : null}
			{run.command ? <Command text={run.command} /> : null}
		</li>
	);
}

export function OverviewPage({ report }: ViewProps<AnalyzeReport>) {
	const { found } = report;
	const facts: ReadonlyArray<readonly [string, number]> = [
		["recordings", found.recordings],
		["function traces", found.function_traces],
		["request logs", found.request_logs],
		["counter files", found.counter_files],
		["models", found.models],
		["pages", found.pages],
		["other files", found.other_files],
	];
	return (
		<>
			<h1>What was found</h1>
			<Facts items={facts.map(([name, n]) => (n ? [name, count(n)] : null))} />
			<ol class="overview-runs">
				{report.runs.map((run) => (
					<RunCard key={`${run.analysis} ${run.title}`} run={run} />
				))}
			</ol>
			{report.unread.length ? (
				<Section title="Files that could not be opened">
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
