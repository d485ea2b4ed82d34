// One signature: what is known of it, what it matches here, and how that went over time.

import { useMemo } from "preact/hooks";
import { costIn, count, measured, pct, visible } from "../../shared/format";
import { goTo, hrefOf } from "../../shared/location";
import { ThingButtons } from "../../shared/opening";
import { Facts, Section } from "../../shared/section";
import { Bug } from "../../shared/signature-columns";
import { type Column, Table } from "../../shared/table";
import { StateBadge } from "./badge";
import { briefOf, type Listed, type Mined } from "./clusters";
import { PatternText } from "./pattern";
import type { Served } from "./served";
import { openSignature, ReadOnlyNote, SignatureActions } from "./signature-card";
import { type Match, matchesOf, type Signature, type Signatures } from "./signatures";
import { Trend } from "./trend";

interface Props {
	report: Mined;
	served: Served;
	signatures: Signatures;
	signature: Signature;
}

export function SignaturePage({ report, served, signatures, signature }: Props) {
	const all = [served.name, "signatures"];
	return (
		<>
			<nav class="cluster-nav no-print" aria-label="Clusters">
				<a href={hrefOf([served.name])}>All clusters</a>
				<a href={hrefOf(all)}>All signatures</a>
			</nav>
			<h1 class="signature-title">
				<bdi>{visible(signature.name)}</bdi> <StateBadge state={signature.state} />
			</h1>
			<ThingButtons />
			<Facts
				items={[
					[
						"matches",
						`${costIn(report, signature.total_ns)} · ${pct(100 * signature.share)} of symptom time`,
					],
					["alone", costIn(report, signature.exclusive_ns)],
					["recordings", `${count(signature.streams)} of ${count(report.streams)}`],
					["symptoms", `${count(signature.symptoms)} of ${count(report.symptoms)}`],
				]}
			/>
			<SignatureActions
				key={signature.name}
				served={served}
				signatures={signatures}
				signature={signature}
				onRenamed={(name) => openSignature(served, name)}
				onDeleted={() => goTo({ path: all, params: new Map() })}
			/>
			<ReadOnlyNote served={served} />
			{served.has("trend") ? (
				<Trend
					served={served}
					of={{ signature: signature.name }}
					what={`signature ${visible(signature.name)}`}
					version={`${signatures.version}`}
				/>
			) : null}
			<Matched report={report} served={served} signatures={signatures} signature={signature} />
			<Section title="Details">
				<dl class="known-facts">
					<Fact title="bug" text={signature.bug} is_bug />
					<Fact title="owner" text={signature.owner} />
					<Fact title="note" text={signature.note} />
					<Fact title="kinds of events" text={signature.kind || "any"} />
					<Fact title="wait reasons" text={signature.reason || "any"} />
					<Fact title="signed" text={signature.created.slice(0, 16).replace("T", " ")} />
					<Fact title="changed" text={signature.updated.slice(0, 16).replace("T", " ")} />
				</dl>
			</Section>
			<Section title="Patterns" note="functions that occur in this order in a stack">
				<div class="patterns" role="group" aria-label="Patterns" tabIndex={0}>
					{signature.patterns.map((pattern) => (
						<PatternText key={pattern} pattern={pattern} />
					))}
				</div>
			</Section>
		</>
	);
}

function Fact({ title, text, is_bug }: { title: string; text: string; is_bug?: boolean }) {
	if (!text) return null;
	return (
		<div>
			<dt>{title}</dt>
			<dd>
				{is_bug ? (
					<Bug text={text} whole />
				) : (
					text.split("\n").map((line, i) => (
						// biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
						<bdi key={i}>{visible(line)}</bdi>
					))
				)}
			</dd>
		</div>
	);
}

interface Row {
	readonly cluster: Listed;
	readonly match: Match;
}

function Matched({ report, served, signatures, signature }: Props) {
	const rows = useMemo((): Row[] => {
		const matches = matchesOf(signatures);
		return report.clusters.flatMap((cluster) => {
			const match = matches.get(cluster.id)?.find((m) => m.name === signature.name);
			return match ? [{ cluster, match }] : [];
		});
	}, [report, signatures.state, signature.name]);
	const columns: Column<Row>[] = [
		{ key: "rank", title: "#", value: (r) => r.cluster.rank, numeric: true, width: "44px" },
		{
			key: "matched_ns",
			title: "matched",
			help: "of the cluster's own cost",
			value: (r) => r.match.matched_ns,
			cell: (r) => costIn(report, r.match.matched_ns),
			numeric: true,
			width: "90px",
		},
		{
			key: "share",
			title: "of cluster",
			value: (r) => r.match.share,
			cell: (r) => pct(100 * r.match.share),
			numeric: true,
			width: "84px",
		},
		{
			key: "own_ns",
			title: "cluster's own",
			value: (r) => r.cluster.own_ns,
			cell: (r) => costIn(report, r.cluster.own_ns),
			numeric: true,
			width: "100px",
		},
		{
			key: "why",
			title: "why",
			value: (r) => r.cluster.why ?? r.cluster.reason,
			cell: (r) => measured(visible(r.cluster.why ?? r.cluster.reason)),
			width: "150px",
		},
		{
			key: "common",
			title: "shared call path",
			value: (r) => briefOf(r.cluster),
			cell: (r) => (
				<span class="mono">
					<bdi>{visible(briefOf(r.cluster))}</bdi>
				</span>
			),
		},
	];
	return (
		<Section title="Clusters that it matches">
			<Table
				name="matched"
				label="Clusters that the signature matches"
				rows={rows}
				columns={columns}
				keyOf={(r) => r.cluster.id}
				search={(r) => briefOf(r.cluster)}
				onSelect={(r) => goTo({ path: [served.name, r.cluster.id], params: new Map() })}
				most={10}
				empty="None: the problem does not occur in these recordings, or costs less than λ."
			/>
		</Section>
	);
}
