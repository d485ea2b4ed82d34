import { frameParts, shorten, visible } from "./format";

/** An untrusted name in its own direction; the whole of it when the pointer rests on it. */
export function Name({ text, most = 120 }: { text: string; most?: number }) {
	const shown = visible(text);
	const short = shorten(shown, most);
	return <bdi title={short === shown ? undefined : shorten(shown, 2000)}>{short}</bdi>;
}

/** A text that `visible` has been through, which is told by its end: what is before `cut` goes first. */
export function Ending({ shown, cut, quiet }: { shown: string; cut: number; quiet?: boolean }) {
	return (
		<bdi class={quiet ? "chain quiet" : "chain"} title={shorten(shown, 2000)}>
			{cut ? <span class="chain-start">{shown.slice(0, cut)}</span> : null}
			<span class="chain-end">{shown.slice(cut)}</span>
		</bdi>
	);
}

/** `module!function`: the function, and its module quietly. */
export function Frame({ text, most = 120 }: { text: string; most?: number }) {
	const { module, name } = frameParts(text);
	return (
		<span class={text.startsWith("→") ? "frame frame-link" : "frame"}>
			<Name text={name} most={most} />
			{module ? (
				<span class="quiet">
					{" "}
					<Name text={module} most={40} />
				</span>
			) : null}
		</span>
	);
}

/** To what each line of a function costs, where that can be asked for. */
export function SourceLink({ to }: { to: string | undefined }) {
	if (!to) return null;
	return (
		<>
			<a
				class="button no-print"
				href={to}
				title="show the cost of each source line and instruction"
			>
				Source
			</a>{" "}
		</>
	);
}
