import { Name } from "./name";

interface Input {
	readonly path: string;
	readonly reason: string;
}

/** Inputs that could not be read, or not whole, and why. */
export function BadInputs(props: { skipped: readonly Input[]; incomplete: readonly Input[] }) {
	const all = [
		...props.skipped.map((input) => ({ input, word: "skipped" })),
		...props.incomplete.map((input) => ({ input, word: "incomplete" })),
	];
	if (!all.length) return null;
	return (
		<ul class="bad-inputs">
			{all.map(({ input, word }) => (
				<li key={`${word} ${input.path}`}>
					{word}: <Name text={input.path} />: <Name text={input.reason} most={400} />
				</li>
			))}
		</ul>
	);
}
