// One mark, or one thread, in numbers: the tree of merged calls, and what everybody did meanwhile.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CsvButton } from "../../shared/csv-button";
import { count, duration, percent, plural, visible } from "../../shared/format";
import { Frame, Name } from "../../shared/name";
import type { Answer, Meanwhile, Meanwhiles } from "./meanwhile";
import { EXPRESSION, type Model, NO_FUNCTION } from "./model";
import { callersOf, type Pick } from "./pick";
import { threadTitle } from "./scene";
import { pickFacts, pickFunction, pickWords, since } from "./tip";

export function Details(props: {
	model: Model;
	pick: Pick | null;
	thread: number | null;
	meanwhiles: Meanwhiles;
	onZoom: (t0: number, t1: number) => void;
	onHighlight: (fn: number) => void;
}) {
	const { model, pick } = props;
	return (
		<section class="tl-details" id="timeline-details" tabIndex={-1} aria-label="Details">
			<p class="tl-spoken" aria-live="polite">
				{pick ? spoken(model, pick) : ""}
			</p>
			{pick ? (
				<PickDetails
					key={`${pick.thread} ${pick.t0} ${pick.t1} ${pick.mark}`}
					{...props}
					pick={pick}
				/>
			) : props.thread !== null ? (
				<ThreadDetails model={model} thread={props.thread} onHighlight={props.onHighlight} />
			) : (
				<Help />
			)}
		</section>
	);
}

/** What a selection is, in a line: what is read aloud when it changes. */
function spoken(model: Model, pick: Pick): string {
	const fn = pickFunction(pick);
	const name = fn >= 0 ? visible(model.functions[fn]!.name) : pickWords(pick);
	return `${name}, ${duration(pick.t1 - pick.t0)}, ${threadTitle(model.threads[pick.thread]!)}`;
}

function Help() {
	return (
		<div class="tl-help quiet">
			<h2>Details</h2>
			<p>
				Hover over a call or gap to highlight the same time in all threads. Click it to see here
				what every thread did meanwhile.
			</p>
			<p>
				<kbd>W</kbd> <kbd>S</kbd> or Ctrl and the wheel zoom; dragging, <kbd>A</kbd> <kbd>D</kbd>{" "}
				and arrows move; a double click zooms to what is clicked. <kbd>?</kbd> lists all keys.
			</p>
			<dl class="tl-marks">
				<dt class="tl-mark-call" />
				<dd>a long call, as it is; dark: its self time</dd>
				<dt class="tl-mark-box" />
				<dd>merged calls: short calls merged by stack; width shows time</dd>
				<dt class="tl-mark-rest" />
				<dd>folded: functions with negligible time</dd>
				<dt class="tl-mark-gap" />
				<dd>gap: no call</dd>
			</dl>
		</div>
	);
}

function Facts({ facts }: { facts: ReadonlyArray<readonly [string, string]> }) {
	return (
		<dl class="tip-rows tl-facts">
			{facts.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}

function PickDetails(props: {
	model: Model;
	pick: Pick;
	meanwhiles: Meanwhiles;
	onZoom: (t0: number, t1: number) => void;
	onHighlight: (fn: number) => void;
}) {
	const { model, pick } = props;
	const fn = pickFunction(pick);
	const callers = useMemo(() => callersOf(pick), [pick]);
	const [all, setAll] = useState(false);
	const answer = useMeanwhile(
		props.meanwhiles,
		pick.t0,
		pick.t1,
		model.report.threads[pick.thread]?.clock ?? 0,
	);
	const isAsking = answer === "asked";
	const isExpression = pick.item >= 0 && pick.marks.itemKind[pick.item] === EXPRESSION;
	return (
		<>
			<div class="section-head">
				<h2>{threadTitle(model.threads[pick.thread]!)}</h2>
				<span class="spring" />
				<button type="button" class="button" onClick={() => props.onZoom(pick.t0, pick.t1)}>
					Zoom to selection
				</button>
			</div>
			{fn >= 0 ? (
				<button
					type="button"
					class="tl-link"
					title="highlight it"
					onClick={() => props.onHighlight(fn)}
				>
					<Frame text={model.functions[fn]!.name} most={200} />
				</button>
			) : null}
			<div class="quiet">{pickWords(pick)}</div>
			<Facts facts={pickFacts(model, pick)} />
			{callers.length ? (
				<p class="tl-callers quiet">
					called by{" "}
					{callers
						.slice()
						.reverse()
						.slice(0, all ? callers.length : 3)
						.map((caller, i) => (
							<span key={`${i} ${caller}`}>
								{i ? " ‹ " : ""}
								<Frame text={model.functions[caller]!.name} most={60} />
							</span>
						))}
					{callers.length > 3 && !all ? " " : ""}
					{callers.length > 3 && !all ? (
						<button type="button" class="tl-link" onClick={() => setAll(true)}>
							and {count(callers.length - 3)} more
						</button>
					) : null}
				</p>
			) : null}
			<div class="tl-meanwhiles" aria-busy={isAsking}>
				<MeanwhileList {...props} answer={answer} />
			</div>
			{isExpression ? <Tree model={model} pick={pick} onHighlight={props.onHighlight} /> : null}
		</>
	);
}

/** Merged calls as a table: callees below their callers. */
function Tree({
	model,
	pick,
	onHighlight,
}: {
	model: Model;
	pick: Pick;
	onHighlight: (fn: number) => void;
}) {
	const { marks, item } = pick;
	const first = marks.itemMark[item]!;
	const last =
		item + 1 < marks.itemMark.length ? marks.itemMark[item + 1]! : marks.markStart.length;
	const length = pick.t1 - pick.t0;
	const order = useMemo(() => {
		const below = new Map<number, number[]>();
		for (let m = first; m < last; m++) {
			if (marks.markFunction[m] === NO_FUNCTION) continue;
			const caller = marks.markCaller[m]!;
			below.set(caller, [...(below.get(caller) ?? []), m]);
		}
		const out: number[] = [];
		const walk = (caller: number) => {
			for (const m of below.get(caller) ?? []) {
				out.push(m);
				walk(m);
			}
		};
		walk(-1);
		return out;
	}, [marks, item]);
	const [nodes, functions, calls, own] = marks.fold[marks.itemFold[item]!] ?? [0, 0, 0, 0];
	const top = marks.itemDepth[item]!;
	return (
		<>
			<h3 class="tl-sub">
				Merged calls: {plural(marks.itemCalls[item]!, "call")} in {duration(length)}
				<CsvButton
					name="merged-calls"
					label="Merged calls"
					header={["function", "depth", "calls", "total_ns", "own_ns"]}
					rows={() => [
						...order.map((m) => [
							model.functions[marks.markFunction[m]!]!.name,
							marks.markDepth[m]!,
							marks.markCalls[m]!,
							marks.markEnd[m]! - marks.markStart[m]!,
							marks.markOwn[m]!,
						]),
						...(nodes ? [[`and ${functions} more`, undefined, calls, undefined, own]] : []),
					]}
				/>
			</h3>
			<div class="tl-scroll">
				<table class="tl-tree">
					<thead>
						<tr>
							<th scope="col">function</th>
							<th scope="col">calls</th>
							<th scope="col">total</th>
							<th scope="col">self</th>
						</tr>
					</thead>
					<tbody>
						{order.map((m) => (
							<tr key={m} class={m === pick.mark ? "current" : ""}>
								<th
									scope="row"
									style={{ paddingLeft: `${Math.min(12, marks.markDepth[m]! - top) * 10}px` }}
								>
									<button
										type="button"
										class="tl-link"
										title="highlight it"
										onClick={() => onHighlight(marks.markFunction[m]!)}
									>
										<Frame text={model.functions[marks.markFunction[m]!]!.name} most={60} />
									</button>
								</th>
								<td>{count(marks.markCalls[m]!)}</td>
								<td>{duration(marks.markEnd[m]! - marks.markStart[m]!)}</td>
								<td>{duration(marks.markOwn[m]!)}</td>
							</tr>
						))}
						{nodes ? (
							<tr class="quiet">
								<th scope="row">
									and {count(functions)} more, {percent(own, length)}
								</th>
								<td>{count(calls)}</td>
								<td />
								<td>{duration(own)}</td>
							</tr>
						) : null}
					</tbody>
				</table>
			</div>
		</>
	);
}

type Asked = Answer | "asked" | "failed";

/** What is known of a span; asked for when it is not known yet. */
function useMeanwhile(meanwhiles: Meanwhiles, t0: number, t1: number, clock: number): Asked {
	const [, drawAgain] = useState(0);
	const failed = useRef("");
	const span = `${t0} ${t1} ${clock}`;
	useEffect(() => {
		let isWanted = true;
		const done = () => isWanted && drawAgain((n) => n + 1);
		if (!meanwhiles.known(t0, t1, clock))
			meanwhiles.of(t0, t1, clock).then(done, () => {
				failed.current = span;
				done();
			});
		return () => {
			isWanted = false;
		};
	}, [meanwhiles, span]);
	return meanwhiles.known(t0, t1, clock) ?? (failed.current === span ? "failed" : "asked");
}

function MeanwhileList(props: {
	model: Model;
	pick: Pick;
	answer: Asked;
	onHighlight: (fn: number) => void;
}) {
	const { model, pick, answer } = props;
	const words = `Meanwhile (${duration(pick.t1 - pick.t0)}): leaf functions by time`;
	if (answer === "asked" || answer === "failed")
		return (
			<>
				<h3 class="tl-sub">{words}</h3>
				<p class="quiet">
					{answer === "asked" ? "Loading…" : "No answer: the server may have stopped."}
				</p>
			</>
		);
	const { meanwhile, isExact } = answer;
	if (isExact && meanwhile)
		return (
			<>
				<h3 class="tl-sub">{words}</h3>
				<Shares {...props} meanwhile={meanwhile} />
			</>
		);
	return (
		<>
			<h3 class="tl-sub">Meanwhile</h3>
			<p class="quiet tl-unknown">
				This file does not have the activity of all threads for exactly this time range, only for{" "}
				{plural(model.report.meanwhiles, "span")}: the longest calls and gaps first.{" "}
				<code>lode serve</code> shows it for any range.
			</p>
			{meanwhile ? (
				<>
					<h3 class="tl-sub">
						In the {duration(meanwhile.t1 - meanwhile.t0)} around it, {since(meanwhile.t0)} to{" "}
						{since(meanwhile.t1)}: leaf functions by time
					</h3>
					<Shares {...props} meanwhile={meanwhile} />
				</>
			) : null}
		</>
	);
}

/** The thread that is meant first, and in full; then the busiest. */
function Shares(props: {
	model: Model;
	pick: Pick;
	meanwhile: Meanwhile;
	onHighlight: (fn: number) => void;
}) {
	const { model, pick, meanwhile } = props;
	const length = Math.max(1, meanwhile.t1 - meanwhile.t0);
	const shares = [...meanwhile.threads].sort(
		(a, b) =>
			Number(b.thread === pick.thread) - Number(a.thread === pick.thread) ||
			a.idle - b.idle ||
			a.thread - b.thread,
	);
	const busy = shares.filter((share) => share.idle < length || share.thread === pick.thread);
	return (
		<>
			<CsvButton
				name="meanwhile"
				label="What each thread did meanwhile"
				header={["thread", "function", "own_ns"]}
				rows={() =>
					shares.flatMap((share) => {
						const thread = threadTitle(model.threads[share.thread]!);
						return [
							[thread, "(idle)", share.idle],
							...share.leaves.map((leaf) => [
								thread,
								leaf.fn === NO_FUNCTION ? "(others)" : model.functions[leaf.fn]!.name,
								leaf.ns,
							]),
						];
					})
				}
			/>
			<ul class="tl-meanwhile" aria-label="What each thread did meanwhile">
				{busy.map((share) => (
					<li key={share.thread} class={share.thread === pick.thread ? "current" : ""}>
						<div class="tl-meanwhile-thread">
							<Name text={threadTitle(model.threads[share.thread]!)} most={36} />
							<span class="quiet">idle {percent(share.idle, length)}</span>
						</div>
						<ol>
							{share.leaves.slice(0, share.thread === pick.thread ? undefined : 3).map((leaf) => (
								<li key={leaf.fn}>
									<span
										class="tl-bar"
										aria-hidden="true"
										style={{ width: `${Math.min(100, (100 * leaf.ns) / length)}%` }}
									/>
									{leaf.fn === NO_FUNCTION ? (
										<span class="quiet">others</span>
									) : (
										<button
											type="button"
											class="tl-link"
											title="highlight it"
											onClick={() => props.onHighlight(leaf.fn)}
										>
											<Frame text={model.functions[leaf.fn]!.name} most={44} />
										</button>
									)}
									<span class="tl-legend-number">{percent(leaf.ns, length)}</span>
								</li>
							))}
						</ol>
					</li>
				))}
			</ul>
			{shares.length > busy.length ? (
				<p class="quiet">{plural(shares.length - busy.length, "thread")} idle all the time.</p>
			) : null}
		</>
	);
}

function ThreadDetails({
	model,
	thread,
	onHighlight,
}: {
	model: Model;
	thread: number;
	onHighlight: (fn: number) => void;
}) {
	const info = model.threads[thread]!;
	const own = [...info.called].sort((a, b) => b[1][1] - a[1][1] || a[0] - b[0]);
	const life = info.last - info.first;
	return (
		<>
			<div class="section-head">
				<h2>{threadTitle(info)}</h2>
			</div>
			<Facts
				facts={[
					["calls", count(info.calls)],
					["lives", `${duration(life)} from +${(info.first / 1e9).toFixed(6)}\u202fs`],
					["idle", `${duration(info.idle)} (${percent(info.idle, life)})`],
					["long calls", `${count(info.outliers)} (longer than ${duration(info.longCall)})`],
					["functions", count(info.called.size)],
				]}
			/>
			<h3 class="tl-sub">
				Leaf functions by time
				<CsvButton
					name="leaves"
					label="Leaf functions"
					header={["function", "calls", "own_ns"]}
					rows={() => own.map(([fn, [calls, leaf]]) => [model.functions[fn]!.name, calls, leaf])}
				/>
			</h3>
			<div class="tl-scroll">
				<table class="tl-tree">
					<thead>
						<tr>
							<th scope="col">function</th>
							<th scope="col">calls</th>
							<th scope="col">self</th>
							<th scope="col" />
						</tr>
					</thead>
					<tbody>
						{own.slice(0, 200).map(([fn, [calls, leaf]]) => (
							<tr key={fn}>
								<th scope="row">
									<button
										type="button"
										class="tl-link"
										title="highlight it"
										onClick={() => onHighlight(fn)}
									>
										<Frame text={model.functions[fn]!.name} most={60} />
									</button>
								</th>
								<td>{count(calls)}</td>
								<td>{duration(leaf)}</td>
								<td>{percent(leaf, life)}</td>
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</>
	);
}
