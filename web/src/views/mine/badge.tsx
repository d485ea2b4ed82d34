// What is known of a cluster, in a word and a mark: never by colour alone.
import { pct } from "../../shared/format";
import { Name } from "../../shared/name";
import {
	type Match,
	type Signature,
	type Standing,
	standingOf,
	tellingMatches,
} from "./signatures";

const WORDS: Record<Standing, { mark: string; text: string; help: string }> = {
	known: { mark: "●", text: "known", help: "a signature matches at least half of its cost" },
	partly: { mark: "◐", text: "partly known", help: "signatures match less than half of its cost" },
	back: {
		mark: "↻",
		text: "came back",
		help: "a retired signature matches it: it was marked as fixed",
	},
	new: { mark: "○", text: "new", help: "no signature matches it" },
};

export function standingText(standing: Standing): string {
	return WORDS[standing].text;
}

export function Badge({ standing }: { standing: Standing }) {
	const { mark, text, help } = WORDS[standing];
	return (
		<span class={`badge badge-${standing}`} title={help}>
			<span aria-hidden="true">{mark}</span> {text}
		</span>
	);
}

export function StateBadge({ state }: { state: Signature["state"] }) {
	return (
		<span class={`badge badge-${state}`}>
			<span aria-hidden="true">{state === "active" ? "●" : "◌"}</span> {state}
		</span>
	);
}

/** Two lines of a table's cell: the badge, and whose match it is. */
export function StandingCell({ matches }: { matches: readonly Match[] }) {
	const telling = tellingMatches(matches);
	const [first, ...others] = telling;
	return (
		<span class="standing">
			<Badge standing={standingOf(matches)} />
			{first ? (
				<span class="standing-names quiet">
					<Name text={first.name} most={40} />
					{first.share < 0.995 ? ` ${pct(100 * first.share)}` : ""}
					{others.length ? `, +${others.length}` : ""}
				</span>
			) : null}
		</span>
	);
}

/** For sorting, searching and the CSV: "known: slow-lookup". */
export function standingValue(matches: readonly Match[]): string {
	const names = tellingMatches(matches).map((m) => m.name);
	const word = standingText(standingOf(matches));
	return names.length ? `${word}: ${names.join(" ")}` : word;
}
