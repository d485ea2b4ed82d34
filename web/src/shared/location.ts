// Every selection is in the URL: `#/mine/9f8e01…?q=fsync&sort=own_ns`. A path of what is shown, and
// parameters of how. Sharing the address shares what is on the screen.
import { useEffect, useState } from "preact/hooks";

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

function changed() {
	current = parsePlace(location.hash);
	for (const listener of [...listeners]) listener();
}
window.addEventListener("hashchange", changed);

/** Goes to a place; `replace` leaves no entry in the history (typing, dragging). */
export function goTo(place: Place, replace = false) {
	const hash = formatPlace(place);
	if (hash === formatPlace(current)) return;
	if (replace) {
		history.replaceState(null, "", hash);
		changed();
	} else {
		location.hash = hash; // fires hashchange later; views need the new place at once
		changed();
	}
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
	const params = new Map(current.params);
	for (const [name, value] of Object.entries(values)) {
		if (value) params.set(name, value);
		else params.delete(name);
	}
	goTo({ path: current.path, params }, replace);
}

/** The address of a path, for links; keeps no parameters but those given. */
export function hrefOf(path: readonly string[], params: Readonly<Record<string, string>> = {}) {
	return formatPlace({ path, params: new Map(Object.entries(params)) });
}
