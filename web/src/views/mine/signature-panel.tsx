// The signatures of one cluster: which match it, with how much of its cost; and signing it.
import { useState } from "preact/hooks";
import { PartBar } from "../../shared/bars";
import { costIn, pct, visible } from "../../shared/format";
import { Pending } from "../../shared/loaded";
import { hrefOf } from "../../shared/location";
import { Section } from "../../shared/section";
import { Bug } from "../../shared/signature-columns";
import { StateBadge } from "./badge";
import type { Cluster, Mined } from "./clusters";
import type { Served } from "./served";
import { ReadOnlyNote, SignatureActions, SignatureLink } from "./signature-card";
import { SignForm } from "./signature-form";
import { type Match, matchesOf, type Signature, type Signatures, useMayChange } from "./signatures";

interface Props {
	report: Mined;
	cluster: Cluster;
	served: Served;
	signatures: Signatures;
}

export function SignaturePanel(props: Props) {
	const { cluster, served, signatures } = props;
	const [isSigning, setSigning] = useState(false);
	const may = useMayChange(served);
	const { state } = signatures;
	const matches = matchesOf(signatures).get(cluster.id) ?? [];
	return (
		<Section
			title="Signatures"
			tools={
				<a class="no-print" href={hrefOf([served.name, "signatures"])}>
					All signatures
				</a>
			}
		>
			{state.state !== "done" ? (
				<Pending loaded={state} text="Matching signatures…" height={56} />
			) : (
				<>
					{matches.length ? null : <p class="quiet">No signature matches this cluster.</p>}
					{matches.map((match) => (
						<MatchRow
							key={match.name}
							{...props}
							match={match}
							signature={state.value.signatures.find((s) => s.name === match.name)}
						/>
					))}
					{isSigning ? (
						<SignForm
							signatures={signatures}
							cluster={cluster}
							onDone={() => setSigning(false)}
							onCancel={() => setSigning(false)}
						/>
					) : may.state === "done" && may.value ? (
						<p class="form-buttons no-print">
							<button type="button" class="button" onClick={() => setSigning(true)}>
								Sign this cluster
							</button>
						</p>
					) : null}
					<ReadOnlyNote served={served} />
				</>
			)}
		</Section>
	);
}

function MatchRow(props: Props & { match: Match; signature: Signature | undefined }) {
	const { report, cluster, served, signatures, match, signature } = props;
	const label = `matches ${pct(100 * match.share)} of the cluster's own cost`;
	return (
		<div class="match">
			<p class="match-head">
				<SignatureLink served={served} name={match.name} />
				<StateBadge state={match.state} />
				<span class="spring" />
				<span title={label}>{pct(100 * match.share)}</span>
			</p>
			<PartBar
				parts={[[match.matched_ns, match.state === "active" ? "var(--good)" : "var(--mark)"]]}
				whole={cluster.own_ns}
				label={label}
			/>
			<p class="quiet match-facts">
				{costIn(report, match.matched_ns)} of {costIn(report, cluster.own_ns)}
				{signature?.owner ? (
					<>
						{" "}
						· <bdi>{visible(signature.owner)}</bdi>
					</>
				) : null}
				{signature?.bug ? (
					<>
						{" "}
						· <Bug text={signature.bug} whole />
					</>
				) : null}
			</p>
			{signature ? (
				<SignatureActions served={served} signatures={signatures} signature={signature} />
			) : null}
		</div>
	);
}
