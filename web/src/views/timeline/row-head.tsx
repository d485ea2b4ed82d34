// The name of a thread, left of its row.
import { count, duration, percent, shorten, visible } from "../../shared/format";
import type { Row } from "./rows";

export function RowHead(props: {
	row: Row;
	isChosen: boolean;
	isCurrent: boolean;
	onOpen: (thread: number) => void;
	onChoose: (thread: number, isChosen: boolean, isRange: boolean) => void;
	onThread: (thread: number) => void;
	onKey: (event: KeyboardEvent, thread: number) => void;
}) {
	const { row } = props;
	const { thread } = row;
	const name = visible(thread.name) || "thread";
	const life = thread.last - thread.first;
	const facts = `${name} ${thread.tid}: ${count(thread.calls)} calls, idle ${percent(thread.idle, life)} of ${duration(life)}, ${count(thread.outliers)} long calls`;
	return (
		<div
			role="listitem"
			class={`tl-head${props.isCurrent ? " current" : ""}`}
			style={{ top: `${row.y}px`, height: `${row.height}px` }}
		>
			<button
				type="button"
				class="tl-open"
				aria-expanded={row.isOpen}
				aria-label={`${row.isOpen ? "Collapse" : "Expand"} ${name} ${thread.tid}`}
				onClick={() => props.onOpen(thread.index)}
			>
				{row.isOpen ? "▾" : "▸"}
			</button>
			<button
				type="button"
				class="tl-name"
				title={facts}
				aria-label={facts}
				onClick={() => props.onThread(thread.index)}
				onKeyDown={(event) => props.onKey(event, thread.index)}
			>
				<bdi>{shorten(name, 40)}</bdi> <span class="quiet">{thread.tid}</span>
			</button>
			<label class="tl-choose" title="Select; with Shift, select all up to here">
				<input
					type="checkbox"
					checked={props.isChosen}
					aria-label={`Choose ${name} ${thread.tid}`}
					onClick={(event) =>
						props.onChoose(thread.index, event.currentTarget.checked, event.shiftKey)
					}
				/>
			</label>
		</div>
	);
}
