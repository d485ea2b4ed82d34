// How much of the waiting time is explained.
import { useMemo } from "preact/hooks";
import type { CoverageReport } from "../../data/reports";
import { costIn, count, plural } from "../../shared/format";
import { BadInputs } from "../../shared/inputs";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { Facts, Section } from "../../shared/section";
import { type ViewProps, view } from "../view";
import { CoverageBar } from "./bar";
import { GroupColumns } from "./groups";
import { explaining, hasReturned } from "./parts";
import { SignaturePage } from "./signature";
import { SignatureTable } from "./table";
import "./coverage.css";

export const page = view("lode/coverage/1", "Coverage", CoveragePage);

function CoveragePage(props: ViewProps<CoverageReport>) {
	const { report, path, reference } = props;
	const named = useMemo(() => explaining(report), [report]);
	const signature = path[0] ? report.signatures.find((s) => s.name === path[0]) : undefined;
	if (signature)
		return <SignaturePage report={report} reference={reference} signature={signature} />;
	const returned = report.signatures.filter(hasReturned);
	return (
		<>
			<h1>How much of the waiting time is explained</h1>
			{path[0] ? (
				<p class="notice" role="alert">
					This report has no signature <Name text={path[0]} most={60} />.
				</p>
			) : null}
			<Opening report={report} />
			{returned.length ? (
				<p class="notice" role="status">
					Came back although retired:{" "}
					{returned.slice(0, 5).map((s, i) => (
						<span key={s.name}>
							{i ? ", " : ""}
							<b>
								<Name text={s.name} most={60} />
							</b>{" "}
							({costIn(report, s.total_ns)} in {plural(s.streams, "recording")})
						</span>
					))}
					{returned.length > 5 ? ` and ${count(returned.length - 5)} more` : ""}.
				</p>
			) : null}
			{report.not_mined ? (
				<p class="notice">
					The rest was not mined: <Name text={report.not_mined} most={400} />.
				</p>
			) : null}
			<Facts
				items={[
					["recordings", count(report.streams)],
					["symptoms", count(report.symptoms)],
					["symptom time", costIn(report, report.symptom_ns)],
					["area of interest", costIn(report, report.aoi_ns)],
					["explained", costIn(report, report.covered_ns)],
					["not explained", costIn(report, report.aoi_ns - report.covered_ns)],
					report.returned_ns
						? ["matched by retired signatures only", costIn(report, report.returned_ns)]
						: null,
				]}
			/>
			<Section
				title="Coverage"
				note="symptom time by signature: explained by one alone, shared by several, come back, not explained"
			>
				<CoverageBar report={report} reference={reference} named={named} />
			</Section>
			<SignatureTable report={report} reference={reference} />
			{report.groups && report.by ? (
				<GroupColumns
					report={report}
					reference={reference}
					named={named}
					groups={report.groups}
					by={report.by}
				/>
			) : null}
			<BadInputs skipped={report.skipped} incomplete={report.incomplete} />
		</>
	);
}
