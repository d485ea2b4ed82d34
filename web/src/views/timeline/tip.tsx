// What the pointer rests on, in words.
import { count, duration, plural } from "../../shared/format";
import { Frame } from "../../shared/name";
import { TipTable } from "../../shared/tooltip";
import type { Model } from "./model";
import { isUnseen, type Pick, type PickKind } from "./pick";

type Fact = readonly [string, string];

/** +1.234567890 s */
export function since(t: number): string {
	return `+${(t / 1e9).toFixed(9)}\u202fs`;
}

export function pickWords(pick: Pick): string {
	const words = kindWords(pick.kind);
	return isUnseen(pick) ? `${words}; zoom in to see it` : words;
}

function kindWords(kind: PickKind): string {
	switch (kind) {
		case "call":
			return "call";
		case "node":
			return "a function within merged calls";
		case "rest":
			return "folded: negligible time";
		case "expression":
			return "merged calls";
		default:
			return "no call";
	}
}

export function pickFunction(pick: Pick): number {
	return pick.mark >= 0 ? pick.marks.markFunction[pick.mark]! : -1;
}

/** Numbers of a mark: the ones that `lode timeline --json --full` has. */
export function pickFacts(model: Model, pick: Pick): Fact[] {
	const { marks, mark, item } = pick;
	const length = pick.t1 - pick.t0;
	const facts: Fact[] = [];
	if (item < 0) {
		facts.push(["duration", `${pick.isCut ? "at least " : ""}${duration(length)}`]);
	} else if (pick.kind === "call") {
		const own = marks.markOwn[mark]!;
		const fn = model.functions[marks.markFunction[mark]!]!;
		facts.push(["duration", duration(length)]);
		facts.push(["self", Number.isNaN(own) ? "partly outside this window" : duration(own)]);
		if (fn.median > 0)
			facts.push([
				"times the median",
				`${count(length / fn.median)} (of ${plural(fn.calls, "call")})`,
			]);
	} else if (pick.kind === "node") {
		facts.push(["cumulative", duration(marks.markEnd[mark]! - marks.markStart[mark]!)]);
		facts.push(["self", duration(marks.markOwn[mark]!)]);
		facts.push(["calls", count(marks.markCalls[mark]!)]);
	} else if (pick.kind === "rest") {
		const [nodes, functions, calls, own] = marks.fold[marks.itemFold[item]!]!;
		facts.push(["self", duration(own)], ["calls", count(calls)]);
		facts.push(["functions", count(functions)], ["stacks", count(nodes)]);
	} else if (pick.kind === "expression") {
		facts.push(["duration", duration(length)], ["calls", count(marks.itemCalls[item]!)]);
	} else facts.push(["duration", duration(length)]);
	if (pick.kind !== "idle") facts.push(["depth", String(pick.depth)]);
	if (pick.kind === "node" || pick.kind === "rest")
		facts.push(["merged calls that took", duration(length)]);
	facts.push(["from", since(pick.t0)]);
	facts.push(["to", since(pick.t1)]);
	return facts;
}

export function PickTip({ model, pick }: { model: Model; pick: Pick }) {
	const fn = pickFunction(pick);
	return (
		<>
			{fn >= 0 ? (
				<strong class="tl-tip-name">
					<Frame text={model.functions[fn]!.name} most={160} />
				</strong>
			) : null}
			<div class="quiet">{pickWords(pick)}</div>
			<TipTable rows={pickFacts(model, pick)} />
		</>
	);
}
