// From one thing of a list to the next: links above it, and the keys `[` and `]`.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { goTo, hrefOf } from "./location";

/** A thing of the list; `path` as goTo takes it. */
export interface Step {
	readonly path: readonly string[];
	readonly text: ComponentChildren;
}

/** `label` names the links for who hears them; `all` is the list itself. */
export function Steps(props: {
	label: string;
	all: Step;
	before: Step | undefined;
	after: Step | undefined;
}) {
	const { all, before, after } = props;
	useEffect(() => {
		const key = (event: KeyboardEvent) => {
			if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
			const step = event.key === "[" ? before : event.key === "]" ? after : undefined;
			if (step) goTo({ path: step.path, params: new Map() });
		};
		addEventListener("keydown", key);
		return () => removeEventListener("keydown", key);
	}, [before?.path.join("/"), after?.path.join("/")]);
	return (
		<nav class="cluster-nav no-print" aria-label={props.label}>
			<a href={hrefOf(all.path)}>{all.text}</a>
			<span class="spring" />
			{before ? (
				<a href={hrefOf(before.path)} title="key [">
					‹ {before.text}
				</a>
			) : null}
			{after ? (
				<a href={hrefOf(after.path)} title="key ]">
					{after.text} ›
				</a>
			) : null}
		</nav>
	);
}
