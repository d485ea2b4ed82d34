import { useMemo } from "preact/hooks";
import type { PioReport } from "../../data/reports";
import { count, duration, percent, ratio } from "../../shared/format";
import { Name } from "../../shared/name";
import { clockText, dateText } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { shortener } from "../../shared/titles";
import { NAMED_COUNTERS, type Period } from "./model";

function times(deviation: number | undefined): string {
	if (deviation === undefined) return "";
	const size = Math.abs(deviation);
	const text = size >= 10 ? size.toFixed(0) : size.toFixed(1);
	return ` ${deviation > 0 ? "↑" : "↓"}${text}×`;
}

export function Periods(props: {
	report: PioReport;
	title: string;
	name: string;
	periods: readonly Period[];
	onOpen: (period: Period) => void;
}) {
	const { report } = props;
	const columns = useMemo(() => columnsOf(report), [report]);
	return (
		<Section title={props.title} note="select one to see it above">
			<Table
				name={props.name}
				label={props.title}
				rows={props.periods}
				columns={columns}
				keyOf={(p) => String(p.start)}
				search={(p) =>
					[
						...p.servers.map((s) => s.server),
						...p.counters.map((c) => c.counter),
						...p.actions.map((a) => a.action),
						...p.users.map((u) => u.user),
					].join(" ")
				}
				onSelect={props.onOpen}
				rowHeight={44}
				most={10}
				empty="None."
			/>
		</Section>
	);
}

function columnsOf(report: PioReport): Column<Period>[] {
	const short = shortener(report.periods.flatMap((p) => p.actions.map((a) => a.action)));
	const sameDay = dateText(report.start).slice(0, 10) === dateText(report.end).slice(0, 10);
	const columns: Column<Period>[] = [
		{
			key: "start",
			title: "start, UTC",
			value: (p) => p.start_utc,
			cell: (p) => dateText(p.start).slice(sameDay ? 11 : 0),
			width: sameDay ? "76px" : "140px",
		},
		{
			key: "end",
			title: "end",
			value: (p) => p.end,
			cell: (p) => clockText(p.end),
			width: "66px",
			give: 4,
		},
		{
			key: "duration_ns",
			title: "length",
			value: (p) => p.duration_ns,
			cell: (p) => duration(p.duration_ns),
			numeric: true,
			width: "84px",
			give: 2,
		},
		{
			key: "servers",
			title: "server",
			help: "the bottleneck first",
			value: (p) => p.servers.map((s) => s.server).join(", "),
			cell: (p) => (
				<span>
					{p.servers.slice(0, 3).map((s, i) => (
						<span key={s.server} class={s.bottleneck ? "bottleneck" : "quiet"}>
							{i ? ", " : ""}
							<Name text={s.server || "(no server)"} most={30} />
						</span>
					))}
				</span>
			),
			width: "minmax(90px, 0.45fr)",
			give: 0,
		},
		{
			key: "counters",
			title: "counters",
			value: (p) =>
				p.counters.map((c) => `${c.server}/${c.counter}${times(c.deviation)}`).join(", "),
			cell: (p) => (
				<span class="counter-list">
					{p.counters.slice(0, NAMED_COUNTERS).map((c) => (
						<span key={`${c.server} ${c.counter}`}>
							<Name text={`${c.server}/${c.counter}`} most={40} />
							{times(c.deviation)}{" "}
						</span>
					))}
				</span>
			),
			width: "minmax(140px, 2fr)",
			give: 0,
		},
	];
	if (report.has_log)
		columns.push(
			{
				key: "slow",
				title: "slow",
				value: (p) => p.slow,
				csv: [
					["slow", (p) => p.slow],
					["requests", (p) => p.requests],
				],
				cell: (p) => `${percent(p.slow ?? 0, p.requests ?? 0)} of ${count(p.requests ?? 0)}`,
				numeric: true,
				width: "116px",
				give: 2,
			},
			{
				key: "actions",
				title: "affected",
				help: "actions and users with the most slow requests",
				value: (p) => p.actions.map((a) => `${a.action} ${a.slow}`).join(", "),
				cell: (p) => (
					<span class="two-lines">
						<Name
							text={p.actions
								.slice(0, 3)
								.map((a) => `${short(a.action)} ${count(a.slow)}`)
								.join(", ")}
							most={80}
						/>
						<span class="quiet">
							<Name
								text={p.users
									.slice(0, 4)
									.map((u) => `${u.user} ${count(u.slow)}`)
									.join(", ")}
								most={80}
							/>
						</span>
					</span>
				),
				width: "minmax(140px, 1.2fr)",
				give: 3,
			},
		);
	columns.push({
		key: "evidence_max",
		title: report.classic ? "intensity" : "evidence",
		value: (p) => p.evidence_max ?? p.intensity_max,
		cell: (p) => (p.evidence_max === undefined ? count(p.intensity_max) : ratio(p.evidence_max, 2)),
		numeric: true,
		width: "70px",
		give: 4,
	});
	return columns;
}
