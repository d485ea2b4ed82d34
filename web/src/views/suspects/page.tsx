import type { SuspectsReport } from "../../data/reports";
import { count, percent } from "../../shared/format";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { Facts, Section } from "../../shared/section";
import { type ViewProps, view } from "../view";
import { Contrasts } from "./contrasts";
import { ListFilters, useListFilter } from "./filter";
import { FunctionPage } from "./function";
import { Functions } from "./functions";
import { Metrics } from "./metrics";
import { isVersus, nameOf } from "./model";
import "./suspects.css";

export const page = view("lode/suspects/1", "Suspects", SuspectsPage);

function SuspectsPage(props: ViewProps<SuspectsReport>) {
	const { report: whole, reference, path } = props;
	const shown = useListFilter(whole);
	const { report } = shown;
	if (path[0]) {
		const details = whole.details?.find((x) => nameOf(x) === path[0]);
		const suspect = whole.functions.find((f) => nameOf(f) === path[0]);
		if (details || suspect)
			return (
				<FunctionPage
					report={whole}
					reference={reference}
					details={details}
					suspect={suspect}
					name={path[0]}
				/>
			);
	}
	const versus = isVersus(report);
	return (
		<>
			<h1>
				{versus ? "What is slower or more frequent in A than in B" : "What is linked to slow calls"}
			</h1>
			{path[0] ? (
				<p class="notice" role="alert">
					This report has no function <Name text={path[0]} />.
				</p>
			) : null}
			<Opening report={whole} />
			<Facts
				items={[
					["calls measured", count(report.executions)],
					versus
						? null
						: ["slow", `${count(report.failed)} · ${percent(report.failed, report.executions)}`],
					versus ? null : ["not slow", count(report.succeeded)],
					versus
						? null
						: ["kinds of calls", count(whole.metrics.length + (whole.metrics_more ?? 0))],
					["functions", count(report.functions_total)],
					[versus ? "recordings in A" : "recordings", count(report.streams.length)],
					report.other_streams
						? [versus ? "recordings in B" : "baseline", count(report.other_streams.length)]
						: null,
				]}
			/>
			<ListFilters whole={whole} shown={shown} />
			{versus ? <Functions report={report} reference={reference} /> : null}
			<Contrasts report={report} reference={reference} />
			{versus ? null : <Functions report={report} reference={reference} />}
			<Metrics report={report} />
			<Notes report={whole} />
		</>
	);
}

function Notes({ report }: { report: SuspectsReport }) {
	const bad = [...report.skipped, ...report.incomplete];
	return (
		<Section title="Data and method">
			<p class="quiet">
				{isVersus(report) ? (
					"Calls in A's recordings (the paper's failed executions) are compared with those in B's. "
				) : (
					<>
						Slow calls (the paper's failed executions):{" "}
						<Name text={report.options.thresholds} most={200} />.{" "}
					</>
				)}
				Increase is Failure (the share of slow calls where the function is the innermost) minus
				Context (where it is anywhere in the stack). q: the probability of such an association by
				chance, by Fisher's exact test, <Name text={report.options.correction} /> over{" "}
				{count(report.groups)} groups of functions and {count(report.contrast_tests)} callers. A
				correlation is not a cause.
			</p>
			{report.notes.length + bad.length ? (
				<ul class="bad-inputs">
					{report.notes.map((n) => (
						<li key={`${n.path} ${n.text}`}>
							<Name text={n.text} most={400} />
						</li>
					))}
					{bad.map((s) => (
						<li key={s.path}>
							<Name text={s.path} />: <Name text={s.reason} most={400} />
						</li>
					))}
				</ul>
			) : null}
			<p class="quiet">
				{report.streams.slice(0, 20).map((s) => (
					<span key={s} class="stream-name">
						<Name text={s} />
					</span>
				))}
				{report.streams.length > 20 ? ` and ${count(report.streams.length - 20)} more` : ""}
			</p>
		</Section>
	);
}
