// One function from the inside, as lode serve shows it: each line with what the document says of it,
// one line's instructions alone, and in a sentence what is not here. Recorded here, where that may be.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { accessible } from "./accessible.mjs";
import { lode, samples, serve, show, tableTexts, temporary } from "./harness.mjs";

const plain = (/** @type {string} */ text) => text.replace(/[\s\u202f]+/g, " ").trim();
const startup = await serve(join(samples, "startup", "startup-22.perf.data.zst"));
after(() => startup.end());

/** @param {string} url @param {string} fn @param {string} [token] */
async function sourceOf(url, fn, token) {
	const answer = await fetch(
		`${url}api/reports/mine/source?${new URLSearchParams({ function: fn })}`,
		token ? { headers: { Authorization: `Bearer ${token}` } } : {},
	);
	return { status: answer.status, document: /** @type {any} */ (await answer.json()) };
}

test("source: a function of a recording without debug information says what to do", async () => {
	const { document: report } = await sourceOf(startup.url, "pluginhost!journal_commit").then(
		(found) => (found.status === 200 ? found : sourceOf(startup.url, "pluginhost!main")),
	);
	assert.ok(report.no_lines, "nobody has the program of the sample");
	const { page, close } = await show(startup.url, {
		hash: `#/mine/source?${new URLSearchParams({ fn: report.function })}`,
	});
	await page.locator(".headline").waitFor();
	const words = plain(await page.locator("main").innerText());
	assert.ok(words.includes(plain(report.no_lines)), words);
	await accessible(page, "source without lines");
	await close();
});

test("source: of several recordings, one is chosen, the costliest first", async () => {
	const server = await serve(
		join(samples, "startup", "startup-22.perf.data.zst"),
		join(samples, "startup", "startup-08.perf.data.zst"),
	);
	const fn = "pluginhost!main";
	const { document: report } = await sourceOf(server.url, fn);
	assert.equal(report.recordings.length, 2);
	assert.equal(report.recordings[0].id, report.stream.id);
	const costs = report.recordings.map((/** @type {any} */ r) => r.inclusive_ns);
	assert.ok(costs[0] >= costs[1]);
	assert.equal(costs[0] + costs[1], report.all_ns);
	assert.equal(report.inclusive_ns, costs[0]);
	const { page, close } = await show(server.url, {
		hash: `#/mine/source?${new URLSearchParams({ fn })}`,
	});
	const choice = page.getByLabel("Recording", { exact: true });
	assert.equal(await choice.inputValue(), report.stream.id);
	const other = report.recordings[1];
	await choice.selectOption(other.id);
	await page.waitForFunction((id) => location.hash.includes(`stream=${id}`), other.id);
	await page.locator(".headline", { hasText: other.path.split("/").at(-1) }).waitFor();
	assert.equal(await choice.inputValue(), other.id);
	await accessible(page, "source of another recording");
	await page.goBack();
	await page.locator(".headline", { hasText: report.stream.path.split("/").at(-1) }).waitFor();
	await close();
	await server.end();
});

test("source: what is asked for is a function, never a file", async () => {
	for (const fn of ["/etc/passwd", "a!/etc/passwd", "../../etc/passwd", ""]) {
		const { status, document } = await sourceOf(startup.url, fn);
		assert.equal(status, fn ? 404 : 400, fn);
		assert.equal(document.schema, "lode/error/1");
	}
	const { page } = await show(startup.url, { hash: "#/mine/source?fn=none!none" });
	await page.getByText("No stack contains the function").waitFor();
});

/** A recording of a small program, its source beside it; undefined: this user may not record. */
function recorded() {
	const folder = temporary("source");
	mkdirSync(folder, { recursive: true });
	writeFileSync(
		join(folder, "busy.c"),
		`__attribute__((noinline)) unsigned long sum_up(unsigned long n)
{
	volatile unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += i; // <b>here</b>
	return sum;
}
int main(void)
{
	return sum_up(400000000) == 1;
}
`,
	);
	const flags = ["-g", "-O1", "-fno-omit-frame-pointer", "-o", "busy", "busy.c"];
	if (spawnSync("cc", flags, { cwd: folder }).status !== 0) return undefined;
	// A machine that is busy enough gives a program no sample of the function at first.
	for (let i = 0; i < 3; i++) {
		const recording = join(folder, `busy-${i}.lode`);
		try {
			lode("record", "-o", recording, join(folder, "busy"));
		} catch {
			return undefined;
		}
		if (lode("mine", "--folded", recording).includes("sum_up")) return recording;
	}
	return undefined;
}

const recording = recorded();
test(
	"source: lines and instructions are the document's",
	{
		skip: recording ? false : "this user may not record, or there is no compiler",
	},
	async () => {
		const server = await serve(
			"--source-dir",
			temporary("source"),
			/** @type {string} */ (recording),
		);
		const { origin, search, searchParams } = new URL(server.url);
		const address = `${origin}/`;
		assert.equal((await sourceOf(address, "busy!sum_up")).status, 401, "source needs the token");
		const { status, document: report } = await sourceOf(
			address,
			"busy!sum_up",
			searchParams.get("token") ?? "",
		);
		assert.equal(status, 200, report.error);
		const file = report.files[0];
		assert.ok(file.path.endsWith("/busy.c"));
		const { page, close } = await show(address, { hash: `${search}#/mine` });
		// From the cluster's functions to the source of one.
		await page.locator("[role=grid] .table-body [role=row]").first().click();
		const functions = page.locator('[role=grid][aria-label^="Functions of"]');
		await functions.getByText("sum_up").first().click();
		await page.locator(".sandwich").getByRole("link", { name: "Source" }).click();
		const grid = page.locator(`[role=grid][aria-label="Lines of ${file.path}"]`);
		await grid.waitFor();
		const headline = plain(await page.locator(".headline").innerText());
		assert.ok(headline.startsWith("busy!sum_up takes "), headline);
		const rows = await tableTexts(page, `Lines of ${file.path}`);
		assert.equal(rows.length, file.lines.length);
		file.lines.forEach((/** @type {any} */ line, /** @type {number} */ i) => {
			const text = plain(rows[i]?.join(" ") ?? "");
			assert.ok(text.includes(String(line.line)), text);
			assert.ok(text.endsWith(plain(line.text)), `${text} shows ${line.text}`);
		});
		const hot = file.lines.reduce((/** @type {any} */ a, /** @type {any} */ b) =>
			(b.exclusive_ns ?? 0) > (a.exclusive_ns ?? 0) ? b : a,
		);
		const code = report.code[0].instructions;
		const linked = await show(address, { hash: `${search}${new URL(page.url()).hash}` });
		await linked.page.locator(`[role=grid][aria-label="Lines of ${file.path}"]`).waitFor();
		await accessible(linked.page, "source");
		await linked.close();
		await grid.getByText(hot.text.trim()).first().click();
		await page.waitForFunction(() => location.hash.includes("line="));
		const of = code.filter((/** @type {any} */ i) => i.file === 0 && i.line === hot.line);
		const label = `Instructions at ${report.code[0].start}`;
		await page.getByRole("button", { name: "All instructions" }).waitFor();
		assert.deepEqual(
			(await tableTexts(page, label)).map((row) => plain(row.at(-1) ?? "")),
			of.map((/** @type {any} */ i) => plain(i.text)),
		);
		await page.goBack();
		await page.waitForFunction(() => !location.hash.includes("line="));
		for (const width of [400, 1280]) {
			await page.setViewportSize({ width, height: 900 });
			assert.ok(
				await page.evaluate(
					() => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
				),
				`no sideways scrolling at ${width} px`,
			);
		}
		await close();
		await server.end();
	},
);
