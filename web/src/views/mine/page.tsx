import { useMemo } from "preact/hooks";
import type { MineReport } from "../../data/reports";
import { costIn, count, percent, plural } from "../../shared/format";
import { Pending } from "../../shared/loaded";
import { hrefOf, useArrival } from "../../shared/location";
import { Opening } from "../../shared/opening";
import { Facts } from "../../shared/section";
import { type ViewProps, view } from "../view";
import { ClusterPage } from "./cluster";
import type { Listed } from "./clusters";
import { isNamed } from "./clusters";
import { Compare } from "./compare";
import { useDetail } from "./detail";
import { type Filter, type Filtered, filteredDetail } from "./filter";
import { Filters, useFilter } from "./filters";
import { ClusterList } from "./list";
import { MineNotes } from "./notes";
import { type Served, servedOf } from "./served";
import { SignatureList } from "./signature-list";
import { SignaturePage } from "./signature-page";
import { type Signatures, useMayChange, useSignatures } from "./signatures";
import { SourcePage } from "./source";
import "./mine.css";

export const page = view("lode/mine/1", "Mine", MinePage);

function MinePage(props: ViewProps<MineReport>) {
	const { report: whole, path, reference, source } = props;
	const { filter, filtered } = useFilter(whole);
	const report = filtered?.report ?? whole;
	const served = servedOf(source, reference.name, whole);
	const signatures = useSignatures(served);
	if (path[0] === "signatures" && served && signatures)
		return <SignaturesAt {...props} served={served} signatures={signatures} name={path[1]} />;
	if (path[0] === "source" && served?.has("source"))
		return <SourcePage served={served} reference={reference} />;
	// One that the filter leaves nothing of is still there.
	const cluster = path[0]
		? (report.clusters.find((c) => isNamed(c, path[0]!)) ??
			whole.clusters.find((c) => isNamed(c, path[0]!)))
		: undefined;
	if (cluster)
		return (
			<OneCluster
				{...props}
				listed={cluster}
				served={served}
				signatures={signatures}
				filter={filter}
				filtered={filtered}
			/>
		);
	const explained = report.aoi.wait_ns + report.aoi.run_ns + report.aoi.ready_ns - report.other_ns;
	const known = signatures?.state.state === "done" ? signatures.state.value : undefined;
	return (
		<>
			<div class="head">
				<h1>What made users wait</h1>
				<span class="spring" />
				{signatures ? <a href={hrefOf([reference.name, "signatures"])}>Signatures</a> : null}
			</div>
			{path[0] ? (
				<p class="notice" role="alert">
					This report has no{" "}
					{path[0] === "signatures"
						? "signatures: lode serve --repo has"
						: path[0] === "source"
							? "source: lode serve has"
							: `cluster ${path[0].slice(0, 40)}`}
					.
				</p>
			) : null}
			<Opening report={report} />
			<Filters
				report={whole}
				filter={filter}
				filtered={filtered}
				beside="The summary above is not filtered."
			/>
			<Facts
				items={[
					["symptom time", costIn(report, report.symptom_ns)],
					["symptoms", count(report.symptoms)],
					["recordings", count(report.streams)],
					["clusters", count(report.clusters.length + (report.more ?? 0))],
					["patterns", count(report.patterns)],
					["explained", percent(explained, explained + report.other_ns)],
					signatures ? ["known", known ? percent(known.covered_ns, known.symptom_ns) : "…"] : null,
					["waiting", costIn(report, report.aoi.wait_ns)],
					["running", costIn(report, report.aoi.run_ns)],
					["ready, waiting for a CPU", costIn(report, report.aoi.ready_ns)],
				]}
			/>
			<ClusterList
				report={report}
				reference={reference}
				signatures={signatures}
				isFiltered={filtered !== null}
			/>
			{served?.has("compare") ? <Compare report={whole} reference={reference} /> : null}
			{report.more ? (
				<p class="quiet">{plural(report.more, "smaller cluster")} are not in this report.</p>
			) : null}
			<MineNotes report={report} />
		</>
	);
}

const BESIDE = "Title, shared call path, wakers, critical paths and patterns are not filtered.";

function OneCluster(
	props: ViewProps<MineReport> & {
		listed: Listed;
		served: Served | undefined;
		signatures: Signatures | null;
		filter: Filter;
		filtered: Filtered | null;
	},
) {
	const { report, reference, source, listed, served, signatures, filter, filtered } = props;
	const detail = useDetail(report, listed, source, reference.name, served);
	useArrival(detail.state !== "loading", listed.id); // once the page is as long as it was
	const done = detail.state === "done" ? detail.value : { report, cluster: listed };
	const shown = useMemo(
		() => (filtered ? filteredDetail(done, filtered, filter) : done),
		[done.report, done.cluster, filtered],
	);
	return (
		<ClusterPage
			report={shown.report}
			reference={reference}
			cluster={shown.cluster}
			detail={detail}
			served={served}
			signatures={signatures}
			filter={filtered ? filter : undefined}
			passes={filtered?.passes}
			filters={<Filters report={report} filter={filter} filtered={filtered} beside={BESIDE} />}
		/>
	);
}

function SignaturesAt(
	props: ViewProps<MineReport> & {
		served: Served;
		signatures: Signatures;
		name: string | undefined;
	},
) {
	const { signatures, name } = props;
	const { state } = signatures;
	const may = useMayChange(props.served);
	if (may.state === "loading") return <Pending loaded={may} text="Matching signatures…" />;
	const signature =
		state.state === "done" ? state.value.signatures.find((s) => s.name === name) : undefined;
	return signature ? (
		<SignaturePage {...props} signature={signature} />
	) : (
		<SignatureList {...props} />
	);
}
