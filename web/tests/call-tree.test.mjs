// Call trees against their definitions: a stack at a time, over thousands of random trees.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transformWithEsbuild } from "vite";

const file = new URL("../src/shared/call-tree.ts", import.meta.url);
const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), "call-tree.ts");
/** @type {any} */
const trees = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);

/** The same numbers each time. @param {number} seed */
function dice(seed) {
	let state = seed >>> 0;
	return (/** @type {number} */ n) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * n);
	};
}

/** A tree with recursion, chains, and nodes of the same caller and frame. @param {number} seed */
function randomTree(seed) {
	const roll = dice(seed);
	const n = 1 + roll(24);
	const frames = 1 + roll(6);
	const columns = {
		parent: /** @type {number[]} */ ([]),
		frame: /** @type {number[]} */ ([]),
		own_ns: /** @type {number[]} */ ([]),
	};
	for (let i = 0; i < n; i++) {
		columns.parent.push(roll(6) ? roll(i + 1) - 1 : i - 1);
		columns.frame.push(roll(frames));
		columns.own_ns.push(roll(3) ? 0 : 1 + roll(9));
	}
	return { ...columns, frames };
}

/** Stacks from the root, with their costs. @param {ReturnType<typeof randomTree>} data */
function stacksOf(data) {
	return data.own_ns.flatMap((own, i) => {
		const stack = [];
		for (let at = i; at >= 0; at = data.parent[at] ?? -1) stack.unshift(data.frame[at] ?? -1);
		return own ? [{ stack, own }] : [];
	});
}

/** What a tree says of each path: "1.2.0" -> its cost with all below. @param {any} tree */
function totals(tree) {
	/** @type {Record<string, number>} */
	const out = {};
	for (let node = 1; node < tree.n; node++)
		if (tree.total[node]) out[tree.path(node).join(".")] = tree.total[node];
	return out;
}

/** The same of stacks. @param {Array<{stack: number[], own: number}>} stacks */
function totalsOf(stacks) {
	/** @type {Record<string, number>} */
	const out = {};
	for (const { stack, own } of stacks)
		for (let k = 1; k <= stack.length; k++) {
			const path = stack.slice(0, k).join(".");
			out[path] = (out[path] ?? 0) + own;
		}
	return out;
}

test("trees from the roots and from the leaves have the costs of their stacks", () => {
	for (let seed = 1; seed <= 2000; seed++) {
		const data = randomTree(seed);
		const stacks = stacksOf(data);
		assert.deepEqual(totals(trees.fromRoots(data)), totalsOf(stacks), `seed ${seed}`);
		const turned = stacks.map(({ stack, own }) => ({ stack: [...stack].reverse(), own }));
		assert.deepEqual(totals(trees.fromLeaves(data)), totalsOf(turned), `seed ${seed}`);
	}
});

test("functions cost what their stacks do, each stack once; callers and callees share that", () => {
	for (let seed = 1; seed <= 2000; seed++) {
		const data = randomTree(seed);
		const stacks = stacksOf(data);
		const tree = trees.fromRoots(data);
		for (const { frame, own, total } of trees.functionCosts(tree)) {
			const sum = (/** @type {(stack: number[]) => boolean} */ has) =>
				stacks.reduce((s, { stack, own }) => s + (has(stack) ? own : 0), 0);
			assert.equal(
				own,
				sum((stack) => stack.at(-1) === frame),
				`seed ${seed}`,
			);
			assert.equal(
				total,
				sum((stack) => stack.includes(frame)),
				`seed ${seed}`,
			);
			const { callers, callees } = trees.sandwichOf(tree, frame);
			const with_ = stacks.filter(({ stack }) => stack.includes(frame));
			const above = with_.map(({ stack, own }) => ({
				stack: stack.slice(0, stack.indexOf(frame)).reverse(),
				own,
			}));
			const below = with_.map(({ stack, own }) => ({
				stack: stack.slice(stack.indexOf(frame) + 1),
				own,
			}));
			assert.deepEqual(totals(callers), totalsOf(above), `seed ${seed}, callers of ${frame}`);
			assert.deepEqual(totals(callees), totalsOf(below), `seed ${seed}, callees of ${frame}`);
			assert.equal(callers.total[0], total);
			assert.equal(callees.total[0], total);
		}
	}
});

test("a sandwich without its smallest parts has all others, and the same sum", () => {
	for (let seed = 1; seed <= 2000; seed++) {
		const data = randomTree(seed);
		const tree = trees.fromRoots(data);
		const least = 1 + dice(seed)(12);
		for (let frame = 0; frame < data.frames; frame++) {
			const whole = trees.sandwichOf(tree, frame);
			const large = trees.sandwichOf(tree, frame, least);
			for (const side of ["callers", "callees"]) {
				const kept = Object.entries(totals(whole[side])).filter(([, total]) => total >= least);
				assert.deepEqual(
					totals(large[side]),
					Object.fromEntries(kept),
					`seed ${seed}, ${side} of ${frame}`,
				);
				assert.equal(large[side].total[0], whole[side].total[0]);
			}
		}
	}
});

test("functions have the times of both sets, each stack once", () => {
	for (let seed = 1; seed <= 500; seed++) {
		const data = randomTree(seed);
		const roll = dice(seed + 7);
		const sets = [0, 1].map(() => data.own_ns.map((own) => roll(own + 1)));
		const costs = trees.functionCosts(trees.fromRoots({ ...data, sets }));
		sets.forEach((set, k) => {
			const only = trees.functionCosts(trees.fromRoots({ ...data, own_ns: set }));
			const totals = new Map(only.map((/** @type {any} */ row) => [row.frame, row.total]));
			for (const row of costs)
				assert.equal(k ? row.second : row.first, totals.get(row.frame), `seed ${seed}`);
		});
	}
});

test("folding hides no cost and no branch, and shorter chains not at all", () => {
	for (let seed = 1; seed <= 2000; seed++) {
		const data = randomTree(seed);
		const whole = trees.fromRoots(data);
		const kinds = Uint8Array.from({ length: data.frames }, (_, frame) => (frame % 3 ? 1 : 0));
		const folded = trees.foldChains(whole, kinds);
		assert.equal(folded.total[0], whole.total[0]);
		let frames = 0;
		for (let node = 1; node < folded.n; node++) {
			const n = folded.chain[node];
			frames += n;
			assert.ok(n === 1 || (n >= trees.LEAST_CHAIN && kinds[folded.frame[node]]), `seed ${seed}`);
			let below = 0;
			for (let other = 1; other < folded.n; other++)
				if (folded.parent[other] === node) below += folded.total[other];
			assert.equal(folded.total[node], folded.own[node] + below, `seed ${seed}`);
		}
		assert.equal(frames, whole.n - 1, `seed ${seed}: every frame is somewhere`);
	}
});

test("a layout has siblings by name, side by side below their caller", () => {
	for (let seed = 1; seed <= 500; seed++) {
		const data = randomTree(seed);
		const tree = trees.fromRoots(data);
		const names = Array.from({ length: data.frames }, (_, i) => `f${(i * 7) % data.frames}`);
		const { x, levels } = trees.layOut(tree, trees.rankOf(names));
		assert.equal(
			levels.reduce((/** @type {number} */ sum, /** @type {Int32Array} */ l) => sum + l.length, 0),
			tree.n - 1,
		);
		for (const level of levels)
			level.forEach((/** @type {number} */ node, /** @type {number} */ i) => {
				const up = tree.parent[node];
				assert.ok(x[node] >= x[up] && x[node] + tree.total[node] <= x[up] + tree.total[up]);
				const before = i ? level[i - 1] : 0;
				if (!before) return;
				assert.ok(x[before] + tree.total[before] <= x[node]);
				if (tree.parent[before] === up)
					assert.ok(`${names[tree.frame[before]]}` <= `${names[tree.frame[node]]}`, `seed ${seed}`);
			});
	}
});
