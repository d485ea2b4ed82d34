// What tells things of one kind apart: of paths, the parts that they do not share; of pages, their titles.
import { useEffect, useState } from "preact/hooks";

let shown = "";
let changed: (title: string) => void = () => {};

/** What the window is called as long as the thing is shown, before the report's name. */
export function useTitle(title: string) {
	useEffect(() => {
		shown = title;
		changed(shown);
		return () => {
			shown = "";
			changed(shown);
		};
	}, [title]);
}

/** For who writes it there. */
export function useShownTitle(): string {
	const [title, set] = useState(shown);
	changed = set;
	return title;
}

/** "a/b.data and 3 more" -> the path, and what stands behind it. */
function apart(title: string): { steps: string[]; rest: string } {
	const rest = / and \d+ more$/.exec(title)?.[0] ?? "";
	const path = title.slice(0, title.length - rest.length).replace(/\/+$/, "");
	return { steps: path.split("/"), rest };
}

/**
 * The shortest parts of titles (paths, mostly) that tell them apart, in their order: without the
 * folders that all share at their beginning, and without the steps that all share at their end.
 * Equal titles are numbered.
 */
export function distinguish(titles: readonly string[]): string[] {
	const parts = titles.map(apart);
	const differ = new Set(titles).size > 1;
	const least = Math.min(...parts.map((part) => part.steps.length));
	let head = 0;
	let tail = 0;
	const same = (step: (steps: string[]) => string | undefined) =>
		parts.every((part) => step(part.steps) === step(parts[0]!.steps));
	if (differ) {
		while (head < least - 1 && same((steps) => steps[head])) head++;
		if (head === 1 && parts[0]!.steps[0] === "") head = 0; // absolute paths stay such
		while (tail < least - 1 - head && same((steps) => steps.at(-1 - tail))) tail++;
	}
	const seen = new Map<string, number>();
	return parts.map(({ steps, rest }) => {
		const kept = differ ? steps.slice(head, steps.length - tail) : steps.slice(-1);
		const text = kept.join("/") + rest;
		const n = (seen.get(text) ?? 0) + 1;
		seen.set(text, n);
		return n > 1 ? `${text} (${n})` : text;
	});
}

/**
 * What a list of files calls each: its path without the folders that all of them share, so that it
 * is short, and no two are called the same.
 */
export function shortener(paths: readonly string[]): (path: string) => string {
	const [first = "", ...others] = paths;
	let n = first.lastIndexOf("/") + 1;
	for (const path of others)
		while (n > 0 && !path.startsWith(first.slice(0, n)))
			n = n === 1 ? 0 : first.lastIndexOf("/", n - 2) + 1;
	const folder = first.slice(0, n);
	return (path) => (path.startsWith(folder) && path !== folder ? path.slice(n) : path);
}
