// Functions of a call tree by what they cost, and of one of them the sandwich: its callers above, what
// it calls below, each as wide as what it has of the function's time.
//
// In the URL: `NAME.fn`, the function whose sandwich is seen.
import { useCallback, useMemo } from "preact/hooks";
import {
	type FunctionCost,
	foldChains,
	fromRoots,
	functionCosts,
	layOut,
	rankOf,
	sandwichOf,
	type TreeColumns,
} from "./call-tree";
import { CopyButton } from "./copy";
import type { Draw } from "./export";
import {
	drawNodes,
	type FlameView,
	findNode,
	LEAST_PART,
	nameOfNode,
	ROW,
	TreeLook,
	visibleLevels,
} from "./flame-draw";
import { cost as costText, count, frameParts, percent, visible } from "./format";
import { setParams, useParam } from "./location";
import { Frame, SourceLink } from "./name";
import { Picture } from "./picture";
import { Section } from "./section";
import { type Column, Table } from "./table";
import { TipTable } from "./tooltip";

interface Props {
	name: string;
	/** Whose stacks they are: "cluster 1". */
	what: string;
	data: TreeColumns & {
		readonly wait_ns?: readonly number[];
		readonly ready_ns?: readonly number[];
	};
	names: readonly string[];
	unit: string;
	/** Where a function's source is shown; undefined: nowhere. */
	sourceOf?: ((name: string) => string | undefined) | undefined;
}

export function Functions(props: Props) {
	const { name, data, names, unit } = props;
	const [chosen] = useParam(`${name}.fn`);
	const tree = useMemo(() => {
		const { wait_ns, ready_ns } = data;
		return fromRoots(wait_ns && ready_ns ? { ...data, sets: [wait_ns, ready_ns] } : data);
	}, [data]);
	const rows = useMemo(() => functionCosts(tree).filter((row) => row.total > 0), [tree]);
	const whole = tree.total[0]!;
	const columns = useMemo(() => columnsOf(names, unit, whole, tree.hasSets), [names, unit, tree]);
	const at = chosen ? names.indexOf(chosen) : -1;
	const row = rows.find((r) => r.frame === at);
	const keyOf = (r: FunctionCost) => String(r.frame);
	return (
		<Section title="Functions" note="by exclusive cost; select one to see its callers and callees">
			<Table
				name={`${name}.functions`}
				label={`Functions of ${props.what}`}
				rows={rows}
				columns={columns}
				keyOf={keyOf}
				search={(r) => names[r.frame] ?? ""}
				selected={row ? keyOf(row) : undefined}
				onSelect={(r) =>
					setParams({ [`${name}.fn`]: r === row ? "" : (names[r.frame] ?? "") }, false)
				}
				most={10}
			/>
			{row ? <Sandwich {...props} tree={tree} row={row} whole={whole} /> : null}
		</Section>
	);
}

/** With sets, the first is waiting time, the second ready time. */
function columnsOf(
	names: readonly string[],
	unit: string,
	whole: number,
	hasKinds: boolean,
): Column<FunctionCost>[] {
	const kind = (key: string, title: string, value: (r: FunctionCost) => number) => ({
		key,
		title,
		help: `inclusive cost: ${title}`,
		value,
		cell: (r: FunctionCost) => (value(r) ? costText(value(r), unit) : ""),
		numeric: true,
		width: "84px",
		give: 3,
	});
	const number = (key: "own" | "total", title: string, help: string): Column<FunctionCost>[] => [
		{
			key: `${key}_ns`,
			title,
			help,
			value: (r) => r[key],
			cell: (r) => costText(r[key], unit),
			numeric: true,
			width: "84px",
		},
		{
			key: `${key}_share`,
			title: "%",
			help: `${title}, as a share of all`,
			value: (r) => r[key],
			csv: [],
			cell: (r) => percent(r[key], whole),
			numeric: true,
			width: "62px",
		},
	];
	return [
		...number("own", "exclusive", "cost in the function itself (stacks that end in it)"),
		...number("total", "inclusive", "cost of all stacks that contain it, each counted once"),
		...(hasKinds
			? [
					kind("wait_ns", "waiting", (r) => r.first),
					kind("run_ns", "running", (r) => r.total - r.first - r.second),
					kind("ready_ns", "ready", (r) => r.second),
				]
			: []),
		{
			key: "function",
			title: "function",
			value: (r) => names[r.frame] ?? "",
			cell: (r) => <Frame text={names[r.frame] ?? ""} most={110} />,
			width: "minmax(160px, 1fr)",
		},
	];
}

function Sandwich(
	props: Props & { tree: ReturnType<typeof fromRoots>; row: FunctionCost; whole: number },
) {
	const { name, data, names, unit, tree, row, whole } = props;
	const look = useMemo(() => new TreeLook(names, data.frame), [names, data]);
	const rank = useMemo(() => rankOf(names), [names]);
	const { above, below } = useMemo(() => {
		const least = row.total / LEAST_PART;
		const { callers, callees } = sandwichOf(tree, row.frame, least);
		const view = (of: typeof tree) =>
			look.view(layOut(foldChains(of, look.kinds), rank, least), of);
		return { above: view(callers), below: view(callees) };
	}, [tree, row.frame, look, rank]);
	const up = useMemo(() => visibleLevels(above.layout, 0), [above]);
	const down = useMemo(() => visibleLevels(below.layout, 0), [below]);
	const height = (up + 1 + down) * ROW + 8;
	const middle = up * ROW + 3;
	const function_ = names[row.frame] ?? "";
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			const how = { width, top: 0, isFound: null };
			drawNodes(paint, colors, above, { ...how, most: up, yOf: (depth) => (up - depth) * ROW });
			paint.rect(0, middle, width, ROW - 1, look.colourOf(colors, function_), 0.75);
			paint.text(6, middle + ROW / 2 - 0.5, frameParts(function_).name, {
				fill: colors.text,
				size: 12,
				weight: 600,
				baseline: "middle",
				maxWidth: width - 12,
			});
			drawNodes(paint, colors, below, {
				...how,
				most: down,
				yOf: (depth) => middle + 3 + depth * ROW,
			});
		},
		[above, below, up, down, look],
	);
	const find = (x: number, y: number, width: number): { view: FlameView; node: number } | null => {
		const view = y < middle ? above : below;
		const level =
			y < middle ? up - 1 - Math.floor(y / ROW) : Math.floor((y - middle - 3) / ROW) - 1;
		const node = level >= 0 ? findNode(view, 0, x, level, width) : 0;
		return node ? { view, node } : null;
	};
	return (
		<div class="sandwich">
			<p>
				<b class="mono">{visible(frameParts(function_).name)}</b>: {costText(row.own, unit)}{" "}
				exclusive, {costText(row.total, unit)} inclusive ({percent(row.total, whole)}); callers
				above, callees below. <SourceLink to={props.sourceOf?.(function_)} />
				<CopyButton label="Copy name" text={() => function_} />{" "}
				<button
					type="button"
					class="button no-print"
					onClick={() => setParams({ [`${name}.fn`]: "" }, false)}
				>
					Close
				</button>
			</p>
			<Picture
				name={`${name}-sandwich`}
				label={`Sandwich of ${visible(function_)}: ${count(up)} levels of callers above, ${count(down)} of callees below`}
				height={height}
				draw={draw}
				hit={(x, y, width) => {
					const found = find(x, y, width);
					if (!found) return null;
					const { view, node } = found;
					const { tree: of } = view.layout;
					const isFold = of.chain[node]! > 1;
					return {
						key: `${view === above} ${node}`,
						...(isFold
							? {}
							: { pick: () => setParams({ [`${name}.fn`]: names[of.frame[node]!] ?? "" }, false) }),
						tip: (
							<>
								<Frame text={nameOfNode(view, node)} most={400} />
								<TipTable
									rows={[
										[
											view === above ? "calls it for" : "in it for",
											`${costText(of.total[node]!, unit)}, ${percent(of.total[node]!, row.total)} of the function`,
										],
									]}
								/>
							</>
						),
					};
				}}
			/>
		</div>
	);
}
