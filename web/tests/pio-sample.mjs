// A made service of two servers, each slow once: its log, its counters, and a model of another day.
import { writeFileSync } from "node:fs";
import { lode, temporary } from "./harness.mjs";

/** A generator of numbers in [0, 1) that gives the same ones everywhere. @param {number} seed */
function random(seed) {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

/** @param {string} name @param {number} seed @param {number[]} atDb @param {number[]} atWeb */
function day(name, seed, atDb, atWeb) {
	const next = random(seed);
	const start = 1795230000;
	const during = (/** @type {number[]} */ starts, /** @type {number} */ t) =>
		starts.some((s) => t >= s && t < s + 20);
	const log = [];
	const web = ["time,cpu,connections"];
	const db = ["time,cpu,waits"];
	for (let t = 0; t < 600; t++) {
		const d = during(atDb, t);
		const w = during(atWeb, t);
		const n = d || w ? 15 : 20;
		for (let k = 0; k < n; k++) {
			const took = (0.01 + 0.01 * next()) * (d || w ? 8 : 1);
			const end = start + t + k / n + took;
			log.push(
				`10.0.0.1 - u${k % 3} [21/Nov/2026:02:00:00 +0000] "GET /shop/${k % 2 ? "cart" : "list"}?id=${k} HTTP/1.1" ` +
					`200 100 "-" "-" ${took.toFixed(3)} ${took.toFixed(3)} ${end.toFixed(3)}`,
			);
		}
		const whole = (/** @type {number} */ most) => Math.floor(next() * most);
		web.push(
			`${start + t + 1}.002,${n + whole(9) + (w ? 60 : 0)},${5 + whole(3) + (d || w ? 40 : 0)}`,
		);
		db.push(`${start + t + 1}.004,${2 * n + whole(9)},${whole(2) + (d ? 12 : 0)}`);
	}
	writeFileSync(temporary(`${name}.log`), `${log.join("\n")}\n`);
	writeFileSync(temporary(`${name}-web.csv`), `${web.join("\n")}\n`);
	writeFileSync(temporary(`${name}-db.csv`), `${db.join("\n")}\n`);
	return ["--log", `${name}.log`, "-c", `web=${name}-web.csv`, "-c", `db=${name}-db.csv`];
}

/** The command line that analyses the second day. */
export function pioSample() {
	const one = day("one", 1, [100, 400], [250, 520]);
	const two = day("two", 2, [150], [420]);
	lode("pio", "train", ...one, "-o", "model");
	return ["pio", "-m", "model", ...two];
}
