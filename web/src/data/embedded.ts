// Reports that lode put into the page (src/document/html.c):
//
//   <script type="application/octet-stream" class="lode-report" data-name="mine"
//     data-schema="lode/mine/1" data-title="…" data-encoding="deflate">BASE64</script>
//   <script … class="lode-rest" data-line="0" data-encoding="deflate">BASE64</script>  (any number)
//
// `deflate` is the zlib format, in base64. Unpacked when its page is opened for the first time. What
// follows a report as `lode-rest` are members that were set apart from it (src/document/html_split.h),
// as lines of text: line 0 has those of the document, line N + 1 those of its item N. Each element
// begins with a whole line, its number `data-line`, and is unpacked when one of its lines is wanted.
import { type Members, type ReportRef, type Source, SourceError } from "./source";

/** Newer browsers have it built in. */
type FromBase64 = { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	const builtIn = (Uint8Array as FromBase64).fromBase64;
	if (builtIn) return builtIn.call(Uint8Array, base64);
	const binary = atob(base64);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function unpack(element: HTMLElement): Promise<string> {
	if (element.dataset.encoding !== "deflate")
		throw new SourceError("This report uses an unknown encoding.");
	if (typeof DecompressionStream === "undefined")
		throw new SourceError(
			"This browser cannot unpack the report: one of 2023 or later is needed (Chromium 80, Firefox 113, Safari 16.4).",
		);
	const stream = new Blob([bytesOf((element.textContent ?? "").trim())])
		.stream()
		.pipeThrough(new DecompressionStream("deflate"));
	const text = await new Response(stream).text();
	element.textContent = ""; // its text is not needed twice
	return text;
}

interface Part {
	readonly ref: ReportRef;
	readonly element: HTMLElement;
	/** In the order of their lines. */
	readonly rest: Array<{ first: number; element: HTMLElement; lines?: Promise<string[]> }>;
}

/** Members of one line. */
async function membersAt(part: Part, line: number): Promise<Members> {
	const block = part.rest.findLast((b) => b.first <= line);
	if (!block) return {};
	block.lines ??= unpack(block.element).then((text) => text.split("\n"));
	return JSON.parse(`{${(await block.lines)[line - block.first] ?? ""}}`) as Members;
}

export function embeddedSource(root: Document): Source {
	const parts = new Map<string, Part>();
	let last: Part | undefined;
	for (const element of root.querySelectorAll<HTMLElement>(
		"script.lode-report, script.lode-rest",
	)) {
		if (element.className === "lode-rest") {
			last?.rest.push({ first: Number(element.dataset.line), element });
			continue;
		}
		const { name = "", schema = "", title = "" } = element.dataset;
		last = { ref: { name, schema, title }, element, rest: [] };
		parts.set(name, last);
	}
	const loaded = new Map<string, Promise<unknown>>();
	return {
		home: "file",
		list: async () => [...parts.values()].map((part) => part.ref),
		report(name) {
			const known = loaded.get(name);
			if (known) return known;
			const part = parts.get(name);
			const promise = part
				? unpack(part.element).then((text): unknown => JSON.parse(text))
				: Promise.reject(new SourceError("This page has no such report."));
			loaded.set(name, promise);
			return promise;
		},
		rest(name) {
			const part = parts.get(name);
			if (!part?.rest.length) return undefined;
			return { whole: () => membersAt(part, 0), item: (at) => membersAt(part, at + 1) };
		},
	};
}
