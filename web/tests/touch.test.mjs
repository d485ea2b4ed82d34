// With a finger: what a pointer is told by resting on it, a touch is told as well.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { accessible } from "./accessible.mjs";
import { pageOf, samples, show } from "./harness.mjs";

const file = pageOf("mine", join(samples, "startup"));

test("a touch explains a part of a picture, the second one opens it", async () => {
	const { page, close } = await show(file, { hash: "#/mine", width: 400, touch: true });
	const picture = page.getByRole("application", { name: /^Coverage/ });
	const box = await picture.boundingBox();
	assert.ok(box);
	const touch = () => page.touchscreen.tap(box.x + 12, box.y + 10);
	await touch();
	await page.getByRole("tooltip").getByText("Cluster 1").waitFor();
	assert.match(page.url(), /#\/mine$/);
	await page.touchscreen.tap(200, box.y - 40); // elsewhere
	await page.getByRole("tooltip").waitFor({ state: "detached" });
	await touch();
	await page.getByRole("heading", { name: /^Cluster 1/ }).waitFor();
	await close();
});

test("the columns of a table say what they are, without a pointer", async () => {
	const { page, close } = await show(file, { hash: "#/mine", width: 400, touch: true });
	const help = page.locator(".column-help").first();
	await help.locator("summary").tap();
	await help.getByText("own cost as a share of symptom time").waitFor();
	await accessible(page, "touch", { clicked: true });
	await close();
});
