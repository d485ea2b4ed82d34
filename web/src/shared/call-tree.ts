// Call trees as columns, so that a hundred thousand stacks are merged, laid out and turned around in
// the time of a frame. Node 0 stands for all of it; callers come before what they call.

/** A tree as documents have it: `frame` are places in a list of names, roots have the parent -1. */
export interface TreeColumns {
	readonly parent: readonly number[];
	readonly frame: readonly number[];
	readonly own_ns: readonly number[];
	/** Own costs in two sets: what they cost together is in `own_ns`. */
	readonly sets?: readonly [readonly number[], readonly number[]];
}

type Numbers = Float64Array;

function grown<T extends Int32Array | Float64Array>(from: T, n: number): T {
	const to = new (from.constructor as new (n: number) => T)(n);
	to.set(from);
	return to;
}

export class CallTree {
	n = 1;
	parent: Int32Array;
	/** -1 of node 0. */
	frame: Int32Array;
	depth: Int32Array;
	/** Of a node that stands for a chain of frames: how many, and the last of them. */
	chain: Int32Array;
	last: Int32Array;
	own: Numbers;
	/** With all that is below; after `sum`. */
	total: Numbers;
	/** Totals in the two sets; empty where there are none. */
	first: Numbers;
	second: Numbers;
	/** Children by caller and frame; null until somebody looks for one. */
	#slots: Int32Array | null = null;

	/** `room`: nodes that it is expected to have. */
	constructor(room: number, hasSets = false) {
		const n = Math.max(16, room + 1);
		this.parent = new Int32Array(n);
		this.frame = new Int32Array(n);
		this.depth = new Int32Array(n);
		this.chain = new Int32Array(n);
		this.last = new Int32Array(n);
		this.own = new Float64Array(n);
		this.total = new Float64Array(n);
		this.first = new Float64Array(hasSets ? n : 0);
		this.second = new Float64Array(hasSets ? n : 0);
		this.parent[0] = -1;
		this.frame[0] = -1;
	}

	get hasSets(): boolean {
		return this.first.length > 0;
	}

	#grow() {
		const n = 2 * this.parent.length;
		this.parent = grown(this.parent, n);
		this.frame = grown(this.frame, n);
		this.depth = grown(this.depth, n);
		this.chain = grown(this.chain, n);
		this.last = grown(this.last, n);
		this.own = grown(this.own, n);
		this.total = grown(this.total, n);
		if (this.hasSets) {
			this.first = grown(this.first, n);
			this.second = grown(this.second, n);
		}
		this.#slots = null;
	}

	#index(): Int32Array {
		if (this.#slots) return this.#slots;
		const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.parent.length)));
		this.#slots = slots;
		for (let node = 1; node < this.n; node++)
			slots[this.#slot(slots, this.parent[node]!, this.frame[node]!)] = node;
		return slots;
	}

	/** Where a caller's child is, or would be. */
	#slot(slots: Int32Array, parent: number, frame: number): number {
		const mask = slots.length - 1;
		let hash = Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b);
		hash ^= hash >>> 15;
		for (let at = hash & mask; ; at = (at + 1) & mask) {
			const node = slots[at]!;
			if (!node || (this.parent[node] === parent && this.frame[node] === frame)) return at;
		}
	}

	/** The caller's child of that frame; undefined: it has none. */
	find(parent: number, frame: number): number | undefined {
		const slots = this.#index();
		return slots[this.#slot(slots, parent, frame)] || undefined;
	}

	/** The same, made where there is none. */
	child(parent: number, frame: number): number {
		const slots = this.#index();
		const slot = this.#slot(slots, parent, frame);
		const known = slots[slot]!;
		if (known) return known;
		slots[slot] = this.n;
		return this.#append(parent, frame);
	}

	/** A child of which the caller knows that there is none yet. */
	push(parent: number, frame: number): number {
		this.#slots = null;
		return this.#append(parent, frame);
	}

	#append(parent: number, frame: number): number {
		const node = this.n++;
		this.parent[node] = parent;
		this.frame[node] = frame;
		this.depth[node] = this.depth[parent]! + 1;
		this.chain[node] = 1;
		this.last[node] = frame;
		if (this.n === this.parent.length) this.#grow();
		return node;
	}

	add(node: number, own: number, first = 0, second = 0) {
		this.own[node]! += own;
		if (!this.hasSets) return;
		this.first[node]! += first;
		this.second[node]! += second;
	}

	/** Adds to every caller what is below it; once, when all costs are there. */
	sum(): this {
		this.total.set(this.own);
		for (let node = this.n - 1; node > 0; node--) {
			const up = this.parent[node]!;
			this.total[up] = this.total[up]! + this.total[node]!;
			if (!this.hasSets) continue;
			this.first[up] = this.first[up]! + this.first[node]!;
			this.second[up] = this.second[up]! + this.second[node]!;
		}
		return this;
	}

	/** Frames from the root to a node. */
	path(node: number): number[] {
		const out: number[] = [];
		for (let at = node; at > 0; at = this.parent[at]!) out.push(this.frame[at]!);
		return out.reverse();
	}

	/** The node at the end of a path, or as far along it as there are nodes. */
	at(path: readonly number[]): number {
		let node = 0;
		for (const frame of path) {
			const next = this.find(node, frame);
			if (next === undefined) break;
			node = next;
		}
		return node;
	}

	isAbove(node: number, of: number): boolean {
		let at = of;
		while (at > node) at = this.parent[at]!;
		return at === node && node !== of;
	}
}

/** The tree as it came; nodes of one caller and frame are one. */
export function fromRoots(data: TreeColumns): CallTree {
	const n = data.parent.length;
	const tree = new CallTree(n, data.sets !== undefined);
	const places = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		const up = data.parent[i]!;
		const node = tree.child(up < 0 ? 0 : places[up]!, data.frame[i]!);
		places[i] = node;
		tree.add(node, data.own_ns[i]!, data.sets?.[0][i], data.sets?.[1][i]);
	}
	return tree.sum();
}

/** Each stack the other way around: what runs first, then its callers. */
export function fromLeaves(data: TreeColumns): CallTree {
	const tree = new CallTree(data.parent.length, data.sets !== undefined);
	for (let i = 0; i < data.parent.length; i++) {
		if (!data.own_ns[i]) continue;
		let node = 0;
		for (let at = i; at >= 0; at = data.parent[at]!) node = tree.child(node, data.frame[at]!);
		tree.add(node, data.own_ns[i]!, data.sets?.[0][i], data.sets?.[1][i]);
	}
	return tree.sum();
}

/** Frames of a chain that is worth a fold. */
export const LEAST_CHAIN = 3;

/**
 * The tree with its chains folded: frames of one kind, of which each calls the next one only and
 * costs nothing itself, are one node. `kindOf` by frame; 0 is never folded.
 */
export function foldChains(tree: CallTree, kindOf: Uint8Array): CallTree {
	if (!kindOf.some((kind) => kind > 0)) return tree;
	const callees = new Int32Array(tree.n);
	for (let node = 1; node < tree.n; node++) callees[tree.parent[node]!]!++;
	const follows = (node: number) => {
		const up = tree.parent[node]!;
		const kind = kindOf[tree.frame[node]!]!;
		return (
			up > 0 && kind > 0 && kindOf[tree.frame[up]!] === kind && callees[up] === 1 && !tree.own[up]
		);
	};
	const below = new Int32Array(tree.n).fill(1); // frames of the chain, from here down
	for (let node = tree.n - 1; node > 0; node--)
		if (follows(node)) below[tree.parent[node]!] = below[node]! + 1;
	const length = new Int32Array(tree.n); // of the whole chain
	const out = new CallTree(tree.n, tree.hasSets);
	const places = new Int32Array(tree.n);
	for (let node = 1; node < tree.n; node++) {
		const up = tree.parent[node]!;
		const isLater = follows(node);
		length[node] = isLater ? length[up]! : below[node]!;
		const isFolded = isLater && length[node]! >= LEAST_CHAIN;
		const place = isFolded ? places[up]! : out.push(places[up]!, tree.frame[node]!);
		places[node] = place;
		out.last[place] = tree.frame[node]!;
		if (isFolded) out.chain[place]!++;
		out.own[place] = out.own[place]! + tree.own[node]!;
		out.total[place] = Math.max(out.total[place]!, tree.total[node]!);
		if (!tree.hasSets) continue;
		out.first[place] = Math.max(out.first[place]!, tree.first[node]!);
		out.second[place] = Math.max(out.second[place]!, tree.second[node]!);
	}
	out.total[0] = tree.total[0]!;
	if (tree.hasSets) {
		out.first[0] = tree.first[0]!;
		out.second[0] = tree.second[0]!;
	}
	return out;
}

/** What a function costs: itself, and inclusive, each stack once however often it is in it. */
export interface FunctionCost {
	readonly frame: number;
	readonly own: number;
	readonly total: number;
	/** Of `total`, in the two sets; 0 of a tree without. */
	readonly first: number;
	readonly second: number;
}

export function functionCosts(tree: CallTree): FunctionCost[] {
	const { frames, tops, starts } = listsOf(tree);
	const own = new Float64Array(frames);
	for (let node = 1; node < tree.n; node++)
		own[tree.frame[node]!] = own[tree.frame[node]!]! + tree.own[node]!;
	const out: FunctionCost[] = [];
	for (let frame = 0; frame < frames; frame++) {
		const from = starts[frame]!;
		const to = starts[frame + 1]!;
		if (from === to) continue;
		let total = 0;
		let first = 0;
		let second = 0;
		for (let i = from; i < to; i++) {
			total += tree.total[tops[i]!]!;
			first += tree.first[tops[i]!] ?? 0;
			second += tree.second[tops[i]!] ?? 0;
		}
		out.push({ frame, own: own[frame]!, total, first, second });
	}
	return out.sort((a, b) => b.own - a.own || b.total - a.total || a.frame - b.frame);
}

function framesIn(tree: CallTree): number {
	let most = 0;
	for (let node = 1; node < tree.n; node++) if (tree.frame[node]! > most) most = tree.frame[node]!;
	return most + 1;
}

/**
 * Nodes of one tree merged into another, a node of that at a time: those that have a frame in common
 * under one node are one. Merged nodes that cost less than `least` are left out, and count as their
 * parent's own cost: what is below them is never looked at.
 */
class Merge {
	readonly out: CallTree;
	/** Of the frames met under the node in hand: which, what they cost, the first of their members. */
	readonly #met: { frame: Int32Array; cost: Float64Array; first: Int32Array };
	#n = 0;
	/** Of a frame: its place in `#met`, and under which node it was met. */
	readonly #place: Int32Array;
	readonly #under: Int32Array;
	/** First member of each node of `out`; the next one of each member. */
	readonly first = [0];
	readonly later: Int32Array;

	constructor(
		frames: number,
		members: number,
		readonly least: number,
	) {
		this.out = new CallTree(64);
		this.#met = {
			frame: new Int32Array(frames),
			cost: new Float64Array(frames),
			first: new Int32Array(frames),
		};
		this.#place = new Int32Array(frames);
		this.#under = new Int32Array(frames).fill(-1);
		this.later = new Int32Array(members);
	}

	/** A member of the child of `at` with this frame. */
	add(at: number, frame: number, member: number, cost: number) {
		const met = this.#met;
		if (this.#under[frame] !== at) {
			this.#under[frame] = at;
			this.#place[frame] = this.#n;
			met.frame[this.#n] = frame;
			met.cost[this.#n] = 0;
			met.first[this.#n++] = 0;
		}
		const place = this.#place[frame]!;
		met.cost[place] = met.cost[place]! + cost;
		this.later[member] = met.first[place]!;
		met.first[place] = member;
	}

	/** All members of the children of `at` are there. */
	close(at: number) {
		const met = this.#met;
		for (let i = 0; i < this.#n; i++)
			if (met.cost[i]! < this.least) this.out.own[at] = this.out.own[at]! + met.cost[i]!;
			else this.first[this.out.push(at, met.frame[i]!)] = met.first[i]!;
		this.#n = 0;
	}
}

/** What a tree's nodes are asked for more than once. */
interface Lists {
	readonly child: Int32Array;
	readonly next: Int32Array;
	readonly frames: number;
	/** Nodes with no other of their frame above them, by frame: those of f are from starts[f] on. */
	readonly tops: Int32Array;
	readonly starts: Int32Array;
}

const listsOfTrees = new WeakMap<CallTree, Lists>();

/** Of a tree that has all its nodes. */
function listsOf(tree: CallTree): Lists {
	const known = listsOfTrees.get(tree);
	if (known) return known;
	const { child, next } = childLists(tree);
	const frames = framesIn(tree);
	const active = new Int32Array(frames);
	const isTop = new Uint8Array(tree.n);
	const starts = new Int32Array(frames + 2);
	for (let node = child[0]!; node; ) {
		const frame = tree.frame[node]!;
		if (active[frame] === 0) {
			isTop[node] = 1;
			starts[frame + 2] = starts[frame + 2]! + 1;
		}
		active[frame]!++;
		let to = child[node]!;
		for (let at = node; !to && at; ) {
			active[tree.frame[at]!]!--;
			to = next[at]!;
			at = tree.parent[at]!;
		}
		node = to;
	}
	for (let i = 2; i < starts.length; i++) starts[i] = starts[i]! + starts[i - 1]!;
	const tops = new Int32Array(starts[frames + 1]!);
	for (let node = 1; node < tree.n; node++)
		if (isTop[node]) tops[starts[tree.frame[node]! + 1]!++] = node;
	const lists = { child, next, frames, tops, starts };
	listsOfTrees.set(tree, lists);
	return lists;
}

function calleesOf(tree: CallTree, lists: Lists, tops: Int32Array, least: number): CallTree {
	const { child, next } = lists;
	const merge = new Merge(lists.frames, tree.n, least);
	const { out, first, later } = merge;
	for (const top of tops) {
		later[top] = first[0]!;
		first[0] = top;
	}
	for (let at = 0; at < out.n; at++) {
		for (let node = first[at]!; node; node = later[node]!) {
			out.own[at] = out.own[at]! + tree.own[node]!;
			for (let c = child[node]!; c; c = next[c]!) merge.add(at, tree.frame[c]!, c, tree.total[c]!);
		}
		merge.close(at);
	}
	return out.sum();
}

/** The nearest first: a member is one of the tops, counted from 1, as far up as the tree has come. */
function callersOf(tree: CallTree, lists: Lists, tops: Int32Array, least: number): CallTree {
	const merge = new Merge(lists.frames, tops.length + 1, least);
	const { out, first, later } = merge;
	const above = new Int32Array(tops.length + 1); // of each: its next caller
	for (let i = 1; i <= tops.length; i++) {
		above[i] = tree.parent[tops[i - 1]!]!;
		later[i] = first[0]!;
		first[0] = i;
	}
	for (let at = 0; at < out.n; at++) {
		for (let i = first[at]!, after = 0; i; i = after) {
			after = later[i]!;
			const up = above[i]!;
			const cost = tree.total[tops[i - 1]!]!;
			if (up > 0) {
				merge.add(at, tree.frame[up]!, i, cost);
				above[i] = tree.parent[up]!;
			} else out.own[at] = out.own[at]! + cost;
		}
		merge.close(at);
	}
	return out.sum();
}

/**
 * Callers of a function, the nearest first, and what it calls: node 0 of both trees has its inclusive
 * cost. Nodes below `least` are left out, as in `layOut`.
 */
export function sandwichOf(
	tree: CallTree,
	frame: number,
	least = 0,
): { callers: CallTree; callees: CallTree } {
	const lists = listsOf(tree);
	const tops = lists.tops.subarray(lists.starts[frame] ?? 0, lists.starts[frame + 1] ?? 0);
	return {
		callers: callersOf(tree, lists, tops, least),
		callees: calleesOf(tree, lists, tops, least),
	};
}

/** First callee of each node, and the next one of its caller; 0: none. `order`: all nodes, siblings in it. */
function childLists(tree: CallTree, order?: Int32Array) {
	const child = new Int32Array(tree.n);
	const next = new Int32Array(tree.n);
	for (let i = (order ? order.length : tree.n) - 1; i > 0; i--) {
		const node = order ? order[i]! : i;
		const up = tree.parent[node]!;
		next[node] = child[up]!;
		child[up] = node;
	}
	return { child, next };
}

/** Where the nodes of a tree lie. */
export interface Layout {
	readonly tree: CallTree;
	/** Where each begins, in costs. */
	readonly x: Float64Array;
	/** Nodes by their depth, from 1, in order of x. */
	readonly levels: ReadonlyArray<Int32Array>;
}

/**
 * Siblings by name, so that two graphs can be compared. `rank`: of each frame's name (rankOf). Nodes
 * that cost less than `least` are left out: what is never zoomed has no pixel for them.
 */
export function layOut(tree: CallTree, rank: Int32Array, least = 0): Layout {
	// By counting: strings are compared once per name, not per node.
	const starts = new Int32Array(rank.length + 2);
	let n = 0;
	for (let node = 1; node < tree.n; node++) {
		if (tree.total[node]! < least) continue;
		const at = rank[tree.frame[node]!]! + 1;
		starts[at] = starts[at]! + 1;
		n++;
	}
	for (let i = 1; i < starts.length; i++) starts[i] = starts[i]! + starts[i - 1]!;
	const order = new Int32Array(n + 1);
	for (let node = 1; node < tree.n; node++)
		if (tree.total[node]! >= least) order[1 + starts[rank[tree.frame[node]!]!]!++] = node;
	const { child, next } = childLists(tree, order);
	const x = new Float64Array(tree.n);
	const levels: Int32Array[] = [];
	for (let level = Int32Array.of(0); level.length; ) {
		const below: number[] = [];
		for (const node of level) {
			let at = x[node]!;
			for (let c = child[node]!; c; c = next[c]!) {
				x[c] = at;
				at += tree.total[c]!;
				below.push(c);
			}
		}
		level = Int32Array.from(below);
		if (level.length) levels.push(level);
	}
	return { tree, x, levels };
}

export function rankOf(names: readonly string[]): Int32Array {
	const order = names.map((_, i) => i).sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
	const rank = new Int32Array(names.length);
	order.forEach((frame, i) => {
		rank[frame] = i;
	});
	return rank;
}
