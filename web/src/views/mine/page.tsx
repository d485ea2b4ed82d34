import type { MineReport } from "../../data/reports";
import type { ViewProps } from "../view";

export function MinePage({ report, reference }: ViewProps<MineReport>) {
	return (
		<section>
			<h1>{reference.title}</h1>
			<p>{report.schema}</p>
		</section>
	);
}
