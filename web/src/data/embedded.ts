// Reports that lode put into the page (src/reports/html.c):
//
//   <script type="application/octet-stream" class="lode-report" data-name="mine"
//     data-schema="lode/mine/1" data-title="…" data-encoding="deflate">BASE64</script>
//
// `deflate` is the zlib format, in base64. Unpacked when its page is opened for the first time.
import { type ReportRef, type Source, SourceError } from "./source";

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	const binary = atob(base64);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function unpack(element: HTMLElement): Promise<unknown> {
	if (element.dataset.encoding !== "deflate")
		throw new SourceError("This report is packed in a way that this page does not know.");
	if (typeof DecompressionStream === "undefined")
		throw new SourceError(
			"This browser cannot unpack the report: one of 2023 or later is needed (Chromium 80, Firefox 113, Safari 16.4).",
		);
	const stream = new Blob([bytesOf((element.textContent ?? "").trim())])
		.stream()
		.pipeThrough(new DecompressionStream("deflate"));
	return JSON.parse(await new Response(stream).text());
}

export function embeddedSource(root: Document): Source {
	const parts = new Map<string, { ref: ReportRef; element: HTMLElement }>();
	for (const element of root.querySelectorAll<HTMLElement>("script.lode-report")) {
		const { name = "", schema = "", title = "" } = element.dataset;
		parts.set(name, { ref: { name, schema, title }, element });
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
				? unpack(part.element).then((report) => {
						part.element.textContent = ""; // its text is not needed twice
						return report;
					})
				: Promise.reject(new SourceError("There is no such report in this page."));
			loaded.set(name, promise);
			return promise;
		},
	};
}
