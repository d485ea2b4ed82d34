/** What colours mean, on a line beside what has them. */
export function Legend({
	items,
}: {
	items: ReadonlyArray<readonly [colour: string, title: string]>;
}) {
	return (
		<span class="legend">
			{items.map(([colour, title]) => (
				<span key={title}>
					<i class="chip" style={{ background: colour }} />
					{title}
				</span>
			))}
		</span>
	);
}
