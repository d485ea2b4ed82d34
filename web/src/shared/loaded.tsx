// What is still on its way: the state of a promise, and what stands in its place until it is there.
import { useEffect, useState } from "preact/hooks";
import { reasonOf, SourceError } from "../data/source";
import { visible } from "./format";

export type Loaded<T> =
	| { state: "loading"; reason?: string | undefined } // why it takes long, if the source says so
	| { state: "failed"; reason: string; status: number | undefined; retry: () => void }
	| { state: "done"; value: T };

/** The source is still making it, and says how far it is. */
const STATUS_PENDING = 503;
const ASK_AGAIN_MS = 1000;

/**
 * What a promise comes to; asked for again when `key` changes, on `retry`, and while it is pending. What was loaded for
 * another key is never shown. "" as key: nothing is asked for yet.
 */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
	const [tries, setTries] = useState(0);
	const [result, set] = useState<{ key: string; loaded: Loaded<T> } | null>(null);
	useEffect(() => {
		if (key === "") return;
		let wanted = true;
		let timer = 0;
		const again = () => setTries((n) => n + 1);
		const retry = () => {
			set(null);
			again();
		};
		load().then(
			(value) => wanted && set({ key, loaded: { state: "done", value } }),
			(error: unknown) => {
				const status = error instanceof SourceError ? error.status : undefined;
				if (!wanted) return;
				const reason = reasonOf(error);
				if (status !== STATUS_PENDING) {
					set({ key, loaded: { state: "failed", reason, status, retry } });
					return;
				}
				set({ key, loaded: { state: "loading", reason } });
				timer = window.setTimeout(again, ASK_AGAIN_MS);
			},
		);
		return () => {
			wanted = false;
			window.clearTimeout(timer);
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
					{loaded.state === "loading" && loaded.reason ? visible(loaded.reason) : props.text}
				</p>
			)}
		</div>
	);
}
