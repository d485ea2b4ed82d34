// How the timeline page is looked at: rows that fit, threads that are chosen, keys along stacks, what
// stays selected, where "back" leads, and paper.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pageOf, samples } from "./harness.mjs";
import { openTimeline, pageOfTrace, seconds } from "./timeline-driver.mjs";
import { crowd } from "./timeline-traces.mjs";

const sample = join(samples, "mailroom");
const mailroom = () =>
	pageOf(
		"timeline",
		"--symbols",
		join(sample, "symbols.tsv"),
		"--thread-names",
		join(sample, "threads.tsv"),
		join(sample, "mailroom.xray.zst"),
	);

test("stacks that do not fit are bands of what is innermost; rows are as they were asked for", async () => {
	const file = pageOfTrace("crowd", crowd());
	const page = await openTimeline(file);
	const styleIs = async (/** @type {string} */ name) =>
		(await page.page.getByRole("button", { name }).getAttribute("aria-pressed")) === "true";
	assert.ok(await styleIs("Leaves"));
	const first = await page.row(1);
	const last = await page.row(40);
	// 40 threads of 12 levels: all there, without scrolling through thousands of pixels.
	assert.ok(last.y - first.y < 40 * 18 && first.height >= 16);
	await page.row(1);
	const row = await page.row(4);
	await page.page.mouse.move(row.x + row.width * 0.01, row.y + row.height / 2);
	const tip = await page.tip();
	assert.equal(tip?.name, "leaf_4");
	assert.equal(tip?.facts.get("depth"), "11");
	// What is searched for is lit with its callees, though they stand on it.
	await page.search("level_11");
	const lit = await page.lit(4, 4);
	assert.ok(
		lit.every((part) => part > 0.5),
		String(lit),
	);
	await page.search("");
	await page.page.getByRole("button", { name: "Stacks" }).click();
	assert.ok((await page.row(1)).height > 12 * 5);
	const again = await openTimeline(file, { hash: new URL(page.page.url()).hash });
	assert.ok((await again.row(1)).height > 12 * 5);
	await again.close();
	// Ticking hides nothing; then only these are shown, with Shift all down to one.
	await page.page.getByLabel("Choose thread 3", { exact: true }).check();
	assert.equal((await page.threads()).length, 40);
	await page.page.getByLabel("Choose thread 6", { exact: true }).click({ modifiers: ["Shift"] });
	await page.page.getByRole("button", { name: "Only the 4 chosen" }).click();
	assert.deepEqual(await page.threads(), [3, 4, 5, 6]);
	await page.page.getByRole("button", { name: "Show all" }).click();
	assert.equal((await page.threads()).length, 40);
	// On paper: all of them, no canvas, no box that scrolls.
	await page.page.emulateMedia({ media: "print" });
	await page.page.waitForSelector(".tl-printed svg");
	const printed = (await page.page.locator(".tl-printed svg text").allTextContents()).join("\n");
	for (let tid = 1; tid <= 40; tid++) assert.ok(printed.includes(`thread ${tid}`), String(tid));
	assert.equal(await page.page.locator(".tl-rows:visible").count(), 0);
	await page.close();
});

test("keys go along stacks and across threads, and leave no trail", async () => {
	const page = await openTimeline(mailroom());
	const key = (/** @type {string} */ name) => page.selecting(() => page.page.keyboard.press(name));
	await page.page.locator(".tl-canvas").focus();
	await page.click(32394, 0.5);
	const outer = await page.details();
	assert.equal(outer.facts.get("depth"), "0");
	const places = await page.page.evaluate(() => history.length);
	await page.page.locator(".tl-canvas").focus();
	await key("Shift+ArrowDown");
	const inner = await page.details();
	assert.equal(inner.facts.get("depth"), "1");
	assert.ok(seconds(inner.facts.get("from")) >= seconds(outer.facts.get("from")));
	await key("Shift+ArrowUp");
	assert.deepEqual(await page.details(), outer);
	await key("ArrowDown");
	assert.equal((await page.details()).title, "porter 32395");
	await key("ArrowUp");
	assert.equal((await page.details()).title, "archivist 32394");
	assert.equal(await page.page.evaluate(() => history.length), places);
	await page.close();
});

test("back leads through what was selected; a link of a single call says what it knows from afar", async () => {
	const file = mailroom();
	// A stretch of 60 µs where one thread is call by call.
	const near = await openTimeline(file, { hash: "#/timeline?w=300000000-300060000" });
	await near.page.getByText("call by call").waitFor();
	await near.click(32389, 0.4);
	await near.page.locator(".tl-canvas").focus();
	await near.selecting(() => near.page.keyboard.press("Shift+ArrowRight"));
	const first = await near.details();
	const hash = new URL(near.page.url()).hash;
	await near.click(32393, 0.6);
	const second = await near.details();
	assert.notDeepEqual(second, first);
	await near.selecting(() => near.page.goBack());
	assert.deepEqual(await near.details(), first);
	await near.selecting(() => near.page.goForward());
	assert.deepEqual(await near.details(), second);
	// A drag, or some presses of a key, are one step that "back" takes back, once they have come to
	// rest; zooming to all is one at once, and what is selected stays.
	const places = await near.page.evaluate(() => history.length);
	await near.page.locator(".tl-canvas").focus();
	const still = new URL(near.page.url()).hash;
	for (let i = 0; i < 3; i++) await near.page.keyboard.press("ArrowRight");
	await near.page.waitForFunction((hash) => location.hash !== hash, still);
	assert.equal(await near.page.evaluate(() => history.length), places + 1);
	await near.page.keyboard.press("d");
	await near.page.keyboard.press("w");
	await near.page.waitForFunction((n) => history.length === n, places + 2);
	await near.page.goBack();
	await near.page.goBack();
	await near.page.waitForFunction((hash) => location.hash === hash, still);
	await near.page.keyboard.press("Home");
	const afar = await near.details();
	assert.equal(afar.title, second.title);
	for (const fact of ["duration", "from", "to", "depth"])
		assert.equal(afar.facts.get(fact), second.facts.get(fact));
	await near.page.goBack();
	await near.page.waitForFunction(() => location.hash.includes("w="));
	await near.close();
	// The same selection, opened from afar.
	const selected = /sel=[^&]*/.exec(hash)?.[0] ?? "";
	const far = await openTimeline(file, { hash: `#/timeline?${selected}` });
	const seen = await far.details();
	assert.equal(seen.title, first.title);
	for (const fact of ["from", "to"]) assert.equal(seen.facts.get(fact), first.facts.get(fact));
	assert.match(await far.page.locator("#timeline-details").innerText(), /zoom in to see it/);
	// So short a span is in no file: it says so, and does not guess.
	assert.match(
		await far.page.locator("#timeline-details").innerText(),
		/does not have the activity/,
	);
	await far.close();
});
