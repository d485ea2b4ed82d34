// Reports of a server on the same origin:
//
//   GET api/reports              {reports: [{name, schema, title}]}
//   GET api/reports/NAME         the document
//   GET api/reports/NAME/WHAT?…  what only the engine knows
import { type ReportRef, type Source, SourceError } from "./source";

async function get(path: string): Promise<unknown> {
	const response = await fetch(path, {
		credentials: "same-origin",
		headers: { Accept: "application/json" },
	}).catch(() => {
		throw new SourceError("The server does not answer.");
	});
	if (!response.ok) throw new SourceError(`The server answered ${response.status}.`);
	return response.json();
}

export function httpSource(): Source {
	const loaded = new Map<string, Promise<unknown>>();
	const once = (path: string) => {
		const known = loaded.get(path);
		if (known) return known;
		const promise = get(path);
		promise.catch(() => loaded.delete(path)); // the next try asks again
		loaded.set(path, promise);
		return promise;
	};
	const place = (name: string) => `api/reports/${encodeURIComponent(name)}`;
	return {
		home: "server",
		list: async () => ((await once("api/reports")) as { reports: ReportRef[] }).reports,
		report: (name) => once(place(name)),
		ask: (name, what, query) =>
			get(`${place(name)}/${encodeURIComponent(what)}?${new URLSearchParams(query)}`),
	};
}
