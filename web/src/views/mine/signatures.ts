// The signatures of a repository, as one state that the list of clusters, the page of a cluster and
// the pages of signatures share: a change by any of them is seen by all.
import { useEffect, useState } from "preact/hooks";
import type { MineSignaturesReport } from "../../data/generated/mine-signatures";
import { reasonOf } from "../../data/source";
import { type Loaded, useLoaded } from "../../shared/loaded";
import type { Change, Served } from "./served";

export type Signature = MineSignaturesReport["signatures"][number];
/** What a signature matches of a cluster. */
export type Match = MineSignaturesReport["clusters"][number]["signatures"][number];

interface Store {
	state: Loaded<MineSignaturesReport>;
	/** Grows with every change: what hangs on signatures is asked for again. */
	version: number;
	readonly listeners: Set<() => void>;
	load(): void;
	change(what: Change, body: Readonly<Record<string, unknown>>): Promise<void>;
}

function makeStore(served: Served): Store {
	const tell = () => {
		for (const listener of [...store.listeners]) listener();
	};
	const store: Store = {
		state: { state: "loading" },
		version: 0,
		listeners: new Set(),
		load() {
			store.state = { state: "loading" };
			served
				.ask("signatures", {})
				.then(
					(value) => {
						store.state = { state: "done", value };
					},
					(error: unknown) => {
						store.state = {
							state: "failed",
							reason: reasonOf(error),
							status: undefined,
							retry: () => {
								store.load();
								tell();
							},
						};
					},
				)
				.then(tell);
		},
		async change(what, body) {
			const value = await served.source.change!(served.name, what, body);
			store.state = { state: "done", value: value as MineSignaturesReport };
			store.version++;
			tell();
		},
	};
	return store;
}

const stores = new WeakMap<Served, Store>();

function storeOf(served: Served): Store {
	let store = stores.get(served);
	if (!store) {
		store = makeStore(served);
		stores.set(served, store);
		store.load();
	}
	return store;
}

export interface Signatures {
	readonly state: Loaded<MineSignaturesReport>;
	readonly version: number;
	/** Rejects with a sentence for the reader. */
	change(what: Change, body: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Null without a repository. */
export function useSignatures(served: Served | undefined): Signatures | null {
	const store = served?.has("signatures") ? storeOf(served) : null;
	const [, draw] = useState(0);
	useEffect(() => {
		if (!store) return;
		const listener = () => draw((n) => n + 1);
		listener(); // it may have come before anybody listened
		store.listeners.add(listener);
		return () => {
			store.listeners.delete(listener);
		};
	}, [store]);
	return store;
}

/** Whether who looks may change things. */
export function useMayChange(served: Served | undefined): Loaded<boolean> {
	const loaded = useLoaded(served ? "session" : "", () => served!.mayChange());
	const now = served?.mayChangeNow();
	return now === undefined ? loaded : { state: "done", value: now };
}

/** What signatures make of a cluster. */
export type Standing = "known" | "partly" | "back" | "new";

/** LIMIT: what matches less than this part of a cluster says nothing about it. */
const LEAST = 0.01;

export function standingOf(matches: readonly Match[]): Standing {
	const most = (state: Match["state"]) =>
		Math.max(0, ...matches.filter((m) => m.state === state).map((m) => m.share));
	if (most("active") >= 0.5) return "known";
	if (most("retired") >= LEAST && most("retired") > most("active")) return "back";
	return most("active") >= LEAST ? "partly" : "new";
}

/** Those of a cluster that say something, what says most first. */
export function tellingMatches(matches: readonly Match[]): Match[] {
	return matches.filter((m) => m.share >= LEAST);
}

/** Matches by cluster's id. */
export function matchesOf(signatures: Signatures | null): ReadonlyMap<string, readonly Match[]> {
	const { state } = signatures ?? {};
	if (state?.state !== "done") return NONE;
	const known = byCluster.get(state.value);
	if (known) return known;
	const map = new Map(state.value.clusters.map((c) => [c.id, c.signatures]));
	byCluster.set(state.value, map);
	return map;
}
const NONE: ReadonlyMap<string, readonly Match[]> = new Map();
const byCluster = new WeakMap<MineSignaturesReport, ReadonlyMap<string, readonly Match[]>>();
