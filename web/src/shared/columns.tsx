// A cluster as aligned columns of frames: what all of its patterns have is solid and as wide as the
// picture; where they differ, their variants stand side by side, as wide as what they cost.
import { LEAST_CHAIN } from "./call-tree";
import { CsvButton, type Value } from "./csv-button";
import { costIn, count, frameParts, type InUnit, percent, visible } from "./format";
import { useParam } from "./location";
import { Frame, Name } from "./name";
import { foldLabel, kindOfFrame } from "./plumbing";
import { Choice, Section } from "./section";
import "./columns.css";

/** What stands between two common functions, or before the first or behind the last. */
interface Gap {
	readonly before: number;
	readonly variants: ReadonlyArray<{ own_ns: number; functions: readonly string[] }>;
	readonly more?: number;
	readonly more_ns?: number;
}

/** What all patterns of a cluster have in common, in order, and what varies. */
export interface Aligned {
	readonly common: readonly string[];
	readonly gaps: readonly number[];
	readonly gap_variants?: readonly Gap[];
}

/** Frames that stand for themselves, or a run of plumbing that is folded into one line. */
type Line = { frame: string; at: number } | { from: number; to: number };

function lines(common: readonly string[], gaps: ReadonlySet<number>, all: boolean): Line[] {
	const kinds = common.map(kindOfFrame);
	const out: Line[] = [];
	for (let i = 0; i < common.length; ) {
		let end = i;
		while (kinds[i] && kinds[end] === kinds[i] && (end === i || !gaps.has(end))) end++;
		if (!all && end - i >= LEAST_CHAIN) {
			out.push({ from: i, to: end });
			i = end;
		} else {
			const last = Math.max(end, i + 1);
			for (; i < last; i++) out.push({ frame: common[i]!, at: i });
		}
	}
	return out;
}

/**
 * All frames, from the outermost: those in common with their place, those of a variant with its number
 * and cost, which stand before that place. A variant that has no frame of its own is a row without one.
 */
function* alignedRows(cluster: Aligned): Iterable<readonly Value[]> {
	const gaps = new Map((cluster.gap_variants ?? []).map((gap) => [gap.before, gap]));
	for (let at = 0; at <= cluster.common.length; at++) {
		const { variants = [], more, more_ns } = gaps.get(at) ?? {};
		for (const [i, { functions, own_ns }] of variants.entries())
			for (const frame of functions.length ? functions : [""]) yield [at, i + 1, frame, own_ns];
		if (more) yield [at, `${more} more`, "", more_ns];
		if (at < cluster.common.length) yield [at, "", cluster.common[at], undefined];
	}
}

export function Columns({ report, cluster }: { report: InUnit; cluster: Aligned }) {
	const [show, setShow] = useParam("frames", "brief");
	const [open, setOpen] = useParam("open");
	const opened = new Set(open.split(".").filter(Boolean).map(Number));
	const gaps = new Map((cluster.gap_variants ?? []).map((gap) => [gap.before, gap]));
	const marks = new Set([...cluster.gaps, ...gaps.keys()]);
	const toggle = (before: number) => {
		const next = new Set(opened);
		if (!next.delete(before)) next.add(before);
		setOpen([...next].sort((a, b) => a - b).join("."));
	};
	const gapAt = (at: number) => {
		const gap = gaps.get(at);
		if (gap)
			return (
				<Variants
					key={`gap ${at}`}
					report={report}
					gap={gap}
					open={opened.has(at)}
					onToggle={() => toggle(at)}
				/>
			);
		return marks.has(at) ? (
			<li key={`gap ${at}`} class="column-gap" aria-label="variants here" />
		) : null;
	};
	const body = lines(cluster.common, marks, show === "all").flatMap((line) => {
		if ("frame" in line) return [gapAt(line.at), <Solid key={line.at} frame={line.frame} />];
		return [
			gapAt(line.from),
			<li key={line.from} class="column-frame column-folded">
				<button
					type="button"
					class="link frame"
					title="show all frames"
					onClick={() => setShow("all")}
				>
					<Name text={foldLabel(cluster.common.slice(line.from, line.to))} most={90} />
				</button>
			</li>,
		];
	});
	return (
		<Section
			title="Shared call path"
			note="with variants in between; bar width shows cost"
			tools={
				<>
					<Choice
						label="Frames"
						options={[
							["brief", "Folded"],
							["all", "All frames"],
						]}
						value={show === "all" ? "all" : "brief"}
						onChange={(value) => setShow(value)}
					/>
					<CsvButton
						name="shared-call-path"
						label="Shared call path"
						header={["place", "variant", "function", "own_ns"]}
						rows={() => alignedRows(cluster)}
					/>
				</>
			}
		>
			<ol class="columns">
				{body}
				{gapAt(cluster.common.length)}
			</ol>
		</Section>
	);
}

function Solid({ frame }: { frame: string }) {
	return (
		<li class={`column-frame${frame.startsWith("→") ? " column-link" : ""}`}>
			<Frame text={frame} most={110} />
		</li>
	);
}

function Variants(props: { report: InUnit; gap: Gap; open: boolean; onToggle: () => void }) {
	const { report, gap, open } = props;
	const whole = gap.variants.reduce((sum, v) => sum + v.own_ns, gap.more_ns ?? 0);
	const shown = gap.variants.slice(0, open ? gap.variants.length : 5);
	const restN = gap.variants.length - shown.length + (gap.more ?? 0);
	const rest = whole - shown.reduce((sum, v) => sum + v.own_ns, 0);
	return (
		<li class="column-variants">
			<button
				type="button"
				aria-expanded={open}
				title={open ? "fold the variants" : "show all frames of the variants"}
				onClick={props.onToggle}
				class="variant-toggle"
			>
				<span aria-hidden="true">{open ? "−" : "+"}</span>
			</button>
			{shown.map((variant) => (
				<div
					key={variant.functions.join(" ")}
					class="variant"
					style={{ flexGrow: Math.max(0.02, variant.own_ns / Math.max(1, whole)) }}
				>
					<span
						class="variant-cost"
						title={`${costIn(report, variant.own_ns)}, ${percent(variant.own_ns, whole)}`}
					>
						{costIn(report, variant.own_ns)}{" "}
						<span class="quiet">{percent(variant.own_ns, whole)}</span>
					</span>
					<VariantFrames functions={variant.functions} open={open} />
				</div>
			))}
			{restN > 0 ? (
				<div class="variant" style={{ flexGrow: Math.max(0.02, rest / Math.max(1, whole)) }}>
					<span class="variant-cost">{costIn(report, rest)}</span>
					<span class="quiet">{count(restN)} more</span>
				</div>
			) : null}
		</li>
	);
}

function VariantFrames({ functions, open }: { functions: readonly string[]; open: boolean }) {
	if (!functions.length) return <span class="quiet">directly</span>;
	const shown = open || functions.length <= 3 ? functions : [functions[0]!, functions.at(-1)!];
	return (
		<>
			{shown.map((frame, i) => (
				<span
					// biome-ignore lint/suspicious/noArrayIndexKey: a function can stand there twice
					key={i}
					class={`variant-frame mono${frame.startsWith("→") ? " frame-link" : ""}`}
					title={visible(frame.slice(0, 1000))}
				>
					<bdi>{visible(frameParts(frame).name.slice(0, 200))}</bdi>
					{shown.length < functions.length && i === 0 ? (
						<span class="quiet"> + {count(functions.length - 2)}</span>
					) : null}
				</span>
			))}
		</>
	);
}
