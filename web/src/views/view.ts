// What a page is: a view of one schema. To add one: a folder, whose page.tsx exports `page`.
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
	/** Of the reports that it draws: "lode/mine/1". */
	readonly schema: string;
	/** Word in the bar: "Mine". */
	readonly title: string;
	readonly component: ComponentType<ViewProps>;
}

/** A view that is sure of its report's type, as its schema promises. */
export function view<Report extends { schema: string }>(
	schema: Report["schema"],
	title: string,
	component: ComponentType<ViewProps<Report>>,
): View {
	return { schema, title, component: component as ComponentType<ViewProps> };
}
