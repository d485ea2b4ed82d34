import { useMemo } from "preact/hooks";
import type { SuspectsReport } from "../../data/reports";
import { cost as costText, count, percent } from "../../shared/format";
import { Histogram, Spark } from "../../shared/histogram";
import { useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { Choice, Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { boundsOf, isVersus, type Metric } from "./model";

function domainOf(metrics: readonly Metric[]): [number, number] {
	const buckets = metrics.flatMap((m) => m.histogram);
	if (!buckets.length) return [1, 10];
	return [
		Math.max(1, Math.min(...buckets.map((b) => b.from))),
		Math.max(2, ...buckets.map((b) => b.to)),
	];
}

export function Metrics({ report }: { report: SuspectsReport }) {
	const [chosen, choose] = useParam("metric");
	const [counts, setCounts] = useParam("counts", "linear");
	const metric = report.metrics.find((m) => m.metric === chosen) ?? report.metrics[0];
	const columns = useMemo(() => columnsOf(report), [report]);
	if (!metric) return null;
	const versus = isVersus(report);
	const other = metric.other;
	return (
		<div class="metrics-two">
			<Section
				title="Metrics"
				note={`measured kinds of calls${versus ? "" : "; most time in slow calls first"}`}
			>
				<Table
					name="metrics"
					label="Metrics"
					rows={report.metrics}
					columns={columns}
					keyOf={(m) => m.metric}
					selected={metric.metric}
					onSelect={(m) => choose(m.metric)}
					search={(m) => m.metric}
					most={8}
				/>
			</Section>
			<Section
				title="Distribution"
				note={<Name text={metric.metric} />}
				tools={
					<Choice
						label="Scale of counts"
						options={[
							["linear", "Counts"],
							["log", "log"],
						]}
						value={counts === "log" ? "log" : "linear"}
						onChange={setCounts}
					/>
				}
			>
				<Histogram
					name="distribution"
					label={`Distribution of ${count(metric.n)} calls of a metric, with its thresholds`}
					unit={metric.unit}
					up={{ ...metric, title: versus ? "A" : other ? "this run" : "calls" }}
					down={other ? { ...other, title: versus ? "B" : "baseline" } : undefined}
					bounds={boundsOf(report, metric)}
					logCounts={counts === "log"}
					height={244}
				/>
			</Section>
		</div>
	);
}

function columnsOf(report: SuspectsReport): Column<Metric>[] {
	const domain = domainOf(report.metrics);
	const columns: Column<Metric>[] = [
		{
			key: "metric",
			title: "metric",
			value: (m) => m.metric,
			cell: (m) => <Name text={m.metric} most={60} />,
			width: "minmax(130px, 1fr)",
		},
		{
			key: "n",
			title: "n",
			value: (m) => m.n,
			cell: (m) => count(m.n),
			numeric: true,
			width: "62px",
		},
		{
			key: "mean_ns",
			title: "mean",
			value: (m) => m.mean_ns,
			cell: (m) => (m.n ? costText(m.mean_ns, m.unit) : "–"),
			numeric: true,
			width: "66px",
		},
		{
			key: "std_ns",
			title: "σ",
			value: (m) => m.std_ns,
			cell: (m) => (m.n ? costText(m.std_ns, m.unit) : "–"),
			numeric: true,
			width: "66px",
		},
		{
			key: "failed",
			title: "slow",
			help: "calls above the metric's threshold",
			value: (m) => m.failed,
			cell: (m) => <span title={percent(m.failed, m.n)}>{count(m.failed)}</span>,
			numeric: true,
			width: "56px",
		},
		{
			key: "histogram",
			title: "distribution",
			help: "all metrics on one logarithmic axis, counts logarithmic",
			value: (m) => m.failed_total_ns,
			csv: [["failed_total_ns", (m) => m.failed_total_ns]],
			cell: (m) => <Spark histogram={m.histogram} domain={domain} bounds={boundsOf(report, m)} />,
			width: "minmax(90px, 1fr)",
		},
	];
	return isVersus(report) ? columns.filter((c) => c.key !== "failed") : columns;
}
