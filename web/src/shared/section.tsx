import type { ComponentChildren } from "preact";

/** A part of a page: its heading, what stands beside it, and its content. */
export function Section(props: {
	title: string;
	note?: ComponentChildren;
	tools?: ComponentChildren;
	class?: string;
	children: ComponentChildren;
}) {
	return (
		<section class={`section ${props.class ?? ""}`}>
			<div class="section-head">
				<h2>{props.title}</h2>
				{props.note ? <span class="quiet">{props.note}</span> : null}
				<span class="spring" />
				{props.tools}
			</div>
			{props.children}
		</section>
	);
}

/** Numbers with their names: what a page begins with. */
export function Facts({
	items,
}: {
	items: ReadonlyArray<readonly [string, ComponentChildren] | null>;
}) {
	return (
		<dl class="facts">
			{items.map((item) =>
				item ? (
					<div key={item[0]}>
						<dt>{item[0]}</dt>
						<dd>{item[1]}</dd>
					</div>
				) : null,
			)}
		</dl>
	);
}

/** Buttons of which one is pressed. */
export function Choice<T extends string>(props: {
	label: string;
	options: ReadonlyArray<readonly [T, string]>;
	value: T;
	onChange: (value: T) => void;
}) {
	return (
		<span class="choice no-print" role="group" aria-label={props.label}>
			{props.options.map(([value, title]) => (
				<button
					key={value}
					type="button"
					aria-pressed={value === props.value}
					onClick={() => props.onChange(value)}
				>
					{title}
				</button>
			))}
		</span>
	);
}
