// What a report says first, as the terminal does: what was found, and the command that comes next.
import { Command } from "./copy";
import { visible } from "./format";

interface Opened {
	readonly finding: string;
	readonly next_command?: string;
}

export function Opening({ report }: { report: Opened }) {
	const { finding, next_command } = report;
	return (
		<>
			<p class="headline">
				<bdi>{visible(finding)}</bdi>
			</p>
			{next_command ? (
				<p class="next-command quiet">
					Next: <Command text={visible(next_command)} />
				</p>
			) : null}
		</>
	);
}
