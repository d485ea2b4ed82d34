// Recordings of before and after a change, and signatures for them: folded stacks, with a name in
// them that would like to be more than a name.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporary } from "./harness.mjs";

export const EVIL = '<img src=x onerror="window.hit=1">';

/** The same numbers each time. @param {number} seed */
function dice(seed) {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1103515245) + 12345) >>> 0;
		return (state >>> 8) / 2 ** 24;
	};
}

/** @type {{before: string, after: string, signatures: string} | undefined} */
let made;

/** Nine recordings of before, six of after, and a file of signatures. */
export function loopSample() {
	if (made) return made;
	const roll = dice(4);
	const write = (
		/** @type {string} */ name,
		/** @type {number} */ n,
		/** @type {boolean} */ slow,
	) => {
		const folder = temporary(name);
		mkdirSync(folder);
		for (let i = 0; i < n; i++) {
			const cost = (/** @type {number} */ mean) => Math.round(mean * 1e6 * (0.8 + 0.4 * roll()));
			const lines = [
				`app;main;load;parse ${cost(4000)}`,
				`app;main;load;read_disk ${cost(slow ? 9000 : 3000)}`,
				`app;main;draw;layout ${cost(slow ? 500 : 2000)}`,
				`app;main;save;${slow ? EVIL : "write_cache"} ${cost(2500)}`,
			];
			if (i % 3 === 0) lines.push(`app;main;retry;net_wait ${cost(1500)}`);
			writeFileSync(join(folder, `run${i}.folded`), `${lines.join("\n")}\n`);
		}
		return folder;
	};
	const signatures = temporary("signatures.txt");
	writeFileSync(
		signatures,
		[
			`signature: ${EVIL.replaceAll(" ", "_")}\nbug: https://bugs.example/"><img src=x onerror=window.hit=1>\npattern: read_disk`,
			"signature: loading\nowner: files\npattern: load",
			"signature: drawing\nstate: retired\nbug: D-1\npattern: draw;layout",
			"signature: never\npattern: nothing_like_it",
		].join("\n\n"),
	);
	made = { before: write("before", 9, false), after: write("after", 6, true), signatures };
	return made;
}
