// One signature with what can be done to it: edit and rename, retire and activate, delete.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../shared/format";
import { goTo } from "../../shared/location";
import type { Served } from "./served";
import { EditForm, useChange } from "./signature-form";
import { type Signature, type Signatures, useMayChange } from "./signatures";

interface ActionsProps {
	served: Served;
	signatures: Signatures;
	signature: Signature;
	/** After it was renamed. */
	onRenamed?: (name: string) => void;
	onDeleted?: () => void;
}

/** Where the page of a signature is. */
export function openSignature(served: Served, name: string) {
	goTo({ path: [served.name, "signatures", name], params: new Map() });
}

/** A name that leads to the page of the signature: a button, since names are never in an href. */
export function SignatureLink({ served, name }: { served: Served; name: string }) {
	return (
		<button type="button" class="link" onClick={() => openSignature(served, name)}>
			<bdi>{visible(name)}</bdi>
		</button>
	);
}

/** Why nothing can be changed; nothing where it can. */
export function ReadOnlyNote({ served }: { served: Served }) {
	const may = useMayChange(served);
	if (may.state === "loading" || (may.state === "done" && may.value)) return null;
	return (
		<p class="quiet read-only">
			{may.state === "failed" ? (
				<bdi>{visible(may.reason)}</bdi>
			) : (
				<>
					Read-only: this browser has no token. To make changes, open the address with{" "}
					<code>?token=</code> that <code>lode serve</code> printed.
				</>
			)}
		</p>
	);
}

export function SignatureActions(props: ActionsProps) {
	const { served, signatures, signature } = props;
	const [mode, setMode] = useState<"" | "edit" | "delete">("");
	const may = useMayChange(served);
	const { busy, error, run } = useChange(() => {
		if (mode === "delete") props.onDeleted?.();
		setMode("");
	});
	if (may.state !== "done" || !may.value) return null;
	const { name, state } = signature;
	const turn = state === "active" ? "retire" : "activate";
	if (mode === "edit")
		return (
			<EditForm
				signatures={signatures}
				signature={signature}
				onCancel={() => setMode("")}
				onDone={(now) => {
					setMode("");
					if (now !== name) props.onRenamed?.(now);
				}}
			/>
		);
	const buttons: ComponentChildren =
		mode === "delete" ? (
			<>
				<span role="alert">Delete permanently?</span>
				<button
					type="button"
					class="button danger"
					disabled={busy}
					onClick={() => run(() => signatures.change("delete", { name }))}
				>
					Delete
				</button>
				<button type="button" class="button" onClick={() => setMode("")}>
					Keep
				</button>
			</>
		) : (
			<>
				<button type="button" class="button" onClick={() => setMode("edit")}>
					Edit
				</button>
				<button
					type="button"
					class="button"
					disabled={busy}
					title={
						turn === "retire"
							? "mark as fixed: no longer counted as explained, and reported if it comes back"
							: "count it as explained again"
					}
					onClick={() => run(() => signatures.change(turn, { name }))}
				>
					{turn === "retire" ? "Retire" : "Activate"}
				</button>
				<button type="button" class="button" onClick={() => setMode("delete")}>
					Delete…
				</button>
			</>
		);
	return (
		<>
			<p class="form-buttons no-print">{buttons}</p>
			{error ? (
				<p class="notice" role="alert">
					<bdi>{visible(error)}</bdi>
				</p>
			) : null}
		</>
	);
}
