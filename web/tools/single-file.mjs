// Makes one file of what Vite built: script and style inlined, and a content security policy that
// names both by their hashes and allows nothing else. lode puts the reports where the marker stands
// (src/document/html.c).
import { createHash } from "node:crypto";

export const DATA_MARKER = "<!--lode:data-->";

/** @param {string} text */
function hash(text) {
	return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

/**
 * Script text that cannot end its element: "</script" and "<!--" occur in strings only, where a
 * backslash before the slash or the mark changes nothing.
 * @param {string} code
 */
function inScript(code) {
	return code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

/** @returns {import("vite").Plugin} */
export function singleFile() {
	return {
		name: "lode-single-file",
		enforce: "post",
		generateBundle(_options, bundle) {
			let script = "";
			let style = "";
			for (const [name, item] of Object.entries(bundle)) {
				if (item.type === "chunk") script += item.code;
				else if (name.endsWith(".css")) style += item.source;
				else continue;
				delete bundle[name];
			}
			script = inScript(script.trim());
			style = style.trim();
			const html = bundle["index.html"];
			if (html?.type !== "asset") throw new Error("no index.html in the bundle");
			const policy = [
				"default-src 'none'",
				`script-src ${hash(script)}`,
				`style-src ${hash(style)}`,
				"img-src data: blob:",
				"connect-src 'none'",
				"base-uri 'none'",
				"form-action 'none'",
			].join("; ");
			let page = String(html.source)
				.replace(/<script type="module"[^>]*><\/script>\s*/, "")
				.replace(/<link rel="stylesheet"[^>]*>\s*/, "");
			const put = (/** @type {string} */ mark, /** @type {string} */ text) => {
				if (!page.includes(mark)) throw new Error(`index.html lacks ${mark}`);
				page = page.replace(mark, () => text);
			};
			put("<!--lode:policy-->", `<meta http-equiv="Content-Security-Policy" content="${policy}">`);
			put("<!--lode:style-->", `<style>${style}</style>`);
			put("<!--lode:script-->", `<script type="module">${script}</script>`);
			if (page.split(DATA_MARKER).length !== 2) throw new Error(`one ${DATA_MARKER} is needed`);
			html.source = page;
		},
	};
}
