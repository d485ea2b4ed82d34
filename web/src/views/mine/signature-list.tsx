// All signatures of the repository, with what each matches in this report.
import { useMemo, useState } from "preact/hooks";
import { Chain } from "../../shared/brief";
import { costIn, count, pct, plural } from "../../shared/format";
import { Pending } from "../../shared/loaded";
import { hrefOf, usePlace } from "../../shared/location";
import { Name } from "../../shared/name";
import { Facts, Section } from "../../shared/section";
import { exclusiveColumns, signatureColumns } from "../../shared/signature-columns";
import { type Column, Table } from "../../shared/table";
import { StateBadge } from "./badge";
import type { Mined } from "./clusters";
import { patternBrief } from "./pattern";
import type { Served } from "./served";
import { openSignature, ReadOnlyNote } from "./signature-card";
import { SignForm } from "./signature-form";
import { type Signature, type Signatures, useMayChange } from "./signatures";

function columnsOf(report: Mined, all: readonly Signature[]): Column<Signature>[] {
	const { name, total, share, owner, bug } = signatureColumns<Signature>(report, report.symptom_ns);
	const { exclusive } = exclusiveColumns(report, all);
	return [
		name,
		{
			key: "state",
			title: "state",
			value: (s) => s.state,
			cell: (s) => <StateBadge state={s.state} />,
			width: "84px",
		},
		total,
		share,
		exclusive,
		{
			key: "streams",
			title: "recordings",
			help: "that have it",
			value: (s) => s.streams,
			cell: (s) => count(s.streams),
			numeric: true,
			width: "76px",
		},
		owner,
		bug,
		{
			key: "updated",
			title: "changed",
			value: (s) => s.updated,
			cell: (s) => s.updated.slice(0, 10),
			width: "82px",
		},
		{
			key: "patterns",
			title: "patterns",
			help: "end of the first pattern",
			value: (s) => s.patterns.join(" | "),
			cell: (s) => (
				<span class="mono one-line">
					<Chain text={patternBrief(s.patterns[0] ?? "")} />
					{s.patterns.length > 1 ? (
						<span class="quiet"> +{count(s.patterns.length - 1)}</span>
					) : null}
				</span>
			),
			width: "minmax(120px, 2fr)",
		},
	];
}

export function SignatureList(props: { report: Mined; served: Served; signatures: Signatures }) {
	const { report, served, signatures } = props;
	const [isNew, setNew] = useState(false);
	const may = useMayChange(served);
	const { state } = signatures;
	const { path } = usePlace();
	const all = state.state === "done" ? state.value : undefined;
	const columns = useMemo(() => columnsOf(report, all?.signatures ?? []), [report, all]);
	const retired = all?.signatures.filter((s) => s.state === "retired") ?? [];
	return (
		<>
			<nav class="cluster-nav no-print" aria-label="Clusters">
				<a href={hrefOf([served.name])}>All clusters</a>
			</nav>
			<h1>Signatures</h1>
			{path[2] && all ? (
				<p class="notice" role="alert">
					Unknown signature <Name text={path[2]} most={60} />.
				</p>
			) : null}
			{all ? (
				<>
					<Facts
						items={[
							["signatures", count(all.signatures.length)],
							["retired", count(retired.length)],
							["known", `${costIn(report, all.covered_ns)} · ${pct(100 * all.coverage)}`],
							["retired only", costIn(report, all.returned_ns)],
						]}
					/>
					<Section
						title="All signatures"
						note={
							<>
								of <Name text={all.path} most={80} />, and what they match in{" "}
								{plural(report.streams, "recording")}
							</>
						}
					>
						<Table
							name="signatures"
							label="Signatures"
							rows={all.signatures}
							columns={columns}
							keyOf={(s) => s.name}
							sort="total_ns"
							search={(s) => [s.name, s.state, s.owner, s.bug, s.note, ...s.patterns].join(" ")}
							onSelect={(s) => openSignature(served, s.name)}
							empty="No signatures yet: sign a cluster, or enter patterns here."
							rowHeight={30}
						/>
						{isNew ? (
							<SignForm
								signatures={signatures}
								cluster={undefined}
								onDone={(name) => openSignature(served, name)}
								onCancel={() => setNew(false)}
							/>
						) : may.state === "done" && may.value ? (
							<p class="form-buttons no-print">
								<button type="button" class="button" onClick={() => setNew(true)}>
									New signature from patterns
								</button>
							</p>
						) : null}
						<ReadOnlyNote served={served} />
					</Section>
				</>
			) : (
				<Pending loaded={state} text="Matching signatures…" height={300} />
			)}
		</>
	);
}
