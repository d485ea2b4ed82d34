// Where pages get their data from: the one interface between the views and both of their homes.
//
//   file      the reports are in the page itself (embedded.ts)
//   server    they are asked for, and so is what needs the engine (`ask`), and changes (`change`)

/** One report of the page. */
export interface ReportRef {
	/** Unique in the page, and its place in the URL: "mine", "suspects". */
	readonly name: string;
	/** "lode/mine/1": which view draws it. */
	readonly schema: string;
	/** What a person calls it: the inputs, mostly. */
	readonly title: string;
	/** Its repository has changed, and is being mined: another one will take its place. */
	readonly stale?: boolean;
}

/** Members of a report, or of one of its items, that were set apart from it. */
export type Members = Readonly<Record<string, unknown>>;

/** Who looks at a served page. */
export interface Session {
	readonly may_change: boolean;
}

export interface Source {
	readonly home: "file" | "server";
	list(): Promise<readonly ReportRef[]>;
	/** Of a stale report: is there a newer one? Asked again each time. Absent in a file. */
	renewed?(name: string): Promise<boolean>;
	/** The whole document that `lode COMMAND --json` prints. Asked for once, then remembered. */
	report(name: string): Promise<unknown>;
	/**
	 * What a file holds apart from a report, so that the report opens fast (src/document/html_split.h):
	 * members of the document itself, and of its item number `at`. Undefined: all is in the report.
	 * Absent from a server, which is asked instead.
	 */
	rest?(
		name: string,
	): { whole(): Promise<Members>; item(at: number): Promise<Members> } | undefined;
	/**
	 * What only the engine knows: single calls of a range, events of a cluster. Absent in a file, so
	 * views offer it only if it is there.
	 */
	ask?(name: string, what: string, query: Readonly<Record<string, string>>): Promise<unknown>;
	/** Changes something that the report stands on; what comes back is its new state. */
	change?(name: string, what: string, body: Readonly<Record<string, unknown>>): Promise<unknown>;
	session?(): Promise<Session>;
}

/** A failure whose sentence is for the reader. */
export class SourceError extends Error {
	/** HTTP's, if a server said it. */
	readonly status: number | undefined;
	constructor(sentence: string, status?: number) {
		super(sentence);
		this.status = status;
	}
}

export function reasonOf(error: unknown): string {
	if (error instanceof SourceError) return error.message;
	return `The report cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
