// What a report says first, as the terminal does: what was found, and the command that comes next.
import { Command, CopyButton, CopyLink } from "./copy";
import { measured, visible } from "./format";
import { fenced, linked, paragraphs, plain } from "./markdown";

interface Opened {
	readonly finding: string;
	readonly next_command?: string;
}

/** What was found, as Markdown. */
function issueText({ finding, next_command }: Opened): string {
	return paragraphs(
		`# ${plain(document.title)}`,
		plain(finding),
		next_command ? `Next:\n\n${fenced(visible(next_command))}` : "",
		linked(location.href),
	);
}

export function Opening({ report }: { report: Opened }) {
	const { finding, next_command } = report;
	return (
		<>
			<p class="headline">
				<bdi>{measured(visible(finding))}</bdi>
			</p>
			{next_command ? (
				<p class="next-command quiet">
					Next: <Command text={visible(next_command)} />
				</p>
			) : null}
			<p class="copy-row no-print">
				<CopyLink />
				<CopyButton
					label="Report as issue"
					title="copies Markdown: finding, command, address"
					text={() => issueText(report)}
				/>
			</p>
		</>
	);
}
