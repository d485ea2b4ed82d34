// Every selection is in the URL: `#/mine/9f8e01…?q=fsync&sort=own_ns`. A path of what is shown, and
// parameters of how. Sharing the address shares what is on the screen.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Place {
	readonly path: readonly string[];
	readonly params: ReadonlyMap<string, string>;
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text; // somebody cut the link
	}
}

export function parsePlace(hash: string): Place {
	const text = hash.replace(/^#\/?/, "");
	const cut = text.indexOf("?");
	const path = cut < 0 ? text : text.slice(0, cut);
	const query = cut < 0 ? "" : text.slice(cut + 1);
	return {
		path: path.split("/").filter(Boolean).map(decode),
		params: new Map(new URLSearchParams(query)),
	};
}

export function formatPlace(place: Place): string {
	const query = new URLSearchParams([...place.params].filter(([, value]) => value !== ""));
	const path = place.path.map(encodeURIComponent).join("/");
	return `#/${path}${query.size ? `?${query}` : ""}`;
}

const listeners = new Set<() => void>();
let current = parsePlace(location.hash);

/*
 * How far down each entry of the history was read. The browser cannot know: it restores before the
 * page is drawn. An entry without a number is new, and begins at its top.
 */
interface Entry {
	readonly n: number;
	readonly y: number;
}
const isEntry = (state: unknown): state is Entry =>
	typeof state === "object" && state !== null && "n" in state && "y" in state;
const readTo = new Map<number, number>();
let entry = 0;
let wanted = 0;

function arrive() {
	const { state } = history;
	if (isEntry(state)) {
		entry = state.n;
		wanted = readTo.get(entry) ?? state.y;
		return;
	}
	entry++;
	wanted = 0;
	readTo.set(entry, scrollY); // it may be the same thing, looked at in another way
	history.replaceState({ n: entry, y: 0 }, "");
}
history.scrollRestoration = "manual";
arrive();
// For when the page is loaded anew, which may be at once; browsers refuse to be told too often.
let writing = 0;
let isStale = false;
function writeEntry() {
	history.replaceState({ n: entry, y: scrollY }, "");
	isStale = false;
	writing = window.setTimeout(() => {
		writing = 0;
		if (isStale) writeEntry();
	}, 200);
}
window.addEventListener(
	"scroll",
	() => {
		readTo.set(entry, scrollY);
		isStale = true;
		if (!writing) writeEntry();
	},
	{ passive: true },
);

/**
 * Goes to where the reader was when a thing is shown again, else to its top. `isDrawn`: it is there;
 * `thing`: what it is. What had the focus may be gone with the thing before: then the report has it.
 */
export function useArrival(isDrawn: boolean, thing: string) {
	const before = useRef<string | null>(null);
	useLayoutEffect(() => {
		if (!isDrawn) return;
		scrollTo(0, wanted);
		if (before.current !== null && document.activeElement === document.body)
			document.getElementById("main")?.focus({ preventScroll: true });
		before.current = thing;
	}, [isDrawn, thing]);
}

function changed() {
	current = parsePlace(location.hash);
	for (const listener of [...listeners]) listener();
}
window.addEventListener("hashchange", () => {
	// Not the late word of our own steps: somebody went back, and what still moved stays behind.
	if (formatPlace(parsePlace(location.hash)) !== formatPlace(current)) takeMoving();
	arrive();
	changed();
});

/* Parameters that still move (dragging, wheels): browsers refuse to be told of each step. */
const REST_MS = 500;
let moving: Readonly<Record<string, string>> | null = null;
let resting = 0;
function takeMoving() {
	const values = moving;
	clearTimeout(resting);
	moving = null;
	return values;
}
function settle() {
	const values = takeMoving();
	if (values) setParams(values, false);
}

/**
 * Sets parameters once they have come to rest, at the latest before the next step to another place:
 * a zoom by the wheel, or a drag, is one entry of the history.
 */
export function setParamsAtRest(values: Readonly<Record<string, string>>) {
	moving = { ...takeMoving(), ...values };
	resting = window.setTimeout(settle, REST_MS);
}

/** Filters (`f.…`) stay while one goes about in a report. */
function withFilters(place: Place): Place {
	if (place.path[0] !== current.path[0]) return place;
	const kept = [...current.params].filter(([name]) => name.startsWith("f."));
	return kept.length ? { ...place, params: new Map([...kept, ...place.params]) } : place;
}

/** Goes to a place; `replace` leaves no entry in the history (typing, dragging). */
export function goTo(to: Place, replace = false) {
	if (!replace) settle();
	const place = to.path.join("/") === current.path.join("/") ? to : withFilters(to);
	const hash = formatPlace(place);
	if (hash === formatPlace(current)) return;
	if (replace) {
		history.replaceState({ n: entry, y: scrollY }, "", hash);
	} else {
		location.hash = hash; // fires hashchange later; views need the new place at once
		arrive();
	}
	changed();
}

export function usePlace(): Place {
	const [place, set] = useState(current);
	useEffect(() => {
		const listener = () => set(current);
		listener();
		listeners.add(listener);
		return () => {
			listeners.delete(listener);
		};
	}, []);
	return place;
}

/** One parameter of the URL as state; the empty text is "not there". */
export function useParam(name: string, fallback = ""): [string, (value: string) => void] {
	const place = usePlace();
	const set = (value: string) => setParams({ [name]: value === fallback ? "" : value });
	return [place.params.get(name) ?? fallback, set];
}

/** Sets some parameters and leaves the others; "" takes one away. */
export function setParams(values: Readonly<Record<string, string>>, replace = true) {
	settle();
	const params = new Map(current.params);
	for (const [name, value] of Object.entries(values)) {
		if (value) params.set(name, value);
		else params.delete(name);
	}
	goTo({ path: current.path, params }, replace);
}

/** The address of a path, for links; keeps no parameters but filters, and those given. */
export function hrefOf(path: readonly string[], params: Readonly<Record<string, string>> = {}) {
	return formatPlace(withFilters({ path, params: new Map(Object.entries(params)) }));
}
