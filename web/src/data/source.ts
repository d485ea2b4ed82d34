// Where pages get their data from: the one interface between the views and both of their homes.
//
//   file      the reports are in the page itself (embedded.ts)
//   server    they are asked for, and so is what needs the engine (`ask`)

/** One report of the page. */
export interface ReportRef {
	/** Unique in the page, and its place in the URL: "mine", "suspects". */
	readonly name: string;
	/** "lode/mine/1": which view draws it. */
	readonly schema: string;
	/** What a person calls it: the inputs, mostly. */
	readonly title: string;
}

export interface Source {
	readonly home: "file" | "server";
	list(): Promise<readonly ReportRef[]>;
	/** The whole document that `lode COMMAND --json` prints. Asked for once, then remembered. */
	report(name: string): Promise<unknown>;
	/**
	 * What only the engine knows: single calls of a range, events of a cluster. Absent in a file, so
	 * views offer it only if it is there.
	 */
	ask?(name: string, what: string, query: Readonly<Record<string, string>>): Promise<unknown>;
}

/** A failure whose sentence is for the reader. */
export class SourceError extends Error {}
