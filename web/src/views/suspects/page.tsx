import type { SuspectsReport } from "../../data/reports";
import type { ViewProps } from "../view";

export function SuspectsPage({ report, reference }: ViewProps<SuspectsReport>) {
	return (
		<section>
			<h1>{reference.title}</h1>
			<p>{report.schema}</p>
		</section>
	);
}
