// The reports of the page, in the bar: side by side while they are few; else one menu per kind.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ReportRef } from "../data/source";
import { shorten, visible } from "../shared/format";
import { hrefOf } from "../shared/location";
import { distinguish } from "../shared/titles";
import { viewOf } from "../views";

interface Entry {
	readonly ref: ReportRef;
	/** What tells it from others of its kind; "" if it is the only one. */
	readonly part: string;
}

interface Group {
	/** "Mine" */
	readonly word: string;
	readonly entries: readonly Entry[];
}

const wordOf = (ref: ReportRef) => viewOf(ref.schema)?.title ?? visible(ref.name);

function groupsOf(refs: readonly ReportRef[]): Group[] {
	const byWord = new Map<string, ReportRef[]>();
	for (const ref of refs) {
		const word = wordOf(ref);
		byWord.set(word, [...(byWord.get(word) ?? []), ref]);
	}
	return [...byWord].map(([word, list]) => {
		const parts = list.length > 1 ? distinguish(list.map((ref) => ref.title)) : [""];
		return { word, entries: list.map((ref, i) => ({ ref, part: parts[i]! })) };
	});
}

/** Whether all fit side by side at 1024 px: by their letters, so that nothing is measured, or moves. */
function fits(groups: readonly Group[]): boolean {
	const all = groups.flatMap((group) =>
		group.entries.map((entry) => group.word.length + Math.min(PART, entry.part.length)),
	);
	return all.length <= 8 && all.reduce((sum, n) => sum + n + 3, 0) <= 96;
}

/** Letters of a title in the bar. */
const PART = 22;

function Part({ text, most }: { text: string; most: number }) {
	return text ? (
		<bdi class="nav-part" title={shorten(visible(text), 400)}>
			{shorten(visible(text), most)}
		</bdi>
	) : null;
}

export function Navigation(props: { refs: readonly ReportRef[]; current: ReportRef | undefined }) {
	const { refs, current } = props;
	const groups = groupsOf(refs);
	const flat = fits(groups);
	return (
		<nav aria-label="Reports">
			{groups.map((group) =>
				flat || group.entries.length === 1 ? (
					group.entries.map((entry) => (
						<a
							key={entry.ref.name}
							href={hrefOf([entry.ref.name])}
							aria-current={entry.ref === current ? "page" : undefined}
						>
							{group.word} <Part text={entry.part} most={PART} />
						</a>
					))
				) : (
					<Menu key={group.word} group={group} current={current} />
				),
			)}
		</nav>
	);
}

/** A list that opens; arrows walk it, Esc and leaving close it. */
function Menu({ group, current }: { group: Group; current: ReportRef | undefined }) {
	const [open, setOpen] = useState(false);
	const box = useRef<HTMLDivElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const at = group.entries.find((entry) => entry.ref === current);
	const id = `reports-${group.word.replace(/[^A-Za-z]/g, "")}`;

	useLayoutEffect(() => {
		if (!open) return;
		const links = box.current?.querySelectorAll("a") ?? [];
		([...links].find((link) => link.getAttribute("aria-current")) ?? links[0])?.focus();
		const outside = (event: Event) => {
			if (!box.current?.contains(event.target as Node)) setOpen(false);
		};
		document.addEventListener("pointerdown", outside);
		return () => document.removeEventListener("pointerdown", outside);
	}, [open]);

	const onKey = (event: KeyboardEvent) => {
		if (event.key === "Escape" && open) {
			setOpen(false);
			button.current?.focus();
		} else if (event.key === "ArrowDown" && !open) {
			setOpen(true);
		} else if (open) {
			const links = [...(box.current?.querySelectorAll("a") ?? [])];
			const now = links.indexOf(document.activeElement as HTMLAnchorElement);
			const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: links.length - 1 }[
				event.key
			];
			if (to === undefined) return;
			links[Math.min(links.length - 1, Math.max(0, to))]?.focus();
		} else return;
		event.preventDefault();
	};
	return (
		<div
			class="menu"
			ref={box}
			onKeyDown={onKey}
			onFocusOut={(event) => {
				const to = event.relatedTarget as Node | null;
				if (to && !box.current?.contains(to)) setOpen(false);
			}}
		>
			<button
				type="button"
				ref={button}
				aria-expanded={open}
				aria-controls={id}
				aria-current={at ? "true" : undefined}
				aria-label={`${group.word}: ${group.entries.length} reports`}
				onClick={() => setOpen(!open)}
			>
				{group.word}{" "}
				{at ? (
					<Part text={at.part} most={PART} />
				) : (
					<span class="nav-part">{group.entries.length}</span>
				)}
				<span aria-hidden="true" class="menu-mark">
					▾
				</span>
			</button>
			<ul id={id} hidden={!open}>
				{group.entries.map(({ ref, part }) => (
					<li key={ref.name}>
						<a
							href={hrefOf([ref.name])}
							aria-current={ref === current ? "page" : undefined}
							onClick={() => setOpen(false)}
						>
							<bdi title={shorten(visible(ref.title), 400)}>{shorten(visible(part), 80)}</bdi>
						</a>
					</li>
				))}
			</ul>
		</div>
	);
}
