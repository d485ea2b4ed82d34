// What is still on its way: the state of a promise, and what stands in its place until it is there.
import { useEffect, useState } from "preact/hooks";
import { reasonOf, SourceError } from "../data/source";
import { visible } from "./format";

export type Loaded<T> =
	| { state: "loading" }
	| { state: "failed"; reason: string; status: number | undefined; retry: () => void }
	| { state: "done"; value: T };

/**
 * What a promise comes to; asked for again when `key` changes, or on `retry`. What was loaded for
 * another key is never shown. "" as key: nothing is asked for yet.
 */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
	const [tries, setTries] = useState(0);
	const [result, set] = useState<{ key: string; loaded: Loaded<T> } | null>(null);
	useEffect(() => {
		if (key === "") return;
		let wanted = true;
		const retry = () => {
			set(null);
			setTries((n) => n + 1);
		};
		load().then(
			(value) => wanted && set({ key, loaded: { state: "done", value } }),
			(error: unknown) => {
				const status = error instanceof SourceError ? error.status : undefined;
				if (wanted)
					set({ key, loaded: { state: "failed", reason: reasonOf(error), status, retry } });
			},
		);
		return () => {
			wanted = false;
		};
	}, [key, tries]);
	return result?.key === key ? result.loaded : { state: "loading" };
}

/** Stands where something will be; `height` keeps its place, so that nothing jumps. */
export function Pending(props: {
	loaded: Loaded<unknown>;
	/** "Reading the recording…" */
	text: string;
	height?: number;
}) {
	const { loaded } = props;
	return (
		<div class="pending" style={props.height ? { minHeight: `${props.height}px` } : {}}>
			{loaded.state === "failed" ? (
				<p class="notice" role="alert">
					<bdi>{visible(loaded.reason)}</bdi>{" "}
					<button type="button" class="button no-print" onClick={loaded.retry}>
						Try again
					</button>
				</p>
			) : (
				<p class="quiet loading" aria-live="polite">
					{props.text}
				</p>
			)}
		</div>
	);
}
