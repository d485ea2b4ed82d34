// Makes the README's picture: the page of all samples, as a browser shows it.
//
//   cd web; node tools/readme-picture.mjs      LODE: the program; CHROMIUM: the browser
//
// Writes docs/pages-light.png and docs/pages-dark.png.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = mkdtempSync(join(tmpdir(), "lode-picture-"));
const file = join(folder, "samples.html");
execFileSync(
	resolve(top, process.env.LODE ?? "build/release/lode"),
	["analyze", "samples", "-o", file],
	{
		cwd: top,
	},
);
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox"],
});
for (const theme of /** @type {const} */ (["light", "dark"])) {
	const page = await browser.newPage({
		viewport: { width: 1200, height: 660 },
		colorScheme: theme,
	});
	await page.goto(`file://${file}#/mine`);
	await page.waitForSelector('[role=grid][aria-label="Clusters"]');
	await page.screenshot({ path: join(top, "docs", `pages-${theme}.png`) });
	await page.close();
}
await browser.close();
rmSync(folder, { recursive: true });
