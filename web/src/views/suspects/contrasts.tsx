import { useMemo } from "preact/hooks";
import type { SuspectsReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { PartBar } from "../../shared/bars";
import { cost as costText, count, percent } from "../../shared/format";
import { hrefOf, useParam } from "../../shared/location";
import { Frame, Name } from "../../shared/name";
import { Choice, Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { type Contrast, chance, isVersus, nameOf, SIGNIFICANT } from "./model";

type Half = Contrast["with"];

function Rate({ half, colour }: { half: Half; colour: string }) {
	const of = half.n;
	return (
		<span class="rate">
			<span class="rate-text">{percent(half.failed, of)}</span>
			<PartBar
				parts={[[half.failed, colour]]}
				whole={of}
				label={`${count(half.failed)} of ${count(of)}`}
			/>
		</span>
	);
}

const share = (half: Half) => half.failed / Math.max(1, half.n);

export function contrastColumns(
	reference: ReportRef,
	contrasts: readonly Contrast[],
	versus: boolean,
): Column<Contrast>[] {
	const what = versus ? "calls in A" : "slow calls";
	const columns: Array<Column<Contrast> | null> = [
		{
			key: "function",
			title: "the same call",
			help: "the last function",
			value: nameOf,
			cell: (c) => (
				<a href={hrefOf([reference.name, nameOf(c)])} class="mono">
					<Name text={c.function} most={60} />
				</a>
			),
			width: "minmax(80px, 1fr)",
		},
		contrasts.some((c) => c.metric)
			? {
					key: "metric",
					title: "metric",
					value: (c) => c.metric ?? "",
					cell: (c) => <Name text={c.metric ?? ""} most={40} />,
					width: "minmax(110px, 1fr)",
					give: 3,
				}
			: null,
		{
			key: "callers",
			title: "from this caller",
			value: (c) => c.callers.join(" › "),
			cell: (c) =>
				c.callers.map((caller, i) => (
					<span key={caller}>
						{i ? " › " : ""}
						<Frame text={caller} most={60} />
					</span>
				)),
			width: "minmax(100px, 2fr)",
			give: 0,
		},
		{
			key: "with",
			title: versus ? "in A, from it" : "slow from it",
			help: `${what}, of those with this caller`,
			value: (c) => share(c.with),
			csv: [
				["with_failed", (c) => c.with.failed],
				["with_succeeded", (c) => c.with.succeeded],
			],
			cell: (c) => <Rate half={c.with} colour="var(--mark)" />,
			width: "104px",
			numeric: true,
			left: true,
			give: 0,
		},
		{
			key: "without",
			title: versus ? "from others" : "slow from others",
			help: `${what}, of those with other callers`,
			value: (c) => share(c.without),
			csv: [
				["without_failed", (c) => c.without.failed],
				["without_succeeded", (c) => c.without.succeeded],
			],
			cell: (c) => <Rate half={c.without} colour="var(--faint)" />,
			width: "104px",
			numeric: true,
			left: true,
		},
		{
			key: "mean_with",
			title: "mean with",
			value: (c) => c.with.mean_ns,
			cell: (c) => costText(c.with.mean_ns),
			numeric: true,
			width: "76px",
		},
		{
			key: "mean_without",
			title: "mean without",
			value: (c) => c.without.mean_ns,
			cell: (c) => costText(c.without.mean_ns),
			numeric: true,
			width: "88px",
		},
		{
			key: "q",
			title: "q",
			help: "probability of such a difference by chance, corrected for all callers tested",
			value: (c) => -c.log10_q,
			csv: [
				["q", (c) => c.q],
				["log10_q", (c) => c.log10_q],
			],
			cell: (c) => chance(c.q, c.log10_q),
			numeric: true,
			width: "64px",
		},
	];
	return columns.filter((c) => c !== null);
}

/** Whether to list what could be chance; nothing to choose where all or none is more than that. */
export function SignificantChoice(props: {
	label: string;
	n: number;
	all: number;
	value: string;
	onChange: (value: string) => void;
}) {
	if (props.n === props.all) return null;
	return (
		<Choice
			label={props.label}
			options={[
				["", `Significant: ${count(props.n)}`],
				["1", `All: ${count(props.all)}`],
			]}
			value={props.value ? "1" : ""}
			onChange={props.onChange}
		/>
	);
}

/** The caller that makes a good call slow. */
export function Contrasts({ report, reference }: { report: SuspectsReport; reference: ReportRef }) {
	const columns = useMemo(
		() => contrastColumns(reference, report.contrasts, isVersus(report)),
		[reference, report],
	);
	const [all, setAll] = useParam("contrasts.all");
	const significant = report.contrasts.filter((c) => c.q < SIGNIFICANT);
	return (
		<Section
			title="Caller contrast"
			note="the same innermost function, with this caller and with others; most significant first"
			tools={
				<SignificantChoice
					label="Callers listed"
					n={significant.length}
					all={report.contrasts.length}
					value={all}
					onChange={setAll}
				/>
			}
		>
			<Table
				name="contrasts"
				label="Caller contrast"
				rows={all ? report.contrasts : significant}
				columns={columns}
				keyOf={(c) => `${nameOf(c)} ${c.metric ?? ""} ${c.callers.join(" ")}`}
				search={(c) => `${nameOf(c)} ${c.metric ?? ""} ${c.callers.join(" ")}`}
				most={12}
				empty={
					report.contrasts.length
						? "No caller makes a significant difference (q < 0.05)."
						: "No caller differences could be tested."
				}
			/>
		</Section>
	);
}
