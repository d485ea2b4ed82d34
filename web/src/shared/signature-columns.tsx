// What tables of signatures have in common, whichever report they stand in.
import { PartBar } from "./bars";
import { costIn, type InUnit, percent, visible } from "./format";
import { Ending, Name } from "./name";
import type { Column } from "./table";

interface Signed {
	readonly name: string;
	readonly owner: string;
	readonly bug: string;
	readonly total_ns: number;
	/** Of symptom time; default: total_ns of it. */
	readonly share?: number;
}

interface Apart extends Signed {
	readonly exclusive_ns: number;
	readonly state: string;
}

/** The address of a bug that may be a link; undefined: it is a number, or words. */
export function bugAddress(text: string): string | undefined {
	return /^(https?:\/\/|mailto:)[^\s]+$/i.test(text) ? text : undefined;
}

/** A bug, as a link if it is an address; in a table it loses its start before its number. */
export function Bug({ text, whole }: { text: string; whole?: boolean }) {
	const shown = visible(text);
	const href = bugAddress(text);
	const label = whole ? <bdi>{shown}</bdi> : <Ending shown={shown} cut={shown.search(/[^/=]*$/)} />;
	if (!href) return label;
	return (
		<a
			href={href}
			target="_blank"
			rel="noopener noreferrer"
			onClick={(event) => event.stopPropagation()}
		>
			{label}
		</a>
	);
}

/** `symptom_ns`: of what shares are. */
export function signatureColumns<S extends Signed>(report: InUnit, symptom_ns: number) {
	const name: Column<S> = {
		key: "name",
		title: "signature",
		value: (s) => s.name,
		cell: (s) => <Name text={s.name} most={80} />,
		width: "minmax(130px, 1.2fr)",
	};
	const total: Column<S> = {
		key: "total_ns",
		title: "total",
		help: "total cost: of all events that it matches",
		value: (s) => s.total_ns,
		cell: (s) => costIn(report, s.total_ns),
		numeric: true,
		width: "72px",
	};
	const share: Column<S> = {
		key: "share",
		title: "share",
		help: "total cost as a share of symptom time",
		value: (s) => s.share ?? s.total_ns / Math.max(1, symptom_ns),
		cell: (s) => percent(s.total_ns, symptom_ns),
		numeric: true,
		width: "64px",
	};
	const owner: Column<S> = {
		key: "owner",
		title: "owner",
		value: (s) => s.owner,
		cell: (s) => <Name text={s.owner} most={60} />,
		width: "minmax(60px, 1.1fr)",
	};
	const bug: Column<S> = {
		key: "bug",
		title: "bug",
		value: (s) => s.bug,
		cell: (s) => <Bug text={s.bug} />,
		width: "minmax(60px, 1fr)",
	};
	return { name, total, share, owner, bug };
}

/** What is a signature's alone, where several may match the same time. */
export function exclusiveColumns<S extends Apart>(report: InUnit, rows: readonly S[]) {
	const cost = (ns: number) => costIn(report, ns);
	const widest = Math.max(1, ...rows.map((s) => s.total_ns));
	const text = (s: S) => `${cost(s.exclusive_ns)} alone of ${cost(s.total_ns)}`;
	const bar: Column<S> = {
		key: "bar",
		title: "exclusive, shared",
		help: "exclusive cost, then cost shared with other signatures; same scale for all rows",
		value: text,
		cell: (s) => (
			<PartBar
				parts={[
					[s.exclusive_ns, s.state === "retired" ? "var(--mark)" : "var(--accent)"],
					[s.total_ns - s.exclusive_ns, "var(--faint)"],
				]}
				whole={widest}
				label={text(s)}
			/>
		),
		width: "minmax(84px, 0.7fr)",
	};
	const exclusive: Column<S> = {
		key: "exclusive_ns",
		title: "exclusive",
		help: "cost that no other active signature matches",
		value: (s) => s.exclusive_ns,
		cell: (s) => cost(s.exclusive_ns),
		numeric: true,
		width: "76px",
	};
	return { bar, exclusive };
}
