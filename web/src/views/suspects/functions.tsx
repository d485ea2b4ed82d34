import { useMemo } from "preact/hooks";
import type { SuspectsReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { cost as costText, count, pct, plural, ratio } from "../../shared/format";
import { goTo } from "../../shared/location";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { chance, nameOf, type Suspect } from "./model";

export function Functions({ report, reference }: { report: SuspectsReport; reference: ReportRef }) {
	const columns = useMemo(() => columnsOf(report), [report]);
	return (
		<Section
			title="Functions"
			note={`ranked by ${report.options.sort}; the first ${plural(report.cut, "rank")} are suspects`}
		>
			<Table
				name="functions"
				label="Functions"
				rows={report.functions}
				columns={columns}
				keyOf={nameOf}
				search={nameOf}
				onSelect={(f) => goTo({ path: [reference.name, nameOf(f)], params: new Map() })}
				most={18}
				rowClass={(f) => (f.suspect ? "suspect" : "")}
			/>
			{report.more ? <p class="quiet">{count(report.more)} more are not in this report.</p> : null}
		</Section>
	);
}

const isKnown = (f: Suspect) => f.d_failed + f.d_success > 0 && f.increase_high > f.increase_low;

/** The end of an axis around 0 that has every Increase, and its interval, in it. */
function reachOf(functions: readonly Suspect[]): number {
	const most = Math.max(
		0,
		...functions.flatMap((f) =>
			isKnown(f) ? [-f.increase_low, f.increase_high] : [Math.abs(f.increase)],
		),
	);
	return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((end) => most <= end) ?? 1;
}

/** Increase with its 95 % interval, on an axis from -reach to reach. */
function Interval({ f, reach }: { f: Suspect; reach: number }) {
	const at = (v: number) => `${50 + 50 * Math.max(-1, Math.min(1, v / reach))}%`;
	const known = isKnown(f);
	return (
		<svg class="interval" width="100%" height="14" aria-hidden="true">
			<line x1="50%" x2="50%" y1="0" y2="14" class="zero" />
			{known ? (
				<line x1={at(f.increase_low)} x2={at(f.increase_high)} y1="7" y2="7" class="span" />
			) : null}
			<circle cx={at(f.increase)} cy="7" r="3" />
		</svg>
	);
}

function columnsOf(report: SuspectsReport): Column<Suspect>[] {
	const versus = report.options.evidence === "sets";
	const reach = reachOf(report.functions);
	const score = (
		key: "failure" | "context" | "increase" | "ochiai" | "tarantula" | "dstar" | "importance",
		title: string,
		help: string,
		width = "56px",
	): Column<Suspect> => ({
		key,
		title,
		help,
		value: (f) => f[key],
		cell: (f) => (key === "dstar" && f.dstar === undefined ? "∞" : ratio(f[key])),
		numeric: true,
		width,
	});
	const columns: Column<Suspect>[] = [
		{ key: "rank", title: "#", value: (f) => f.rank, numeric: true, width: "30px" },
		{
			key: "function",
			title: "function",
			value: (f) => f.function,
			cell: (f) => (
				<span class="mono">
					<Name text={f.function} most={80} />
				</span>
			),
			width: "minmax(140px, 2fr)",
		},
		{
			key: "module",
			title: "module",
			value: (f) => f.module,
			cell: (f) => <Name text={f.module} most={40} />,
			width: "minmax(70px, 1fr)",
		},
	];
	if (versus)
		columns.push(
			{
				key: "excess",
				title: "Excess",
				help: "share of it that fast recordings do not have, at least (95 %)",
				value: (f) => f.excess,
				cell: (f) => (f.excess === undefined ? "–" : pct(100 * f.excess)),
				numeric: true,
				width: "70px",
			},
			{
				key: "slow_calls",
				title: "slow",
				help: "executions in slow recordings",
				value: (f) => f.slow_calls,
				cell: (f) => count(f.slow_calls ?? 0),
				numeric: true,
				width: "64px",
			},
			{
				key: "fast_calls",
				title: "fast",
				help: "executions in fast recordings",
				value: (f) => f.fast_calls,
				cell: (f) => count(f.fast_calls ?? 0),
				numeric: true,
				width: "64px",
			},
		);
	columns.push(
		score(
			"increase",
			"Increase",
			"Failure less Context: 0 if the function is always last, -Context if it never is",
		),
		{
			key: "interval",
			title: `±${reach}`,
			help: `Increase and its 95 % interval, on an axis from −${reach} to ${reach}`,
			value: (f) => f.increase_high - f.increase_low,
			csv: [
				["increase_low", (f) => f.increase_low],
				["increase_high", (f) => f.increase_high],
			],
			cell: (f) => <Interval f={f} reach={reach} />,
			numeric: true,
			left: true,
			width: "minmax(70px, 0.6fr)",
		},
		score(
			"failure",
			"Failure",
			"share of executions that failed, of those in which it is the last function",
		),
		score("context", "Context", "share of executions that failed, of those in which it occurs"),
		{
			key: "o_failed",
			title: "failed",
			help: "failed executions in which it occurs",
			value: (f) => f.o_failed,
			cell: (f) => count(f.o_failed),
			numeric: true,
			width: "56px",
		},
		{
			key: "n_counted",
			title: "of",
			help: "failed or succeeded executions in which it occurs",
			value: (f) => f.o_failed + f.o_success,
			cell: (f) => count(f.o_failed + f.o_success),
			numeric: true,
			width: "62px",
		},
		{
			key: "q",
			title: "q",
			help: "chance that it goes with what failed by accident, held for all functions together",
			value: (f) => -f.log10_q,
			csv: [
				["q", (f) => f.q],
				["log10_q", (f) => f.log10_q],
			],
			cell: (f) => chance(f.q, f.log10_q),
			numeric: true,
			width: "60px",
		},
		score("ochiai", "Ochiai", "Ochiai's coefficient"),
		score("tarantula", "Tarantula", "Tarantula's suspiciousness", "62px"),
		score("dstar", "DStar", "DStar, with the square of what failed", "56px"),
		score("importance", "Importance", "CBI's Importance", "72px"),
		{
			key: "mean_ns",
			title: "mean",
			value: (f) => f.mean_ns,
			cell: (f) => costText(f.mean_ns),
			numeric: true,
			width: "68px",
		},
	);
	return columns;
}
