// Flame graphs, from the root down or (reverse) from the leaves: search, zoom, keys.
//
// The zoomed node and the search are in the URL: `NAME.at` (functions from the root, as their
// numbers), `NAME.q`, `NAME.order`.
import type { ComponentChildren } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import { type Draw, download, folded, speedscope } from "./export";
import { cost as costText, frameParts, percent, shorten, visible } from "./format";
import { Legend } from "./legend";
import { setParams, usePlace } from "./location";
import { Frame } from "./name";
import { Picture } from "./picture";
import { Choice, Section } from "./section";
import { type Colors, category, useColors } from "./theme";
import { TipTable } from "./tooltip";

/** Columns of a call tree, callers before what they call; `frame` are places in `names`. */
export interface FlameData {
	readonly parent: readonly number[];
	readonly frame: readonly number[];
	readonly own_ns: readonly number[];
	/** Own costs in two sets: the graph then shows what differs, as wide as `own_ns`. */
	readonly sets?: readonly [readonly number[], readonly number[]];
}

interface Node {
	readonly frame: number;
	readonly parent: Node | null;
	readonly depth: number;
	readonly children: Map<number, Node>;
	own: number;
	total: number;
	/** Totals in the two sets. */
	first: number;
	second: number;
	/** Where it lies, in shares of the whole. */
	x: number;
}

function newNode(frame: number, parent: Node | null): Node {
	return {
		frame,
		parent,
		depth: parent ? parent.depth + 1 : 0,
		children: new Map(),
		own: 0,
		total: 0,
		first: 0,
		second: 0,
		x: 0,
	};
}

function childOf(node: Node, frame: number): Node {
	let child = node.children.get(frame);
	if (!child) {
		child = newNode(frame, node);
		node.children.set(frame, child);
	}
	return child;
}

/** The tree as it came. */
function fromRoots(data: FlameData): Node {
	const root = newNode(-1, null);
	const nodes: Node[] = [];
	for (let i = 0; i < data.parent.length; i++) {
		const up = data.parent[i]! < 0 ? root : nodes[data.parent[i]!]!;
		const node = childOf(up, data.frame[i]!);
		nodes.push(node);
		node.own += data.own_ns[i]!;
		for (let n: Node | null = node; n; n = n.parent) {
			n.total += data.own_ns[i]!;
			n.first += data.sets?.[0][i] ?? 0;
			n.second += data.sets?.[1][i] ?? 0;
		}
	}
	return root;
}

/** Each stack the other way around: what runs first, then its callers. */
function fromLeaves(data: FlameData): Node {
	const root = newNode(-1, null);
	for (let i = 0; i < data.parent.length; i++) {
		const own = data.own_ns[i]!;
		if (!own) continue;
		const first = data.sets?.[0][i] ?? 0;
		const second = data.sets?.[1][i] ?? 0;
		root.total += own;
		root.first += first;
		root.second += second;
		let node = root;
		for (let at = i; at >= 0; at = data.parent[at]!) {
			node = childOf(node, data.frame[at]!);
			node.total += own;
			node.first += first;
			node.second += second;
		}
		node.own += own;
	}
	return root;
}

/** Gives every node its place: siblings by name, so that two graphs can be compared. */
function layOut(root: Node, names: readonly string[]): Node[][] {
	const levels: Node[][] = [];
	const todo: Node[] = [root];
	while (todo.length) {
		const node = todo.pop()!;
		if (node.depth > 0) {
			levels[node.depth - 1] ??= [];
			levels[node.depth - 1]!.push(node);
		}
		let x = node.x;
		const children = [...node.children.values()].sort((a, b) =>
			(names[a.frame] ?? "") < (names[b.frame] ?? "") ? -1 : 1,
		);
		for (const child of children) {
			child.x = x;
			x += child.total;
		}
		todo.push(...children.reverse());
	}
	return levels;
}

const ROW = 18;

function matcher(query: string): ((name: string) => boolean) | null {
	const text = query.trim().toLowerCase();
	return text ? (name) => name.toLowerCase().includes(text) : null;
}

/** Cost of the stacks with a match in them, each counted once. */
function matched(root: Node, names: readonly string[], match: (name: string) => boolean): number {
	let sum = 0;
	const todo: Node[] = [root];
	while (todo.length) {
		const node = todo.pop()!;
		if (node.frame >= 0 && match(names[node.frame] ?? "")) sum += node.total;
		else todo.push(...node.children.values());
	}
	return sum;
}

function pathOf(node: Node): string {
	const path: number[] = [];
	for (let n: Node | null = node; n && n.frame >= 0; n = n.parent) path.push(n.frame);
	return path.reverse().join(".");
}

function nodeAt(root: Node, path: string): Node {
	let node = root;
	for (const part of path.split(".")) {
		const child = part ? node.children.get(Number(part)) : undefined;
		if (!child) break;
		node = child;
	}
	return node;
}

function colourOf(colors: Colors, frame: string, modules: ReadonlyMap<string, number>): string {
	if (frame.startsWith("→")) return colors.mark;
	const { module } = frameParts(frame);
	if (module === "[kernel]") return colors["cat-7"];
	return category(colors, (modules.get(module) ?? 0) % 7);
}

/** Names in the legend: more would not be told apart. */
const MOST_MODULES = 6;

/** Modules by their colours; what of it is kernel, and what goes on in another thread or device. */
function ModuleLegend(props: {
	names: readonly string[];
	frames: readonly number[];
	modules: ReadonlyMap<string, number>;
}) {
	const { names, frames, modules } = props;
	const colors = useColors();
	const has = (test: (name: string) => boolean) => frames.some((at) => test(names[at] ?? ""));
	const items = [...modules.keys()].slice(0, MOST_MODULES).map((module) => {
		const frame = `${module}!`;
		return [colourOf(colors, module ? frame : "", modules), module || "no module"] as const;
	});
	if (has((name) => frameParts(name).module === "[kernel]"))
		items.push([colors["cat-7"], "[kernel]"]);
	if (has((name) => name.startsWith("→")))
		items.push([colors.mark, "→ another thread, or a device"]);
	return (
		<p class="picture-legend flame-legend">
			<Legend items={items.map(([colour, title]) => [colour, shorten(visible(title), 40)])} />
		</p>
	);
}

/** -1: all of it is of the first set, 1: of the second, 0: both have the same. */
function leaning(node: Node): number {
	const sum = node.first + node.second;
	return sum > 0 ? (node.second - node.first) / sum : 0;
}

/** What the eye is told in words as well: more or less of it in the second set. */
function leaningMark(node: Node): string {
	const lean = leaning(node);
	return lean > 0.1 ? "+ " : lean < -0.1 ? "− " : "";
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
				title="the stacks as folded lines, for flamegraph.pl"
				aria-label={`${label}: save as folded stacks`}
				onClick={() => save(`${name}.folded`, folded(data, names), "text/plain")}
			>
				Folded
			</button>
			<button
				type="button"
				title="the stacks for speedscope.app"
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

export function Flame(props: FlameProps) {
	const { name, data, names, unit } = props;
	const place = usePlace();
	const order = place.params.get(`${name}.order`) === "leaves" ? "leaves" : "roots";
	const query = place.params.get(`${name}.q`) ?? "";
	const at = place.params.get(`${name}.at`) ?? "";
	const [focus, setFocus] = useState<Node | null>(null);

	const { root, levels, modules } = useMemo(() => {
		const tree = order === "leaves" ? fromLeaves(data) : fromRoots(data);
		const seen = new Map<string, number>();
		for (const frame of data.frame) {
			const name = names[frame] ?? "";
			const { module } = frameParts(name);
			if (module !== "[kernel]" && !name.startsWith("→") && !seen.has(module))
				seen.set(module, seen.size);
		}
		return { root: tree, levels: layOut(tree, names), modules: seen };
	}, [data, names, order]);
	const top = useMemo(() => nodeAt(root, at), [root, at]);
	const match = matcher(query);
	const found = useMemo(() => (match ? matched(root, names, match) : 0), [root, query]);
	// Callers of what is zoomed in stay, full width; below it, what it calls.
	const rows = useMemo(() => visibleRows(levels, top), [levels, top]);
	const height = Math.max(1, rows) * ROW + 2;

	const boxOf = useCallback(
		(node: Node, width: number) => {
			const scale = top.total > 0 ? width / top.total : 0;
			const above = isAbove(node, top);
			const x0 = above ? 0 : (node.x - top.x) * scale;
			const x1 = above ? width : (node.x + node.total - top.x) * scale;
			return { x: Math.max(0, x0), w: Math.min(width, x1) - Math.max(0, x0) };
		},
		[top],
	);
	const mark = (node: Node) => (data.sets ? leaningMark(node) : "");
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			for (const [level, nodes] of levels.entries()) {
				for (const node of nodes) {
					const { x, w } = boxOf(node, width);
					if (w < 0.4) continue;
					const text = names[node.frame] ?? "";
					const off = match !== null && !match(text);
					const y = level * ROW;
					const lean = leaning(node);
					const fill = !data.sets
						? colourOf(colors, text, modules)
						: lean > 0
							? colors.mark
							: colors.wait;
					const full = data.sets ? 0.6 * Math.abs(lean) : 0.42;
					const gap = w > 3 ? 1 : 0;
					if (data.sets) paint.rect(x, y, w - gap, ROW - 1, colors.grid);
					paint.rect(
						x,
						y,
						w - gap,
						ROW - 1,
						fill,
						off ? Math.min(full, 0.12) : isAbove(node, top) ? full / 2 : full,
					);
					if (w > 26)
						paint.text(x + 4, y + ROW / 2 - 0.5, `${mark(node)}${frameParts(text).name}`, {
							fill: off ? colors.quiet : colors.text,
							size: 12,
							baseline: "middle",
							maxWidth: w - 8,
						});
				}
			}
		},
		[levels, boxOf, names, modules, query, data],
	);
	const find = (x: number, y: number, width: number): Node | undefined =>
		levels[Math.floor(y / ROW)]?.find((node) => {
			const box = boxOf(node, width);
			return box.w >= 0.4 && x >= box.x && x < box.x + box.w;
		});
	const zoom = (node: Node | null) => {
		setParams({ [`${name}.at`]: node && node !== root ? pathOf(node) : "" }, false);
		setFocus(null);
	};
	const step = (key: string): Node | null => {
		const from = focus ?? (top === root ? null : top);
		if (!from) return key === "ArrowDown" ? (levels[0]?.[0] ?? null) : null;
		if (key === "ArrowUp") return from.parent === root ? from : from.parent;
		if (key === "ArrowDown")
			return [...from.children.values()].sort((a, b) => b.total - a.total)[0] ?? from;
		const row = (levels[from.depth - 1] ?? []).slice().sort((a, b) => a.x - b.x);
		const next = row.indexOf(from) + (key === "ArrowRight" ? 1 : -1);
		return row[next] ?? from;
	};
	const tip = (node: Node) => (
		<>
			<Frame text={names[node.frame] ?? ""} most={400} />
			<TipTable
				rows={
					data.sets && props.sets
						? [
								[props.sets[0], costText(node.first, unit)],
								[props.sets[1], costText(node.second, unit)],
							]
						: [
								[
									"with what it calls",
									`${costText(node.total, unit)}, ${percent(node.total, root.total)}`,
								],
								["itself", costText(node.own, unit)],
							]
				}
			/>
		</>
	);
	return (
		<Section
			title={props.title}
			note={
				match
					? `${costText(found, unit)} matches, ${percent(found, root.total)}`
					: focus
						? `${frameParts(names[focus.frame] ?? "").name}: ${costText(focus.total, unit)}, ${percent(focus.total, root.total)}`
						: props.note
			}
			tools={
				<span class="flame-tools no-print">
					{props.tools}
					{top !== root ? (
						<button type="button" class="button" onClick={() => zoom(null)}>
							Whole graph
						</button>
					) : null}
					<input
						type="search"
						placeholder="Search functions"
						aria-label="Search functions of the flame graph"
						value={query}
						onInput={(event) => setParams({ [`${name}.q`]: event.currentTarget.value })}
					/>
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
					const node = pointer ? find(pointer.x, pointer.y, width) : focus;
					if (!node) return;
					const { x, w } = boxOf(node, width);
					paint.frame(x, (node.depth - 1) * ROW, Math.max(2, w), ROW - 1, colors.text, 1.5);
				}}
				hit={(x, y, width) => {
					const node = find(x, y, width);
					if (!node) return null;
					return {
						key: pathOf(node),
						tip: tip(node),
						pick: () => zoom(node === top ? node.parent : node),
					};
				}}
				onKey={(event) => {
					if (event.key.startsWith("Arrow")) {
						setFocus(step(event.key));
						return true;
					}
					if (event.key === "Enter" && focus) {
						zoom(focus);
						return true;
					}
					if (event.key === "Escape") {
						zoom(null);
						return true;
					}
					return false;
				}}
			/>
			{data.sets ? null : <ModuleLegend names={names} frames={data.frame} modules={modules} />}
			{props.command ? (
				<p class="quiet flame-command no-print">
					For pprof and Perfetto: <code>{props.command}</code>
				</p>
			) : null}
		</Section>
	);
}

/** Levels down to the last that has anything wide enough to be seen. */
function visibleRows(levels: readonly Node[][], top: Node): number {
	const least = top.total / 3000;
	for (let level = levels.length; level > 0; level--)
		if (
			levels[level - 1]!.some(
				(n) => n.total >= least && n.x + n.total > top.x && n.x < top.x + top.total,
			)
		)
			return level;
	return 0;
}

function isAbove(node: Node, of: Node): boolean {
	for (let n = of.parent; n; n = n.parent) if (n === node) return true;
	return false;
}
