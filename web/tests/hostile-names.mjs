// Hostile names for every text field of a report, and whether a page with them stays harmless.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { show, top } from "./harness.mjs";

export const HOSTILE = [
	"<script>window.hit=1</script>",
	'"><img src=x onerror="window.hit=1">',
	"javascript:window.hit=1",
	"</script><script>window.hit=1</script>",
	"\u202egnp.exe\u202c \u2066x\u2069 \u200f\u200b",
	"\u001b[2J\u001b]0;title\u0007",
	"a\u2028b\u2029c\u0000d\ufeff",
	"\ufffd\ufffd invalid",
	"=cmd|' /C calc'!A0",
	`std::map<${"std::basic_string<char, std::char_traits<char>>, ".repeat(210)}int>::operator[]`,
	"{{constructor}} &lt;b&gt; %s",
	"__proto__",
	"constructor",
];

/** Texts that nothing but their being text is said of. @param {any} s */
const isFree = (s) => s?.type === "string" && !s.pattern && !s.enum && s.const === undefined;

/** The same hostile name for the same text, so that what belongs together stays so. @param {string} text */
function hostile(text) {
	let hash = 7;
	for (const c of text) hash = (Math.imul(hash, 31) + (c.codePointAt(0) ?? 0)) >>> 0;
	return `${HOSTILE[hash % HOSTILE.length]} ${text}`;
}

/**
 * The document with hostile names in every free text, each with its old one.
 * @param {any} value @param {any} schema @param {any} root @returns {any}
 */
export function poison(value, schema, root) {
	const s = schema?.$ref ? root.definitions[schema.$ref.split("/").at(-1)] : schema;
	if (typeof value === "string") return isFree(s) ? hostile(value) : value;
	if (Array.isArray(value)) return value.map((item) => poison(item, s?.items, root));
	if (value && typeof value === "object")
		return Object.fromEntries(
			Object.entries(value).map(([key, item]) => [key, poison(item, s?.properties?.[key], root)]),
		);
	return value;
}

/** @param {string} name */
export const schemaOf = (name) =>
	JSON.parse(readFileSync(join(top, "docs", "schema", `${name}.json`), "utf8"));

/** Opens a poisoned page, and looks for anything that came to life. @param {string} path @param {string} hash */
export async function harmless(path, hash) {
	const { page, close } = await show(path, { hash });
	await page.waitForTimeout(100);
	for (const box of await page.locator(".picture-box").all()) await box.hover({ trial: false });
	const found = await page.evaluate(() => ({
		hit: /** @type {any} */ (window).hit,
		elements: document.querySelectorAll("#page script, #page img, #page iframe, #page style")
			.length,
		links: [...document.querySelectorAll("a")].filter(
			(a) => !a.getAttribute("href")?.startsWith("#"),
		).length,
		raw:
			/[\p{Cf}\p{Zl}\p{Zp}]|\p{Cc}(?<![\n\t])/u.exec(
				`${document.body.innerText}${document.title}`,
			)?.[0] ?? "",
		failed: document.querySelector("[role=alert]")?.textContent ?? "",
		text: document.body.innerText,
		width: document.documentElement.scrollWidth,
	}));
	assert.equal(found.hit, undefined, "no script of a name ran");
	assert.equal(found.elements, 0, "no name became an element");
	assert.equal(found.links, 0, "no name became a link");
	assert.equal(found.raw, "", "no mark steers the text");
	assert.equal(found.failed, "");
	assert.ok(found.width <= 1280, `${found.width} px wide`);
	assert.ok(found.text.includes("<script>"), "markup shows as text");
	// A report's first page shows all kinds of names; which a further page shows is by chance.
	if (!hash) assert.match(found.text, /\\u20[0-9a-f]{2}|\\x[01][0-9a-f]/, "marks show as escapes");
	await close();
}
