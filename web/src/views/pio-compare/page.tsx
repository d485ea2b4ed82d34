// Which service changed between two times.
import type { PioCompareReport } from "../../data/reports";
import { count, duration, plural } from "../../shared/format";
import { Name } from "../../shared/name";
import { Opening } from "../../shared/opening";
import { dateText } from "../../shared/scales";
import { Facts, Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { type ViewProps, view } from "../view";

export const page = view("lode/pio-compare/1", "PIO compare", ComparePage);

type Service = PioCompareReport["services"][number];
type Row = Service["counters"][number] & { readonly service: string };

const number = (value: number) => value.toPrecision(4);
const time = (value: number) => `${dateText(value)} UTC`;

const SERVICES: readonly Column<Service>[] = [
	{ key: "rank", title: "rank", value: (s) => s.rank, numeric: true, width: "60px" },
	{
		key: "service",
		title: "service",
		value: (s) => s.service,
		cell: (s) => <Name text={s.service} most={60} />,
	},
	{
		key: "confidence",
		title: "confidence",
		help: "share of the squared evidence of all services, and of the bound",
		value: (s) => s.confidence,
		cell: (s) => `${(100 * s.confidence).toFixed(0)} %`,
		numeric: true,
		width: "90px",
	},
	{
		key: "since",
		title: "since",
		value: (s) => s.since,
		cell: (s) => time(s.since),
		width: "190px",
	},
	{
		key: "counters",
		title: "first counter",
		value: (s) => s.counters[0]?.counter,
		cell: (s) => <Name text={s.counters[0]?.counter ?? ""} most={60} />,
	},
];

const COUNTERS: readonly Column<Row>[] = [
	{
		key: "service",
		title: "service",
		value: (c) => c.service,
		cell: (c) => <Name text={c.service} most={60} />,
	},
	{ key: "rank", title: "rank", value: (c) => c.rank, numeric: true, width: "60px" },
	{
		key: "counter",
		title: "counter",
		value: (c) => c.counter,
		cell: (c) => <Name text={c.counter} most={60} />,
	},
	{ key: "direction", title: "direction", value: (c) => c.direction, width: "80px" },
	{
		key: "before",
		title: "before",
		help: "median",
		value: (c) => c.before,
		cell: (c) => number(c.before),
		numeric: true,
		width: "100px",
	},
	{
		key: "after",
		title: "after",
		help: "median",
		value: (c) => c.after,
		cell: (c) => number(c.after),
		numeric: true,
		width: "100px",
	},
	{
		key: "since",
		title: "since",
		value: (c) => c.since,
		cell: (c) => time(c.since),
		width: "190px",
	},
];

function ComparePage({ report }: ViewProps<PioCompareReport>) {
	const rows = report.services.flatMap(({ service, counters }) =>
		counters.map((counter) => ({ ...counter, service })),
	);
	const span = ({ start, end, intervals }: PioCompareReport["before"]) =>
		`${time(start)} to ${time(end)}, ${plural(intervals, "interval")}`;
	return (
		<>
			<h1>What changed between two times</h1>
			<Opening report={report} />
			<Facts
				items={[
					["before", span(report.before)],
					["after", span(report.after)],
					["interval", duration(report.step_ns)],
					["services", count(report.services_compared)],
					["counters", count(report.counters_compared)],
					[
						"evidence",
						`${report.evidence.toFixed(1)}; stands out above ${report.bound.toFixed(1)}`,
					],
				]}
			/>
			{report.services.length ? (
				<>
					<Section title="Services" note="by evidence">
						<Table
							name="services"
							label="Services that changed"
							rows={report.services}
							columns={SERVICES}
							keyOf={(s) => s.service}
						/>
					</Section>
					<Section title="Counters" note="of each service, those that left what they did before">
						<Table
							name="counters"
							label="Counters that changed"
							rows={rows}
							columns={COUNTERS}
							keyOf={(c) => `${c.service}\n${c.counter}`}
							search={(c) => `${c.service} ${c.counter}`}
						/>
					</Section>
				</>
			) : null}
			<Section title="Data and method">
				<p class="quiet">
					{report.services_from === "files"
						? "Services are those of the files."
						: `Services are the part of the columns' names ${report.services_from === "before_separator" ? "before" : "behind"} "${report.separator}".`}{" "}
					{report.counters_too_few
						? `${plural(report.counters_too_few, "counter")} with too few values. `
						: ""}
					{report.counters_unmatched
						? `${plural(report.counters_unmatched, "counter")} only before or only after. `
						: ""}
					Within the time before, half against half, the largest evidence was{" "}
					{report.natural.toFixed(1)}.
				</p>
			</Section>
		</>
	);
}
