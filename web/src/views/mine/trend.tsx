// What a cluster or a signature costs over time, or side by side for the values of a label.
import { useCallback, useMemo } from "preact/hooks";
import type { MineTrendReport } from "../../data/generated/mine-trend";
import { leftAxis } from "../../shared/axis";
import type { Draw } from "../../shared/export";
import { costIn, count, pct, plural, visible } from "../../shared/format";
import { Pending, useLoaded } from "../../shared/loaded";
import { setParams, useParam } from "../../shared/location";
import { Name } from "../../shared/name";
import { Picture } from "../../shared/picture";
import { linear, ticks } from "../../shared/scales";
import { Section } from "../../shared/section";
import { type Column, Table } from "../../shared/table";
import { TipTable } from "../../shared/tooltip";
import type { Served } from "./served";

type Group = MineTrendReport["groups"][number];

const HEIGHT = 170;
const LEFT = 58;
const RIGHT = 4;
const TOP = 20;
const BOTTOM = HEIGHT - 22;
/** Below this many pixels for a bar its name stands only here and there. */
const NAMED = 52;

interface Props {
	served: Served;
	/** Of what: {cluster: ID} or {signature: NAME}. */
	of: Readonly<Record<"cluster", string>> | Readonly<Record<"signature", string>>;
	/** "cluster 3", for those who cannot see the picture. */
	what: string;
	/** Another one: it is asked for again. */
	version?: string;
}

/** Days without their year, which would be all that there is room for. */
function nameOf(answer: MineTrendReport, group: Group): string {
	return answer.by === "day" ? group.value.replace(/^\d{4}-/, "") : group.value;
}

export function Trend(props: Props) {
	const { served, of } = props;
	const [by, setBy] = useParam("trend.by");
	const key = JSON.stringify([of, by, props.version ?? ""]);
	const asked = useLoaded(key, () =>
		served.ask("trend", { ...of, ...(by ? { by } : {}) } as Record<string, string>),
	);
	const answer = asked.state === "done" ? asked.value : undefined;
	return (
		<Section
			title="Trend"
			note="share of symptom time"
			tools={
				answer ? (
					<By keys={answer.keys} by={answer.by} onChange={(value) => setBy(value)} />
				) : undefined
			}
		>
			{answer ? (
				<Groups answer={answer} what={props.what} />
			) : (
				<>
					<Pending loaded={asked} text="Calculating…" height={HEIGHT} />
					{asked.state === "failed" && by ? (
						<button type="button" class="button no-print" onClick={() => setBy("")}>
							By day
						</button>
					) : null}
				</>
			)}
		</Section>
	);
}

function By(props: { keys: readonly string[]; by: string; onChange: (key: string) => void }) {
	return (
		<label class="trend-by no-print">
			by{" "}
			<select
				aria-label="Trend by"
				value={props.by}
				onChange={(event) => props.onChange(event.currentTarget.value)}
			>
				{props.keys.map((key) => (
					<option key={key} value={key}>
						{visible(key)}
					</option>
				))}
			</select>
		</label>
	);
}

function columnsOf(answer: MineTrendReport): Column<Group>[] {
	return [
		{
			key: "value",
			title: visible(answer.by),
			value: (g) => g.value,
			cell: (g) => <Name text={g.value} />,
		},
		{
			key: "share",
			title: "share",
			help: "cost as a share of the group's symptom time",
			value: (g) => g.share,
			cell: (g) => (g.symptom_ns ? pct(100 * g.share) : "–"),
			numeric: true,
			width: "64px",
		},
		{
			key: "matched_ns",
			title: "cost",
			value: (g) => g.matched_ns,
			cell: (g) => costIn(answer, g.matched_ns),
			numeric: true,
			width: "80px",
		},
		{
			key: "symptom_ns",
			title: "symptoms",
			help: "total duration of symptoms",
			value: (g) => g.symptom_ns,
			cell: (g) => costIn(answer, g.symptom_ns),
			numeric: true,
			width: "80px",
		},
		{
			key: "streams_with",
			title: "have it",
			help: "recordings in which it occurs",
			value: (g) => g.streams_with,
			cell: (g) => count(g.streams_with),
			numeric: true,
			width: "60px",
		},
		{
			key: "streams",
			title: "recordings",
			value: (g) => g.streams,
			cell: (g) => count(g.streams),
			numeric: true,
			width: "70px",
		},
	];
}

function Groups({ answer, what }: { answer: MineTrendReport; what: string }) {
	const { groups } = answer;
	const [chosen, setChosen] = useParam("trend.at");
	const columns = useMemo(() => columnsOf(answer), [answer]);
	const most = useMemo(() => groups.reduce((m, g) => Math.max(m, g.share), 0) || 0.01, [groups]);
	const y = useMemo(() => linear([0, most * 1.02], [BOTTOM, TOP]), [most]);
	const band = (width: number) => (width - LEFT - RIGHT) / Math.max(1, groups.length);
	const draw: Draw = useCallback(
		(paint, width, _height, colors) => {
			const step = band(width);
			leftAxis(paint, colors, y, {
				at: LEFT,
				ticks: ticks([0, most], 4),
				format: (v) => pct(100 * v),
				gridTo: width - RIGHT,
			});
			const every = Math.max(1, Math.ceil(NAMED / step));
			const w = Math.max(1, Math.min(64, step * 0.72));
			groups.forEach((group, i) => {
				const middle = LEFT + (i + 0.5) * step;
				if (group.share > 0)
					paint.rect(
						middle - w / 2,
						y(group.share),
						w,
						Math.max(1, BOTTOM - y(group.share)),
						group.value === "(none)" ? colors.faint : colors.accent,
						0.85,
					);
				if (step >= 48)
					paint.text(middle, y(group.share) - 5, group.symptom_ns ? pct(100 * group.share) : "–", {
						fill: colors.quiet,
						size: 11,
						anchor: "middle",
					});
				if (i % every === 0)
					paint.text(middle, HEIGHT - 6, nameOf(answer, group), {
						fill: colors.quiet,
						size: 11,
						anchor: "middle",
						maxWidth: every * step - 6,
					});
			});
			paint.line(LEFT, BOTTOM + 0.5, width - RIGHT, BOTTOM + 0.5, colors.line);
		},
		[answer],
	);
	const at = groups.findIndex((g) => g.value === chosen);
	const groupAt = (px: number, width: number) =>
		px < LEFT ? -1 : Math.min(groups.length - 1, Math.floor((px - LEFT) / band(width)));
	const choose = (group: Group | undefined) =>
		setParams({ "trend.at": !group || group.value === chosen ? "" : group.value });
	const table = (
		<Table
			name="trend"
			label="Trend"
			rows={groups}
			columns={columns}
			keyOf={(g) => g.value}
			selected={chosen}
			onSelect={choose}
			most={6}
			empty="No recordings."
		/>
	);
	// One bar compares nothing; the room is kept, since nobody knows before.
	if (groups.length < 2) return <div style={{ minHeight: `${HEIGHT}px` }}>{table}</div>;
	return (
		<div class="trend-two">
			<Picture
				name={`trend-by-${answer.by}`}
				label={`Share of ${what} in symptom time by ${visible(answer.by)}: ${plural(groups.length, "group")}`}
				height={HEIGHT}
				draw={draw}
				overlay={(paint, width, _h, colors, pointer) => {
					const step = band(width);
					const hover = pointer ? groupAt(pointer.x, width) : -1;
					for (const i of [at, hover])
						if (i >= 0)
							paint.rect(
								LEFT + i * step,
								TOP - 14,
								step,
								BOTTOM - TOP + 14,
								colors.accent,
								i === at ? 0.14 : 0.07,
							);
				}}
				hit={(px, _py, width) => {
					const i = groupAt(px, width);
					const group = groups[i];
					if (!group) return null;
					return {
						key: String(i),
						pick: () => choose(group),
						tip: <GroupTip answer={answer} group={group} />,
					};
				}}
				onKey={(event) => {
					const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
					if (step) {
						const next = Math.min(
							groups.length - 1,
							Math.max(0, at < 0 && step < 0 ? groups.length - 1 : at + step),
						);
						setChosen(groups[next]?.value ?? "");
					} else if (event.key === "Home") setChosen(groups[0]?.value ?? "");
					else if (event.key === "End") setChosen(groups.at(-1)?.value ?? "");
					else if (event.key === "Escape") setChosen("");
					else return false;
					return true;
				}}
			/>
			{table}
		</div>
	);
}

function GroupTip({ answer, group }: { answer: MineTrendReport; group: Group }) {
	return (
		<>
			<b>
				<Name text={group.value} />
			</b>
			<TipTable
				rows={[
					["share", group.symptom_ns ? pct(100 * group.share) : "no symptoms"],
					["cost", `${costIn(answer, group.matched_ns)} of ${costIn(answer, group.symptom_ns)}`],
					["recordings", `${count(group.streams_with)} of ${count(group.streams)} have it`],
				]}
			/>
		</>
	);
}
