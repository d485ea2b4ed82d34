// How call trees are drawn, level by level: colours, names, folded chains, and what lies where.
import type { CallTree, Layout } from "./call-tree";
import { frameParts } from "./format";
import type { Paint } from "./paint";
import { foldLabel, kindOfFrame } from "./plumbing";
import { type Colors, category } from "./theme";

export const ROW = 18;

/** Nodes that are narrower are not drawn. */
const LEAST = 0.4;

/** Names of a document's frames with what all pictures of them need, worked out once. */
export class TreeLook {
	/** Of frames, as chains of them are folded. */
	readonly kinds: Uint8Array;
	/** Modules by the order in which they are first met: their colours. */
	readonly modules = new Map<string, number>();

	constructor(
		readonly names: readonly string[],
		frames: readonly number[],
	) {
		this.kinds = Uint8Array.from(names, kindOfFrame);
		const isMet = new Uint8Array(names.length);
		for (const frame of frames) {
			if (isMet[frame]) continue;
			isMet[frame] = 1;
			const name = names[frame] ?? "";
			const { module } = frameParts(name);
			if (module !== "[kernel]" && !name.startsWith("→") && !this.modules.has(module))
				this.modules.set(module, this.modules.size);
		}
	}

	colourOf(colors: Colors, frame: string): string {
		if (frame.startsWith("→")) return colors.mark;
		const { module } = frameParts(frame);
		if (module === "[kernel]") return colors["cat-7"];
		return category(colors, (this.modules.get(module) ?? 0) % 7);
	}

	#fills: { colors: Colors | null; of: string[] } = { colors: null, of: [] };

	/** The same by a frame's number, worked out once per theme. */
	fillOf(colors: Colors, frame: number): string {
		if (this.#fills.colors !== colors) this.#fills = { colors, of: [] };
		this.#fills.of[frame] ??= this.colourOf(colors, this.names[frame] ?? "");
		return this.#fills.of[frame];
	}

	/** `whole`: the tree before its chains were folded. */
	view(layout: Layout, whole: CallTree): FlameView {
		return new FlameView(this, layout, whole);
	}
}

export class FlameView {
	constructor(
		readonly look: TreeLook,
		readonly layout: Layout,
		readonly whole: CallTree,
	) {}

	/** The frames that a node stands for. */
	frames(node: number): number[] {
		const { tree } = this.layout;
		if (tree.chain[node]! <= 1) return [tree.frame[node]!];
		return this.framesTo(node).slice(-tree.chain[node]!);
	}

	/** All frames from the root to a node, folded ones too. */
	framesTo(node: number): number[] {
		const { tree } = this.layout;
		const { whole } = this;
		let at = 0;
		const out: number[] = [];
		const steps: number[] = [];
		for (let n = node; n > 0; n = tree.parent[n]!) steps.push(n);
		for (const n of steps.reverse()) {
			at = whole.find(at, tree.frame[n]!) ?? at;
			out.push(tree.frame[n]!);
			for (let k = 1; k < tree.chain[n]!; k++) {
				at = this.#onlyCallee(at);
				out.push(whole.frame[at]!);
			}
		}
		return out;
	}

	#callees: Int32Array | undefined;
	/** Of a node that has one: folded chains have no other. */
	#onlyCallee(node: number): number {
		if (!this.#callees) {
			this.#callees = new Int32Array(this.whole.n);
			for (let n = this.whole.n - 1; n > 0; n--) this.#callees[this.whole.parent[n]!] = n;
		}
		return this.#callees[node]!;
	}

	isMatch(node: number, isFound: Uint8Array): boolean {
		const { tree } = this.layout;
		if (tree.chain[node]! <= 1) return isFound[tree.frame[node]!] === 1;
		return this.frames(node).some((frame) => isFound[frame] === 1);
	}

	widestBelow(node: number): number {
		const { tree, levels } = this.layout;
		let widest = 0;
		for (const n of levels[tree.depth[node]!] ?? [])
			if (tree.parent[n] === node && (!widest || tree.total[n]! > tree.total[widest]!)) widest = n;
		return widest;
	}
}

/** A frame's name, or what a folded chain is called. */
export function nameOfNode(view: FlameView, node: number): string {
	const { names } = view.look;
	const { tree } = view.layout;
	if (tree.chain[node]! <= 1) return names[tree.frame[node]!] ?? "";
	return foldLabel(view.frames(node).map((frame) => names[frame] ?? ""));
}

/** Where a node is when `top` is as wide as the picture; its callers are, too. */
export function boxOf({ tree, x }: Layout, node: number, top: number, width: number) {
	const scale = tree.total[top]! > 0 ? width / tree.total[top]! : 0;
	const isAbove = tree.isAbove(node, top);
	const x0 = isAbove ? 0 : (x[node]! - x[top]!) * scale;
	const x1 = isAbove ? width : x0 + tree.total[node]! * scale;
	return { x: Math.max(0, x0), w: Math.min(width, x1) - Math.max(0, x0) };
}

/** Index of the first node of a level that ends behind `at`. */
function firstBehind({ tree, x }: Layout, level: Int32Array, at: number): number {
	let low = 0;
	let high = level.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		const node = level[middle]!;
		if (x[node]! + tree.total[node]! > at) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** The node of a level at a pixel; 0: there is none. */
export function findNode(
	view: FlameView,
	top: number,
	px: number,
	level: number,
	width: number,
): number {
	const { layout } = view;
	const { tree, x, levels } = layout;
	const nodes = levels[level];
	if (!nodes || px < 0 || px >= width) return 0;
	if (level + 1 <= tree.depth[top]!) {
		let above = top;
		while (tree.depth[above]! > level + 1) above = tree.parent[above]!;
		return above;
	}
	const at = x[top]! + (px / width) * tree.total[top]!;
	const node = nodes[firstBehind(layout, nodes, at)] ?? 0;
	return node && x[node]! <= at && boxOf(layout, node, top, width).w >= LEAST ? node : 0;
}

/** What is a smaller part of what is shown has no pixel. */
export const LEAST_PART = 3000;

/** Levels down to the last that has anything wide enough to be seen. */
export function visibleLevels({ tree, x, levels }: Layout, top: number): number {
	const least = tree.total[top]! / LEAST_PART;
	const from = x[top]!;
	const to = from + tree.total[top]!;
	for (let level = levels.length; level > 0; level--)
		for (const n of levels[level - 1]!)
			if (tree.total[n]! >= least && x[n]! + tree.total[n]! > from && x[n]! < to) return level;
	return 0;
}

/** -1: all of it is of the first set, 1: of the second, 0: both have the same. */
function leaning(tree: CallTree, node: number): number {
	const sum = tree.first[node]! + tree.second[node]!;
	return sum > 0 ? (tree.second[node]! - tree.first[node]!) / sum : 0;
}

/** What the eye is told in words as well: more or less of it in the second set. */
function leaningMark(lean: number): string {
	return lean > 0.1 ? "+ " : lean < -0.1 ? "− " : "";
}

export interface HowDrawn {
	readonly width: number;
	/** As wide as the picture. */
	readonly top: number;
	/** By frame: the others are pale; null: nothing is searched for. */
	readonly isFound: Uint8Array | null;
	/** Where the rows of a depth are. */
	readonly yOf: (depth: number) => number;
	/** Depths that are drawn; default: all. */
	readonly most?: number;
}

export function drawNodes(paint: Paint, colors: Colors, view: FlameView, how: HowDrawn) {
	const { width, top, isFound } = how;
	const { layout, look } = view;
	const { tree, x, levels } = layout;
	const end = x[top]! + tree.total[top]!;
	const put = (node: number, y: number, isAbove: boolean) => {
		const box = boxOf(layout, node, top, width);
		if (box.w < LEAST) return;
		const isChain = tree.chain[node]! > 1;
		const isOff = isFound !== null && !view.isMatch(node, isFound);
		const lean = tree.hasSets ? leaning(tree, node) : 0;
		const fill = tree.hasSets
			? lean > 0
				? colors.mark
				: colors.wait
			: look.fillOf(colors, tree.frame[node]!);
		const full = tree.hasSets ? 0.6 * Math.abs(lean) : isChain ? 0.2 : 0.42;
		const w = box.w - (box.w > 3 ? 1 : 0);
		if (tree.hasSets) paint.rect(box.x, y, w, ROW - 1, colors.grid);
		paint.rect(
			box.x,
			y,
			w,
			ROW - 1,
			fill,
			isOff ? Math.min(full, 0.12) : isAbove ? full / 2 : full,
		);
		if (box.w > 26)
			paint.text(
				box.x + 4,
				y + ROW / 2 - 0.5,
				`${leaningMark(lean)}${frameParts(nameOfNode(view, node)).name}`,
				{
					fill: isOff || isChain ? colors.quiet : colors.text,
					size: 12,
					baseline: "middle",
					maxWidth: box.w - 8,
				},
			);
	};
	for (const [i, level] of levels.entries()) {
		const depth = i + 1;
		if (depth > (how.most ?? depth)) break;
		const y = how.yOf(depth);
		if (depth <= tree.depth[top]!) {
			let above = top;
			while (tree.depth[above]! > depth) above = tree.parent[above]!;
			put(above, y, above !== top);
			continue;
		}
		for (let k = firstBehind(layout, level, x[top]!); k < level.length && x[level[k]!]! < end; k++)
			put(level[k]!, y, false);
	}
}
