// What a report says first, as the terminal does: what was found, and the command that comes next.
import type { ComponentChildren } from "preact";
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

/** What stands first on the page of one thing of a report: its heading, what it is, its figures. */
function thingText(): string {
	const main = document.getElementById("main");
	const text = (element: Element | null | undefined) =>
		plain((element?.textContent ?? "").replace(/[\s\u202f]+/g, " ").trim());
	const figures = [...(main?.querySelector(".facts")?.children ?? [])].map(
		(item) => `- ${text(item.querySelector("dt"))}: ${text(item.querySelector("dd"))}`,
	);
	return paragraphs(
		`# ${text(main?.querySelector("h1"))}`,
		text(main?.querySelector("h1 ~ p.mono")),
		figures.join("\n"),
		linked(location.href),
	);
}

/** The buttons below such a heading; more of them stand between. */
export function ThingButtons({ children }: { children?: ComponentChildren }) {
	return (
		<p class="copy-row no-print">
			<CopyLink />
			{children}
			<CopyButton
				label="Report as issue"
				title="copies Markdown: heading, figures, address"
				text={thingText}
			/>
		</p>
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
					title="copy as Markdown: finding, command, link"
					text={() => issueText(report)}
				/>
			</p>
		</>
	);
}
