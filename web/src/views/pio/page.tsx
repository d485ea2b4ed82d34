import type { PioReport } from "../../data/reports";
import type { ViewProps } from "../view";

export function PioPage({ report, reference }: ViewProps<PioReport>) {
	return (
		<section>
			<h1>{reference.title}</h1>
			<p>{report.schema}</p>
		</section>
	);
}
