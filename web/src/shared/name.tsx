import { frameParts, shorten, visible } from "./format";

/** An untrusted name in its own direction; the whole of it when the pointer rests on it. */
export function Name({ text, most = 120 }: { text: string; most?: number }) {
	const shown = visible(text);
	const short = shorten(shown, most);
	return <bdi title={short === shown ? undefined : shorten(shown, 2000)}>{short}</bdi>;
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
