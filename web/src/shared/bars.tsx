/** Parts of a whole as one bar in a table's cell: [value, CSS colour]. */
export function PartBar(props: {
	parts: ReadonlyArray<readonly [number, string]>;
	whole: number;
	label?: string;
}) {
	const { parts, whole } = props;
	return (
		<span class="part-bar" role="img" aria-label={props.label ?? ""} title={props.label}>
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
