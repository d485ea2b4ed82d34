// Flame graphs, from the root down or (reverse) from the leaves: search, zoom, keys.
//
// What is seen is in the URL: `NAME.at` (the zoomed node: functions from the root, as their numbers),
// `NAME.q`, `NAME.order`, `NAME.frames` ("all": chains of kernel frames are not folded).
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { foldChains, fromLeaves, fromRoots, layOut, rankOf, type TreeColumns } from "./call-tree";
import { CopyButton } from "./copy";
import { type Draw, download, folded, speedscope } from "./export";
import {
	boxOf,
	drawNodes,
	type FlameView,
	findNode,
	nameOfNode,
	ROW,
	TreeLook,
	visibleLevels,
} from "./flame-draw";
import { cost as costText, count, frameParts, percent, shorten, visible } from "./format";
import { Legend } from "./legend";
import { setParams, usePlace } from "./location";
import { Frame, SourceLink } from "./name";
import { Picture } from "./picture";
import { searchOf } from "./search";
import { Choice, Section } from "./section";
import { type Shortcut, useShortcuts } from "./shortcuts";
import { useColors } from "./theme";
import { TipTable } from "./tooltip";

export type FlameData = TreeColumns;

const KEYS: readonly Shortcut[] = [
	["↑ ↓ ← →", "callers, callees, neighbours"],
	["Enter", "zoom in; on folded frames, unfold them"],
	["Esc", "the whole graph"],
	["Enter, Shift Enter", "in the search: next and previous match"],
];

/** Names in the legend: more would not be told apart. */
const MOST_MODULES = 6;

/** Modules by their colours; what of it is kernel, and what goes on in another thread or device. */
function ModuleLegend(props: { look: TreeLook; frames: readonly number[] }) {
	const { look, frames } = props;
	const colors = useColors();
	const used = useMemo(
		() => [...new Set(frames)].map((at) => look.names[at] ?? ""),
		[look, frames],
	);
	const items = [...look.modules.keys()].slice(0, MOST_MODULES).map((module) => {
		const frame = `${module}!`;
		return [look.colourOf(colors, module ? frame : ""), module || "no module"] as const;
	});
	if (used.some((name) => frameParts(name).module === "[kernel]"))
		items.push([colors["cat-7"], "[kernel]"]);
	if (used.some((name) => name.startsWith("→")))
		items.push([colors.mark, "→ another thread, or a device"]);
	return (
		<p class="picture-legend flame-legend">
			<Legend items={items.map(([colour, title]) => [colour, shorten(visible(title), 40)])} />
		</p>
	);
}

export interface FlameProps {
	name: string;
	title: string;
	label: string;
	data: FlameData;
	names: readonly string[];
	unit: string;
	note?: string;
	/** What the first and the second set are called, where there are two. */
	sets?: readonly [string, string];
	/** Beside the search. */
	tools?: ComponentChildren;
	/** Where a function's source is shown; undefined: nowhere. */
	sourceOf?: ((name: string) => string | undefined) | undefined;
	/** What has all of it, and more forms of it, on the command line. */
	command?: string;
}

/** Stacks for other tools; docs/exports.md. */
function StackExports({ name, label, data, names, unit, sets }: FlameProps) {
	const save = (file: string, text: string, type: string) =>
		download(file, new Blob([text], { type }));
	return (
		<>
			<button
				type="button"
				title="save folded stacks, for flamegraph.pl"
				aria-label={`${label}: save as folded stacks`}
				onClick={() => save(`${name}.folded`, folded(data, names), "text/plain")}
			>
				Folded
			</button>
			<button
				type="button"
				title="save stacks for speedscope.app"
				aria-label={`${label}: save for speedscope`}
				onClick={() =>
					save(
						`${name}.speedscope.json`,
						speedscope(data, names, unit, label, sets),
						"application/json",
					)
				}
			>
				Speedscope
			</button>
		</>
	);
}

/** A search box that walks what it found. */
function FlameSearch(props: {
	query: string;
	found: number;
	at: number;
	onQuery: (query: string) => void;
	onStep: (by: 1 | -1) => void;
}) {
	const { query, found, at } = props;
	return (
		<span class="flame-search">
			<input
				type="search"
				placeholder="Function or regexp"
				aria-label="Search functions of the flame graph"
				value={query}
				onInput={(event) => props.onQuery(event.currentTarget.value)}
				onKeyDown={(event) => {
					if (event.key !== "Enter" || !found) return;
					event.preventDefault();
					props.onStep(event.shiftKey ? -1 : 1);
				}}
			/>
			{query ? (
				<>
					<button
						type="button"
						class="button"
						aria-label="Previous match"
						disabled={!found}
						onClick={() => props.onStep(-1)}
					>
						‹
					</button>
					<span class="quiet flame-found" aria-live="polite">
						{found ? `${at >= 0 ? `${count(at + 1)} of ` : ""}${count(found)}` : "none"}
					</span>
					<button
						type="button"
						class="button"
						aria-label="Next match"
						disabled={!found}
						onClick={() => props.onStep(1)}
					>
						›
					</button>
				</>
			) : null}
		</span>
	);
}

/** Nodes that are found, from the outermost level down; what they cost, each stack once. */
function matchesIn(view: FlameView, isFound: Uint8Array | null) {
	const nodes: number[] = [];
	let cost = 0;
	if (!isFound) return { nodes, cost };
	const { tree, levels } = view.layout;
	for (const level of levels)
		for (const node of level) if (view.isMatch(node, isFound)) nodes.push(node);
	const isCovered = new Uint8Array(tree.n);
	for (let node = 1; node < tree.n; node++) {
		const isBelow = isCovered[tree.parent[node]!]!;
		const isMatch = view.isMatch(node, isFound);
		if (isMatch && !isBelow) cost += tree.total[node]!;
		isCovered[node] = isBelow || isMatch ? 1 : 0;
	}
	return { nodes, cost };
}

export function Flame(props: FlameProps) {
	const { name, data, names, unit } = props;
	const place = usePlace();
	const order = place.params.get(`${name}.order`) === "leaves" ? "leaves" : "roots";
	const query = place.params.get(`${name}.q`) ?? "";
	const at = place.params.get(`${name}.at`) ?? "";
	const isWhole = place.params.get(`${name}.frames`) === "all";
	const [focus, setFocus] = useState(0);
	useShortcuts(props.title, KEYS);

	const look = useMemo(() => new TreeLook(names, data.frame), [names, data]);
	const view = useMemo((): FlameView => {
		const tree = order === "leaves" ? fromLeaves(data) : fromRoots(data);
		const shown = isWhole ? tree : foldChains(tree, look.kinds);
		return look.view(layOut(shown, rankOf(names)), tree);
	}, [data, look, order, isWhole]);
	const { tree } = view.layout;
	useEffect(() => setFocus(0), [view]);
	const top = useMemo(() => tree.at(at.split(".").filter(Boolean).map(Number)), [tree, at]);
	const search = useMemo(() => searchOf(query), [query]);
	const isFound = useMemo(
		() => (search ? Uint8Array.from(names, (text) => (search.matches(text) ? 1 : 0)) : null),
		[names, search],
	);
	const found = useMemo(() => matchesIn(view, isFound), [view, isFound]);
	// Callers of what is zoomed in stay, full width; below it, what it calls.
	const rows = useMemo(() => visibleLevels(view.layout, top), [view, top]);
	const height = Math.max(1, rows) * ROW + 2;
	const hasFolds = useMemo(() => isWhole || tree.chain.some((n) => n > 1), [tree, isWhole]);
	const whole = tree.total[0]!;

	const draw: Draw = useCallback(
		(paint, width, _height, colors) =>
			drawNodes(paint, colors, view, { width, top, isFound, yOf: (depth) => (depth - 1) * ROW }),
		[view, top, isFound],
	);
	const zoom = (node: number) => {
		setParams({ [`${name}.at`]: tree.path(node).join(".") }, false);
		setFocus(0);
	};
	const pick = (node: number) => {
		if (tree.chain[node]! > 1)
			setParams({ [`${name}.frames`]: "all", [`${name}.at`]: tree.path(node).join(".") }, false);
		else zoom(node === top ? tree.parent[node]! : node);
	};
	const walk = (key: string): number => {
		const from = focus || top;
		if (!from) return key === "ArrowDown" ? (view.layout.levels[0]?.[0] ?? 0) : 0;
		if (key === "ArrowUp") return tree.parent[from]! || from;
		if (key === "ArrowDown") return view.widestBelow(from) || from;
		const level = view.layout.levels[tree.depth[from]! - 1]!;
		return level[level.indexOf(from) + (key === "ArrowRight" ? 1 : -1)] ?? from;
	};
	const current = found.nodes.indexOf(focus);
	const step = (by: 1 | -1) => {
		const { nodes } = found;
		const next =
			nodes[
				(current < 0 && by < 0 ? nodes.length - 1 : current + by + nodes.length) % nodes.length
			]!;
		setFocus(next);
		// What is too narrow to be seen is zoomed to.
		if (
			tree.total[next]! < tree.total[top]! / 1000 ||
			!(tree.isAbove(top, next) || tree.isAbove(next, top) || next === top)
		)
			setParams({ [`${name}.at`]: tree.path(next).join(".") });
	};
	const stackText = (node: number) => {
		const frames = view.framesTo(node).map((frame) => visible(names[frame] ?? ""));
		return (order === "leaves" ? frames.reverse() : frames).join("\n");
	};
	const text = (node: number) =>
		`${costText(tree.total[node]!, unit)}, ${percent(tree.total[node]!, whole)}`;
	const tip = (node: number) => (
		<>
			<Frame text={nameOfNode(view, node)} most={400} />
			<TipTable
				rows={
					data.sets && props.sets
						? [
								[props.sets[0], costText(tree.first[node]!, unit)],
								[props.sets[1], costText(tree.second[node]!, unit)],
							]
						: [
								["inclusive", text(node)],
								["itself", costText(tree.own[node]!, unit)],
							]
				}
			/>
		</>
	);
	const told = focus || top;
	return (
		<Section
			title={props.title}
			note={
				search
					? found.nodes.length
						? `${costText(found.cost, unit)} in stacks that match, ${percent(found.cost, whole)}`
						: `No function matches${search.fault ? ` (as text: ${search.fault})` : ""}`
					: focus
						? `${shorten(frameParts(nameOfNode(view, focus)).name, 80)}: ${text(focus)}`
						: props.note
			}
			tools={
				<span class="flame-tools no-print">
					{props.tools}
					{told && tree.chain[told]! <= 1 ? (
						<SourceLink to={props.sourceOf?.(nameOfNode(view, told))} />
					) : null}
					{told ? (
						<CopyButton
							label="Copy stack"
							title="its functions, outermost first"
							text={() => stackText(told)}
						/>
					) : null}
					{top ? (
						<button type="button" class="button" onClick={() => zoom(0)}>
							Whole graph
						</button>
					) : null}
					<FlameSearch
						query={query}
						found={found.nodes.length}
						at={current}
						onQuery={(text) => setParams({ [`${name}.q`]: text })}
						onStep={step}
					/>
					{hasFolds ? (
						<Choice
							label="Chains of kernel frames"
							options={[
								["", "Folded"],
								["all", "All frames"],
							]}
							value={isWhole ? "all" : ""}
							onChange={(value) => setParams({ [`${name}.frames`]: value })}
						/>
					) : null}
					<Choice
						label="Order of the flame graph"
						options={[
							["roots", "Callers first"],
							["leaves", "Leaves first"],
						]}
						value={order}
						onChange={(value) =>
							setParams({ [`${name}.order`]: value === "roots" ? "" : value, [`${name}.at`]: "" })
						}
					/>
				</span>
			}
			class="flame"
		>
			<Picture
				name={name}
				label={props.label}
				height={height}
				draw={draw}
				exports={<StackExports {...props} />}
				overlay={(paint, width, _height, colors, pointer) => {
					const node = pointer
						? findNode(view, top, pointer.x, Math.floor(pointer.y / ROW), width)
						: focus;
					if (!node) return;
					const { x, w } = boxOf(view.layout, node, top, width);
					paint.frame(x, (tree.depth[node]! - 1) * ROW, Math.max(2, w), ROW - 1, colors.text, 1.5);
				}}
				hit={(x, y, width) => {
					const node = findNode(view, top, x, Math.floor(y / ROW), width);
					if (!node) return null;
					return { key: String(node), tip: tip(node), pick: () => pick(node) };
				}}
				onKey={(event) => {
					if (event.key.startsWith("Arrow")) setFocus(walk(event.key));
					else if (event.key === "Enter" && focus) pick(focus);
					else if (event.key === "Escape") zoom(0);
					else return false;
					return true;
				}}
			/>
			{data.sets ? null : <ModuleLegend look={look} frames={data.frame} />}
			{props.command ? (
				<p class="quiet flame-command no-print">
					For pprof and Perfetto: <code>{props.command}</code>
				</p>
			) : null}
		</Section>
	);
}
