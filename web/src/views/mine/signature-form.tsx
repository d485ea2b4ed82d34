// Signing a cluster, and changing what is known of a signature. What is wrong is said by the server,
// which knows names and patterns; the form keeps what was typed.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { reasonOf } from "../../data/source";
import { plural, visible } from "../../shared/format";
import { KINDS } from "../../shared/kinds";
import type { Cluster } from "./clusters";
import { PatternText } from "./pattern";
import type { Signature, Signatures } from "./signatures";

const lines = (text: string) =>
	text
		.split("\n")
		.map((line) => line.trim())
		.filter(Boolean);

function Field(props: {
	label: string;
	value: string;
	onInput: (value: string) => void;
	hint?: string;
	rows?: number;
	required?: boolean;
	mono?: boolean;
	first?: boolean;
}) {
	const box = useRef<HTMLInputElement>(null);
	useEffect(() => {
		if (props.first) box.current?.focus({ preventScroll: true });
	}, []);
	const id = useId();
	const common = {
		id,
		value: props.value,
		placeholder: props.hint,
		spellcheck: false,
		autocomplete: "off",
		required: props.required,
		class: props.mono ? "mono" : undefined,
	};
	return (
		<div class="field">
			<label for={id}>{props.label}</label>
			{props.rows ? (
				<textarea
					{...common}
					rows={props.rows}
					onInput={(event) => props.onInput(event.currentTarget.value)}
				/>
			) : (
				<input
					{...common}
					type="text"
					ref={box}
					onInput={(event) => props.onInput(event.currentTarget.value)}
				/>
			)}
		</div>
	);
}

/** What narrows a signature to some events; as `lode sign` takes it, and the server checks. */
function Narrow(props: {
	kind: string;
	reason: string;
	onKind: (value: string) => void;
	onReason: (value: string) => void;
}) {
	return (
		<div class="field-row">
			<div class="field" role="group" aria-label="Kinds of events">
				<span>Kinds of events; none: any</span>
				<span class="kind-choices">
					{KINDS.map(({ key, title }) => {
						const name = key.replace("_ns", "");
						const chosen = namesIn(props.kind);
						return (
							<label key={key}>
								<input
									type="checkbox"
									checked={chosen.includes(name)}
									onChange={(event) =>
										props.onKind(
											KIND_NAMES.filter((other) =>
												other === name ? event.currentTarget.checked : chosen.includes(other),
											).join(","),
										)
									}
								/>{" "}
								{title}
							</label>
						);
					})}
				</span>
			</div>
			<Field
				label="Wait reasons, joined by commas"
				value={props.reason}
				onInput={props.onReason}
				hint="such as lock,disk; empty: any"
				mono
			/>
		</div>
	);
}

/** As the engine names them, in its order. */
const KIND_NAMES = ["run", "wait", "ready"] as const;

const namesIn = (text: string) =>
	text
		.split(",")
		.map((name) => name.trim())
		.filter(Boolean);

/** The same names, however they are written. */
const same = (a: string, b: string) => namesIn(a).join() === namesIn(b).join();

/** What all forms end with: what went wrong, and the buttons. */
function Ending(props: { error: string; busy: boolean; submit: string; onCancel: () => void }) {
	return (
		<>
			{props.error ? (
				<p class="notice" role="alert">
					<bdi>{visible(props.error)}</bdi>
				</p>
			) : null}
			<p class="form-buttons">
				<button type="submit" class="button primary" disabled={props.busy}>
					{props.busy ? "Saving…" : props.submit}
				</button>
				<button type="button" class="button" onClick={props.onCancel}>
					Cancel
				</button>
			</p>
		</>
	);
}

/** Runs a change: busy while it lasts, then done, or what the server said. */
export function useChange(onDone: () => void) {
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState("");
	const run = async (change: () => Promise<void>) => {
		if (busy) return;
		setBusy(true);
		setError("");
		try {
			await change();
			onDone();
		} catch (failure) {
			setError(reasonOf(failure));
		} finally {
			setBusy(false);
		}
	};
	return { busy, error, run };
}

function Form(props: {
	label: string;
	onSubmit: () => void;
	onCancel: () => void;
	children: ComponentChildren;
}) {
	return (
		<form
			class="form no-print"
			aria-label={props.label}
			onSubmit={(event) => {
				event.preventDefault();
				props.onSubmit();
			}}
			onKeyDown={(event) => {
				if (event.key === "Escape") props.onCancel();
				event.stopPropagation(); // letters are text here, not keys of the page
			}}
		>
			{props.children}
		</form>
	);
}

interface SignProps {
	signatures: Signatures;
	/** Undefined: of typed patterns alone. */
	cluster: Cluster | undefined;
	onDone: (name: string) => void;
	onCancel: () => void;
}

export function SignForm({ signatures, cluster, onDone, onCancel }: SignProps) {
	const [name, setName] = useState("");
	const [bug, setBug] = useState("");
	const [owner, setOwner] = useState("");
	const [note, setNote] = useState("");
	const [kind, setKind] = useState(cluster?.signature.kind ?? "");
	const [reason, setReason] = useState("");
	const [typed, setTyped] = useState("");
	const { busy, error, run } = useChange(() => onDone(name.trim()));
	const taken = cluster?.signature.patterns ?? [];
	const submit = () => {
		const patterns = lines(typed);
		const body = {
			name: name.trim(),
			...(cluster ? { cluster: cluster.id } : {}),
			...(bug.trim() ? { bug: bug.trim() } : {}),
			...(owner.trim() ? { owner: owner.trim() } : {}),
			...(note.trim() ? { note: note.trim() } : {}),
			...(same(kind, cluster?.signature.kind ?? "") ? {} : { kind }),
			...(reason.trim() ? { reason: reason.trim() } : {}),
			...(patterns.length ? { patterns } : {}),
		};
		run(() => signatures.change("sign", body));
	};
	return (
		<Form
			label={cluster ? `Sign cluster ${cluster.rank}` : "New signature"}
			onSubmit={submit}
			onCancel={onCancel}
		>
			<Field label="Name" value={name} onInput={setName} hint="slow-path-lookup" required first />
			<Field label="Bug" value={bug} onInput={setBug} hint="number or URL" />
			<Field label="Owner" value={owner} onInput={setOwner} />
			<Field label="Note" value={note} onInput={setNote} rows={2} />
			<Narrow kind={kind} reason={reason} onKind={setKind} onReason={setReason} />
			{taken.length ? (
				<div class="field">
					<span>{plural(taken.length, "pattern")} of the cluster</span>
					<div class="patterns" role="group" aria-label="Patterns" tabIndex={0}>
						{taken.map((pattern) => (
							<PatternText key={pattern} pattern={pattern} />
						))}
					</div>
				</div>
			) : null}
			<Field
				label={taken.length ? "Additional patterns, one per line" : "Patterns, one per line"}
				value={typed}
				onInput={setTyped}
				rows={2}
				hint="path_canonicalize;lstat"
				required={!taken.length}
				mono
			/>
			<Ending error={error} busy={busy} submit="Sign" onCancel={onCancel} />
		</Form>
	);
}

interface EditProps {
	signatures: Signatures;
	signature: Signature;
	/** With its name, which may be another. */
	onDone: (name: string) => void;
	onCancel: () => void;
}

export function EditForm({ signatures, signature, onDone, onCancel }: EditProps) {
	const [name, setName] = useState(signature.name);
	const [bug, setBug] = useState(signature.bug);
	const [owner, setOwner] = useState(signature.owner);
	const [note, setNote] = useState(signature.note);
	const [kind, setKind] = useState(signature.kind);
	const [reason, setReason] = useState(signature.reason);
	const [dropped, setDropped] = useState<ReadonlySet<string>>(new Set());
	const [typed, setTyped] = useState("");
	const { busy, error, run } = useChange(() => onDone(name.trim()));
	const toggle = (pattern: string) => {
		const next = new Set(dropped);
		if (!next.delete(pattern)) next.add(pattern);
		setDropped(next);
	};
	const submit = () => {
		const add = lines(typed);
		const changed = (key: "bug" | "owner" | "note", value: string) =>
			value.trim() === signature[key] ? {} : { [key]: value.trim() };
		const body = {
			name: signature.name,
			...(name.trim() === signature.name ? {} : { rename: name.trim() }),
			...changed("bug", bug),
			...changed("owner", owner),
			...changed("note", note),
			...(same(kind, signature.kind) ? {} : { kind }),
			...(same(reason, signature.reason) ? {} : { reason: namesIn(reason).join() }),
			...(add.length ? { add } : {}),
			...(dropped.size ? { drop: [...dropped] } : {}),
		};
		if (Object.keys(body).length === 1) onCancel();
		else run(() => signatures.change("edit", body));
	};
	return (
		<Form label={`Edit ${visible(signature.name)}`} onSubmit={submit} onCancel={onCancel}>
			<Field label="Name" value={name} onInput={setName} required first />
			<Field label="Bug" value={bug} onInput={setBug} />
			<Field label="Owner" value={owner} onInput={setOwner} />
			<Field label="Note" value={note} onInput={setNote} rows={2} />
			<Narrow kind={kind} reason={reason} onKind={setKind} onReason={setReason} />
			<div class="field">
				<span>Patterns; unchecked ones are removed</span>
				<div class="patterns" role="group" aria-label="Patterns" tabIndex={0}>
					{signature.patterns.map((pattern, i) => (
						<label key={pattern} class="pattern-choice">
							<input
								type="checkbox"
								checked={!dropped.has(pattern)}
								onChange={() => toggle(pattern)}
								aria-label={`Pattern ${i + 1}`}
							/>
							<PatternText pattern={pattern} />
						</label>
					))}
				</div>
			</div>
			<Field
				label="Additional patterns, one per line"
				value={typed}
				onInput={setTyped}
				rows={2}
				mono
			/>
			<Ending error={error} busy={busy} submit="Save" onCancel={onCancel} />
		</Form>
	);
}
