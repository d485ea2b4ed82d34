import { csv, downloadCsv } from "./export";

export type Value = string | number | undefined | null;

/** Saves what a table shows as CSV; its rows are made when it is pressed. */
export function CsvButton(props: {
	/** Of the file. */
	name: string;
	/** Of the table. */
	label: string;
	header: readonly string[];
	rows: () => Iterable<readonly Value[]>;
}) {
	return (
		<span class="exports no-print">
			<button
				type="button"
				title="save this table as CSV"
				aria-label={`${props.label}: save as CSV`}
				onClick={() => downloadCsv(props.name, csv(props.header, props.rows()))}
			>
				CSV
			</button>
		</span>
	);
}
