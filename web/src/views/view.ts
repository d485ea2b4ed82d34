// What a page is: a view of one schema. To add one: write it, and name it in views/index.ts.
import type { ComponentType } from "preact";
import type { ReportRef, Source } from "../data/source";

export interface ViewProps<Report = unknown> {
	readonly report: Report;
	readonly reference: ReportRef;
	readonly source: Source;
	/** The URL's path behind the report's name: ["9f8e01…"]. Read the parameters with usePlace. */
	readonly path: readonly string[];
}

export interface View {
	/** Word in the bar: "Mine". */
	readonly title: string;
	readonly component: ComponentType<ViewProps>;
}

/** A view that is sure of its report's type, as its schema promises. */
export function view<Report>(title: string, component: ComponentType<ViewProps<Report>>): View {
	return { title, component: component as ComponentType<ViewProps> };
}
