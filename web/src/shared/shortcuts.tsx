// The keys of what is shown: views say theirs, and `?` lists them.
import { useEffect, useRef, useState } from "preact/hooks";

export type Shortcut = readonly [keys: string, what: string];

interface Group {
	readonly title: string;
	readonly keys: readonly Shortcut[];
}

const shown = new Set<Group>();

/** Lists keys under a heading as long as the view is there. */
export function useShortcuts(title: string, keys: readonly Shortcut[]) {
	useEffect(() => {
		const group = { title, keys };
		shown.add(group);
		return () => {
			shown.delete(group);
		};
	}, [title, keys]);
}

/** The same on all axes of time. */
export const TIME_KEYS: readonly Shortcut[] = [
	["W S, + −", "zoom in and out"],
	["A D", "earlier and later"],
];

const EVERYWHERE: Group = {
	title: "Everywhere",
	keys: [
		["?", "this list"],
		["/", "search"],
		["Tab", "to the next control; Enter presses it"],
		["↑ ↓ Home End", "move in a table; Enter opens a row"],
		["[ ]", "previous and next of a list"],
		["Esc", "reset or close"],
	],
};

/** W, A, S and D as the keys that they stand for; others as they are. */
export function timeKey(event: KeyboardEvent): string {
	if (event.ctrlKey || event.metaKey || event.altKey) return event.key;
	return (
		{ w: "+", s: "-", a: "Earlier", d: "Later", "=": "+" }[event.key.toLowerCase()] ?? event.key
	);
}

const isTyping = (target: EventTarget | null) =>
	target instanceof Element &&
	target.closest("input:not([type=checkbox]), textarea, select") !== null;

export function Shortcuts() {
	const dialog = useRef<HTMLDialogElement>(null);
	const [groups, setGroups] = useState<readonly Group[]>([]);
	const open = () => {
		setGroups([...shown, EVERYWHERE]);
		dialog.current?.showModal();
	};
	useEffect(() => {
		const key = (event: KeyboardEvent) => {
			if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
			if (event.key === "?") open();
			else if (event.key === "/")
				document.querySelector<HTMLInputElement>("main input[type=search]")?.focus();
			else return;
			event.preventDefault();
		};
		addEventListener("keydown", key);
		return () => removeEventListener("keydown", key);
	}, []);
	return (
		<>
			<button
				type="button"
				class="bar-button no-print"
				aria-label="Keyboard shortcuts"
				title="Keyboard shortcuts (?)"
				onClick={open}
			>
				?
			</button>
			<dialog ref={dialog} class="shortcuts" aria-label="Keyboard shortcuts">
				<div class="shortcuts-body">
					<div class="section-head">
						<h2>Keyboard shortcuts</h2>
						<span class="spring" />
						<button type="button" class="button" onClick={() => dialog.current?.close()}>
							Close
						</button>
					</div>
					{groups.map((group) => (
						<section key={group.title}>
							<h3>{group.title}</h3>
							<dl class="keys">
								{group.keys.map(([keys, what]) => (
									<div key={keys}>
										<dt>
											<kbd>{keys}</kbd>
										</dt>
										<dd>{what}</dd>
									</div>
								))}
							</dl>
						</section>
					))}
				</div>
			</dialog>
		</>
	);
}
