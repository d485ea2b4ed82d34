// What leaves the page by way of the clipboard.
import { useEffect, useRef, useState } from "preact/hooks";

/** Pages of other hosts without HTTPS have no clipboard but that of a selection. */
function copyBySelection(text: string): boolean {
	const box = document.createElement("textarea");
	box.value = text;
	box.className = "copied-text";
	document.body.append(box);
	box.select();
	const isDone = document.execCommand("copy");
	box.remove();
	return isDone;
}

export async function copyText(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copyBySelection(text);
	}
}

const SAID_MS = 1500;

/** Copies what it makes when it is pressed, and says so for a moment, in as much room. */
export function CopyButton(props: {
	label: string;
	title?: string;
	text: () => string;
	class?: string;
}) {
	const [said, say] = useState("");
	const timer = useRef(0);
	useEffect(() => () => clearTimeout(timer.current), []);
	const copy = async () => {
		say((await copyText(props.text())) ? "Copied" : "Not allowed");
		clearTimeout(timer.current);
		timer.current = window.setTimeout(() => say(""), SAID_MS);
	};
	return (
		<button
			type="button"
			class={`button copy no-print ${props.class ?? ""}`}
			title={props.title}
			onClick={copy}
		>
			<span class={said ? "copy-hidden" : ""}>{props.label}</span>
			<span class="copy-said" aria-live="polite">
				{said}
			</span>
		</button>
	);
}

/** The address of what is seen. */
export function CopyLink() {
	return (
		<CopyButton label="Copy link" title="link to the current view" text={() => location.href} />
	);
}

/** A command line, ready to copy. */
export function Command({ text }: { text: string }) {
	return (
		<span class="command">
			<code>{text}</code> <CopyButton label="Copy command" text={() => text} />
		</span>
	);
}
