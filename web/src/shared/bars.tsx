/** Parts of a whole as one bar: [value, CSS colour]. Without a label it says what stands beside it. */
export function PartBar(props: {
	parts: ReadonlyArray<readonly [number, string]>;
	whole: number;
	label?: string;
}) {
	const { parts, whole } = props;
	return (
		<span
			class="part-bar"
			{...(props.label
				? { role: "img", "aria-label": props.label, title: props.label }
				: { "aria-hidden": true })}
		>
			{parts.map(([value, colour], i) =>
				value > 0 && whole > 0 ? (
					<i
						// biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
						key={i}
						style={{ width: `${Math.min(100, (100 * value) / whole)}%`, background: colour }}
					/>
				) : null,
			)}
		</span>
	);
}
