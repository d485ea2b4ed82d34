import { useMemo } from "preact/hooks";
import type { SuspectsReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { cost as costText, count, pct, ratio } from "../../shared/format";
import { goTo, useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { SignificantChoice } from "./contrasts";
import { chance, isVersus, nameOf, SIGNIFICANT, type Suspect } from "./model";

export function Functions({ report, reference }: { report: SuspectsReport; reference: ReportRef }) {
	const [scores, setScores] = useParam("scores");
	const columns = useMemo(() => columnsOf(report, scores === "all"), [report, scores]);
	const [all, setAll] = useParam("functions.all");
	const significant = report.functions.filter(isSignificant);
	return (
		<Section
			title="Functions"
			note={`that ${isVersus(report) ? "occur more in A" : "are linked to slow calls"}, ranked by ${report.options.sort}`}
			tools={
				<>
					<button
						type="button"
						class="button no-print"
						aria-pressed={scores === "all"}
						onClick={() => setScores(scores === "all" ? "" : "all")}
					>
						More scores
					</button>
					<SignificantChoice
						label="Functions listed"
						n={significant.length}
						all={report.functions.length}
						value={all}
						onChange={setAll}
					/>
				</>
			}
		>
			<Table
				name="functions"
				label="Functions"
				rows={all ? report.functions : significant}
				columns={columns}
				keyOf={nameOf}
				search={nameOf}
				onSelect={(f) => goTo({ path: [reference.name, nameOf(f)], params: new Map() })}
				most={18}
				rowClass={(f) => (f.suspect ? "suspect" : "")}
				empty={`No function ${isVersus(report) ? "differs significantly" : "is significantly linked to slow calls"} (q < 0.05).`}
			/>
			{report.more ? <p class="quiet">{count(report.more)} more are not in this report.</p> : null}
		</Section>
	);
}

/** More than chance, and with something slow at all. */
const isSignificant = (f: Suspect) =>
	f.q < SIGNIFICANT && (f.slow_calls === undefined ? f.o_failed > 0 : f.slow_calls > 0);

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

function columnsOf(report: SuspectsReport, allScores: boolean): Column<Suspect>[] {
	const versus = isVersus(report);
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
			give: 3,
		},
	];
	if (versus)
		columns.push(
			{
				key: "excess",
				title: "Excess",
				help: "lower bound (95 %) of the share of its calls that B's recordings do not have",
				value: (f) => f.excess,
				cell: (f) => (f.excess === undefined ? "–" : pct(100 * f.excess)),
				numeric: true,
				width: "70px",
			},
			{
				key: "slow_calls",
				title: "in A",
				help: "calls in A's recordings",
				value: (f) => f.slow_calls,
				cell: (f) => count(f.slow_calls ?? 0),
				numeric: true,
				width: "64px",
			},
			{
				key: "fast_calls",
				title: "in B",
				help: "calls in B's recordings",
				value: (f) => f.fast_calls,
				cell: (f) => count(f.fast_calls ?? 0),
				numeric: true,
				width: "64px",
			},
		);
	const increase: Column<Suspect>[] = [
		score(
			"increase",
			"Increase",
			"Failure minus Context: 0 if the function is always last, -Context if it never is",
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
	];
	const counted: Column<Suspect>[] = [
		{
			key: "o_failed",
			title: "slow",
			help: "slow calls with it anywhere in the stack",
			value: (f) => f.o_failed,
			cell: (f) => count(f.o_failed),
			numeric: true,
			width: "56px",
		},
		{
			key: "n_counted",
			title: "of",
			help: "calls with it anywhere in the stack, slow or not",
			value: (f) => f.o_failed + f.o_success,
			cell: (f) => count(f.o_failed + f.o_success),
			numeric: true,
			width: "62px",
		},
	];
	columns.push(
		...(versus ? [] : [...increase, ...counted]),
		{
			key: "q",
			title: "q",
			help: "probability of such a difference by chance, corrected for all functions tested",
			value: (f) => -f.log10_q,
			csv: [
				["q", (f) => f.q],
				["log10_q", (f) => f.log10_q],
			],
			cell: (f) => chance(f.q, f.log10_q),
			numeric: true,
			width: "60px",
		},
		{
			key: "mean_ns",
			title: "mean",
			value: (f) => f.mean_ns,
			cell: (f) => costText(f.mean_ns),
			numeric: true,
			width: "68px",
		},
	);
	if (allScores)
		columns.push(
			...(versus ? increase : []),
			score("failure", "Failure", "share of slow calls where it is the innermost function"),
			score("context", "Context", "share of slow calls where it is anywhere on the stack"),
			score("ochiai", "Ochiai", "Ochiai's coefficient"),
			score("tarantula", "Tarantula", "Tarantula's suspiciousness", "62px"),
			score("dstar", "DStar", "DStar, with squared failures", "56px"),
			score("importance", "Importance", "CBI's Importance", "72px"),
		);
	return columns;
}
