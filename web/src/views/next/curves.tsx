// How much streams cover that are opened in this order, beside other orders (StackMine's Figure 4).
import { useCallback, useMemo } from "preact/hooks";
import type { NextReport } from "../../data/reports";
import { bottomAxis, leftAxis } from "../../shared/axis";
import type { Draw } from "../../shared/export";
import { count, pct, percent } from "../../shared/format";
import { useParam } from "../../shared/location";
import { Picture } from "../../shared/picture";
import { linear, ticks } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import type { Colors } from "../../shared/theme";
import { TipTable } from "../../shared/tooltip";

type Compare = NonNullable<NextReport["compare"]>;
type Level = Compare["levels"][number];

/** Told apart by their dashes as well as by colour. */
const ORDERS = [
	{ key: "best", title: "this order", colour: "accent", width: 2.5, dash: [] },
	{ key: "random", title: "random (expected)", colour: "cat-7", width: 1.5, dash: [2, 3] },
	{ key: "total", title: "most symptom time first", colour: "cat-1", width: 1.5, dash: [7, 3] },
	{ key: "max", title: "longest symptom first", colour: "cat-4", width: 1.5, dash: [9, 3, 2, 3] },
] as const;

const HEIGHT = 250;
const LEFT = 54;
const BOTTOM = HEIGHT - 34;

export function Curves({ report, compare }: { report: NextReport; compare: Compare }) {
	const { curves, levels } = compare;
	const n = curves.best.length - 1;
	const [at, setAt] = useParam("opened");
	const chosen = at === "" ? -1 : Math.min(n, Math.max(0, Number(at) || 0));
	const x = useCallback((width: number) => linear([0, Math.max(1, n)], [LEFT, width - 12]), [n]);
	const y = linear([0, 1], [BOTTOM, 10]);
	const share = (ns: number) => ns / Math.max(1, report.symptom_ns);
	const draw: Draw = useCallback(
		(paint, width, _h, colors) => {
			const sx = x(width);
			leftAxis(paint, colors, y, {
				at: LEFT,
				ticks: [0, 0.25, 0.5, 0.75, 1],
				format: (v) => `${Math.round(100 * v)}\u202f%`,
				gridTo: width - 12,
			});
			bottomAxis(paint, colors, sx, {
				at: BOTTOM,
				ticks: ticks([0, Math.max(1, n)], 12).filter(Number.isInteger),
				format: count,
			});
			paint.text(LEFT, HEIGHT - 3, "recordings opened", { fill: colors.quiet, size: 12 });
			for (const order of [...ORDERS].reverse()) {
				const points = curves[order.key].flatMap((ns, k) => [sx(k), y(share(ns))]);
				paint.polyline(points, colors[order.colour], order.width, order.dash);
			}
			legend(paint, width, colors);
		},
		[report, curves, x],
	);
	const tip = (k: number) => (
		<TipTable
			rows={[
				["recordings opened", count(k)],
				...ORDERS.map(
					(order) => [order.title, percent(curves[order.key][k] ?? 0, report.symptom_ns)] as const,
				),
			]}
		/>
	);
	const near = (px: number, width: number) =>
		Math.min(n, Math.max(0, Math.round(x(width).invert(px))));
	const columns = useMemo(() => levelColumns(), []);
	return (
		<div class="next-curves">
			<Section
				title="Coverage"
				note={
					chosen >= 0
						? `${count(chosen)} opened: ${ORDERS.map((o) => `${o.title} ${percent(curves[o.key][chosen] ?? 0, report.symptom_ns)}`).join(", ")}`
						: "share of symptom time explained by what has been seen"
				}
			>
				<Picture
					name="curves"
					label="Coverage by the number of recordings opened, in this order and in three others"
					height={HEIGHT}
					draw={draw}
					overlay={(paint, width, _h, colors, pointer) => {
						const k = pointer ? near(pointer.x, width) : chosen;
						if (k < 0) return;
						const px = x(width)(k);
						paint.line(px, 10, px, BOTTOM, colors.line);
						for (const order of ORDERS)
							paint.circle(px, y(share(curves[order.key][k] ?? 0)), 3.5, colors[order.colour]);
					}}
					hit={(px, _py, width) => {
						const k = near(px, width);
						return { key: String(k), tip: tip(k), pick: () => setAt(String(k)) };
					}}
					onKey={(event) => {
						const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
						if (!step) return false;
						setAt(String(Math.min(n, Math.max(0, chosen + step))));
						return true;
					}}
				/>
			</Section>
			<Section title="Recordings for a coverage">
				<Table
					name="levels"
					label="Recordings to open for a coverage"
					rows={levels}
					columns={columns}
					keyOf={(level) => String(level.coverage)}
					most={12}
				/>
			</Section>
		</div>
	);
}

function legend(paint: Parameters<Draw>[0], width: number, colors: Colors) {
	let py = BOTTOM - 14 - ORDERS.length * 17;
	for (const order of ORDERS) {
		const px = width - 212;
		paint.line(px, py, px + 34, py, colors[order.colour], order.width, order.dash);
		paint.text(px + 42, py, order.title, { fill: colors.text, size: 12, baseline: "middle" });
		py += 17;
	}
}

function levelColumns(): Column<Level>[] {
	const order = (key: "best" | "random" | "total" | "max", title: string): Column<Level> => ({
		key,
		title,
		value: (level) => level[key],
		cell: (level) => count(level[key]),
		numeric: true,
		width: "minmax(60px, 1fr)",
	});
	return [
		{
			key: "coverage",
			title: "coverage",
			value: (level) => level.coverage,
			cell: (level) => pct(100 * level.coverage),
			numeric: true,
			width: "76px",
		},
		order("best", "this order"),
		order("random", "random"),
		order("total", "most time"),
		order("max", "longest"),
	];
}
