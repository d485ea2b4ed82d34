// Groups of recordings side by side: a column of all symptom time for each release, day or host.
import { useCallback, useMemo } from "preact/hooks";
import type { CoverageReport } from "../../data/reports";
import type { ReportRef } from "../../data/source";
import { leftAxis } from "../../shared/axis";
import type { Draw } from "../../shared/export";
import { costIn, count, percent, visible } from "../../shared/format";
import { goTo, useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { Picture } from "../../shared/picture";
import { linear } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { category, useColors } from "../../shared/theme";
import { TipTable } from "../../shared/tooltip";
import { paintPart } from "./paint";
import { type Group, type Part, partsOf, type Signature } from "./parts";

const HEIGHT = 260;
const LEFT = 46;
const BOTTOM = HEIGHT - 36;
/** Columns of the table that are signatures. */
const MOST_COLUMNS = 6;

interface GroupsProps {
	report: CoverageReport;
	reference: ReportRef;
	named: readonly Signature[];
	groups: readonly Group[];
	by: string;
}

interface Place {
	readonly part: Part;
	readonly from: number;
	readonly to: number;
}

export function GroupColumns(props: GroupsProps) {
	const { named, by } = props;
	const colors = useColors();
	return (
		<>
			<Section
				title={`By ${visible(by)}`}
				note="shares of each group's symptom time"
				tools={
					<span class="legend">
						{named.slice(0, 8).map((s, at) => (
							<span key={s.name}>
								<i class="chip" style={{ background: category(colors, at) }} />
								<Name text={s.name} most={28} />
							</span>
						))}
						{named.length > 8 ? <span>and {count(named.length - 8)} more</span> : null}
					</span>
				}
			>
				<Columns {...props} />
			</Section>
			<GroupTable {...props} />
		</>
	);
}

function Columns({ report, reference, named, groups, by }: GroupsProps) {
	const stacks = useMemo(() => {
		const of = named.map((s) => new Map(s.groups?.map((g) => [g.name, g.exclusive_ns])));
		return groups.map((group): Place[] => {
			let at = 0;
			const parts = partsOf(
				named.map((s) => s.name),
				of.map((costs) => costs.get(group.name) ?? 0),
				group,
			);
			return parts.map((part) => {
				const from = at / Math.max(1, group.symptom_ns);
				at += part.ns;
				return { part, from, to: at / Math.max(1, group.symptom_ns) };
			});
		});
	}, [named, groups]);
	const [at, setAt] = useParam("group");
	const focus = groups.findIndex((group) => group.name === at);
	const x = useCallback((width: number) => linear([0, groups.length], [LEFT, width - 4]), [groups]);
	const y = linear([0, 1], [BOTTOM, 18]);
	const draw: Draw = useCallback(
		(paint, width, _h, colors) => {
			const sx = x(width);
			const w = Math.min(90, (sx(1) - sx(0)) * 0.72);
			leftAxis(paint, colors, y, {
				at: LEFT,
				ticks: [0, 0.25, 0.5, 0.75, 1],
				format: (v) => `${Math.round(100 * v)}\u202f%`,
				gridTo: width - 4,
			});
			groups.forEach((group, i) => {
				const middle = sx(i + 0.5);
				for (const { part, from, to } of stacks[i]!) {
					const h = y(from) - y(to);
					paintPart(
						paint,
						colors,
						part,
						middle - w / 2,
						y(to),
						w,
						Math.max(0, h - (h > 3 ? 1 : 0)),
					);
				}
				const room = sx(1) - sx(0) - 6;
				const share = percent(group.covered_ns, group.symptom_ns);
				if (paint.measure(share, 12, 600) <= room)
					paint.text(middle, 12, share, {
						fill: colors.text,
						size: 12,
						weight: 600,
						anchor: "middle",
					});
				paint.text(middle, BOTTOM + 15, group.name, {
					fill: colors.text,
					size: 12,
					anchor: "middle",
					maxWidth: room,
				});
				if (room > 70)
					paint.text(middle, BOTTOM + 30, `${count(group.streams)} rec.`, {
						fill: colors.quiet,
						size: 12,
						anchor: "middle",
						maxWidth: room,
					});
			});
		},
		[groups, stacks],
	);
	const find = (px: number, py: number, width: number) => {
		const i = Math.floor(x(width).invert(px));
		const group = groups[i];
		const share = y.invert(py);
		return group
			? { i, group, place: stacks[i]!.find((p) => share >= p.from && share < p.to) }
			: null;
	};
	return (
		<Picture
			name="groups"
			label={`Coverage by ${by}: ${groups.length} groups side by side`}
			height={HEIGHT}
			draw={draw}
			overlay={(paint, width, _h, colors, pointer) => {
				const i = pointer ? Math.floor(x(width).invert(pointer.x)) : focus;
				if (i < 0 || i >= groups.length) return;
				const sx = x(width);
				paint.frame(
					sx(i) + 2,
					1,
					sx(1) - sx(0) - 4,
					HEIGHT - 2,
					pointer ? colors.line : colors.accent,
				);
			}}
			hit={(px, py, width) => {
				const found = find(px, py, width);
				if (!found) return null;
				const { group, place } = found;
				const signature = place ? named[place.part.at] : undefined;
				return {
					key: `${found.i} ${place?.part.key ?? ""}`,
					...(signature
						? { pick: () => goTo({ path: [reference.name, signature.name], params: new Map() }) }
						: {}),
					tip: (
						<>
							<b>
								<bdi>{visible(group.name)}</bdi>
							</b>
							<TipTable
								rows={[
									["explained", percent(group.covered_ns, group.symptom_ns)],
									["recordings", count(group.streams)],
									...(place
										? [
												[
													place.part.title,
													`${costIn(report, place.part.ns)}, ${percent(place.part.ns, group.symptom_ns)}`,
												] as const,
											]
										: []),
								]}
							/>
						</>
					),
				};
			}}
			onKey={(event) => {
				const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
				if (!step) return false;
				setAt(groups[Math.min(groups.length - 1, Math.max(0, focus + step))]?.name ?? "");
				return true;
			}}
		/>
	);
}

function GroupTable({ report, named, groups }: GroupsProps) {
	const [selected, select] = useParam("group");
	const columns = useMemo((): Column<Group>[] => {
		const share = (ns: number, group: Group) => (ns ? percent(ns, group.symptom_ns) : "–");
		const fixed: Column<Group>[] = [
			{
				key: "name",
				title: visible(report.by ?? "group"),
				value: (g) => g.name,
				cell: (g) => <Name text={g.name} most={50} />,
				width: "minmax(100px, 280px)",
			},
			{
				key: "streams",
				title: "recordings",
				value: (g) => g.streams,
				cell: (g) => count(g.streams),
				numeric: true,
				width: "80px",
			},
			{
				key: "symptom_ns",
				title: "symptom time",
				value: (g) => g.symptom_ns,
				cell: (g) => costIn(report, g.symptom_ns),
				numeric: true,
				width: "100px",
			},
			{
				key: "coverage",
				title: "explained",
				value: (g) => g.coverage,
				cell: (g) => percent(g.covered_ns, g.symptom_ns),
				numeric: true,
				width: "82px",
			},
			{
				key: "returned_ns",
				title: "came back",
				help: "matched by retired signatures only",
				value: (g) => g.returned_ns,
				cell: (g) => share(g.returned_ns, g),
				numeric: true,
				width: "82px",
			},
		];
		const ofSignatures = named.slice(0, MOST_COLUMNS).map((s, i): Column<Group> => {
			const totals = new Map(s.groups?.map((g) => [g.name, g.total_ns]));
			return {
				key: `total_ns ${s.name}`,
				title: visible(s.name).slice(0, 24),
				help: `${i + 1}. of the signatures: share of the group's symptom time`,
				value: (g) => totals.get(g.name) ?? 0,
				cell: (g) => share(totals.get(g.name) ?? 0, g),
				numeric: true,
				width: "minmax(60px, 1fr)",
			};
		});
		return [...fixed, ...ofSignatures];
	}, [report, named]);
	return (
		<Section
			title="Groups"
			note={
				named.length > MOST_COLUMNS
					? `the ${MOST_COLUMNS} largest signatures; each signature's page has its own`
					: "total shares, which may overlap"
			}
		>
			<Table
				name="groups"
				label="Groups of recordings"
				rows={groups}
				columns={columns}
				keyOf={(g) => g.name}
				selected={selected}
				onSelect={(g) => select(g.name === selected ? "" : g.name)}
				search={(g) => g.name}
				most={20}
			/>
		</Section>
	);
}
