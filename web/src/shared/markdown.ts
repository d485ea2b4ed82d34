// Untrusted text in Markdown that somebody pastes: nothing in it steers what stands around it.
import { visible } from "./format";

/** A block that nothing in it can end. */
export function fenced(text: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}\n${text}\n${fence}`;
}

/** Text on a line of its own, without a meaning. */
export const plain = (text: string) =>
	visible(text).replace(/[\\`*_{}[\]<>()#+!|~&@]/g, (mark) => `\\${mark}`);

/** Where a server shows it; a file's address says nothing to others. */
export const linked = (address: string) => (/^https?:/.test(address) ? `<${address}>` : "");

/** Paragraphs, without those that are empty. */
export const paragraphs = (...parts: readonly string[]) =>
	`${parts.filter(Boolean).join("\n\n")}\n`;
