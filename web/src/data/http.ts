// Reports of a server on the same origin:
//
//   GET api/reports               {reports: [{name, schema, title, stale}]}
//   GET api/reports/NAME          the document
//   GET api/reports/NAME/WHAT?…   what only the engine knows
//   POST api/reports/NAME/WHAT    a change
//   GET api/session               {may_change}
import { type ReportRef, type Session, type Source, SourceError } from "./source";

/** The server's own sentence, or one of ours. */
async function refusal(response: Response): Promise<SourceError> {
	const said: unknown = await response.json().catch(() => null);
	const error = (said as { error?: unknown } | null)?.error;
	if (typeof error === "string" && error) {
		const sentence = error.charAt(0).toUpperCase() + error.slice(1);
		return new SourceError(/[.?!]$/.test(sentence) ? sentence : `${sentence}.`, response.status);
	}
	return new SourceError(`The server answered ${response.status}.`, response.status);
}

async function send(path: string, options: RequestInit = {}): Promise<unknown> {
	const response = await fetch(path, {
		credentials: "same-origin",
		...options,
		headers: { Accept: "application/json", ...options.headers },
	}).catch(() => {
		throw new SourceError("The server does not answer.");
	});
	if (!response.ok) throw await refusal(response);
	return response.json().catch(() => {
		throw new SourceError("The server's answer was cut short.");
	});
}

export function httpSource(): Source {
	const loaded = new Map<string, Promise<unknown>>();
	const once = (path: string) => {
		const known = loaded.get(path);
		if (known) return known;
		const promise = send(path);
		promise.catch(() => loaded.delete(path)); // the next try asks again
		loaded.set(path, promise);
		return promise;
	};
	const place = (name: string) => `api/reports/${encodeURIComponent(name)}`;
	return {
		home: "server",
		list: async () => ((await once("api/reports")) as { reports: ReportRef[] }).reports,
		renewed: async (name) => {
			const { reports } = (await send("api/reports")) as { reports: ReportRef[] };
			return reports.some((ref) => ref.name === name && !ref.stale);
		},
		report: (name) => once(place(name)),
		ask: (name, what, query) =>
			send(`${place(name)}/${encodeURIComponent(what)}?${new URLSearchParams(query)}`),
		change: (name, what, body) =>
			send(`${place(name)}/${encodeURIComponent(what)}`, {
				method: "POST",
				headers: { "Content-Type": "application/json", "X-Lode-Change": "1" },
				body: JSON.stringify(body),
			}),
		session: async () => (await send("api/session")) as Session,
	};
}
