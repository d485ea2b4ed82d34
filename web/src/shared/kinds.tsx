// The kinds of time that a cost is made of: their names, colours, and a cost split into them.
import { PartBar } from "./bars";
import { percent } from "./format";
import { Legend } from "./legend";

export const KINDS = [
	{ key: "wait_ns", title: "waiting", colour: "wait" },
	{ key: "run_ns", title: "running", colour: "run" },
	{ key: "ready_ns", title: "ready, waiting for a CPU", colour: "ready" },
] as const;

/** By the names that events have in documents. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
	wait: KINDS[0].title,
	run: KINDS[1].title,
	ready: KINDS[2].title,
};

type Split = Readonly<Record<(typeof KINDS)[number]["key"], number>>;

interface IsSplit {
	readonly split: Split;
}

export function splitParts({ split }: IsSplit): Array<readonly [number, string]> {
	return KINDS.map((kind) => [split[kind.key], `var(--${kind.colour})`] as const);
}

/** "1.20 s waiting, 340 ms running" */
export function splitLabel({ split }: IsSplit, text: (ns: number) => string): string {
	return KINDS.filter((kind) => split[kind.key] > 0)
		.map((kind) => `${text(split[kind.key])} ${kind.title}`)
		.join(", ");
}

export function KindLegend() {
	return <Legend items={KINDS.map((kind) => [`var(--${kind.colour})`, kind.title])} />;
}

/** A cost as a bar, and kind by kind in numbers. */
export function KindNumbers(props: { of: IsSplit; whole: number; text: (ns: number) => string }) {
	const { of, whole, text } = props;
	return (
		<>
			<PartBar parts={splitParts(of)} whole={whole} label={splitLabel(of, text)} />
			<dl class="numbers">
				{KINDS.map((kind) => (
					<div key={kind.key}>
						<dt>
							<i class="chip" style={{ background: `var(--${kind.colour})` }} />
							{kind.title}
						</dt>
						<dd>{text(of.split[kind.key])}</dd>
						<dd class="quiet">{percent(of.split[kind.key], whole)}</dd>
					</div>
				))}
			</dl>
		</>
	);
}
