import type { TimelineReport } from "../../data/reports";
import type { ViewProps } from "../view";

export function TimelinePage({ report, reference }: ViewProps<TimelineReport>) {
	return (
		<section>
			<h1>{reference.title}</h1>
			<p>{report.schema}</p>
		</section>
	);
}
