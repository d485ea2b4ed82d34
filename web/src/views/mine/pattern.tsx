// A pattern of a signature, as lode sign takes it: names parted by ";", a line for each.
import { frameParts } from "../../shared/format";
import { Frame } from "../../shared/name";

/** A backslash takes the meaning off the character behind it: `std::array<int\; 4>` is one name. */
function namesOf(pattern: string): string[] {
	return (pattern.match(/(?:\\.|[^;\\])+/gs) ?? []).map((name) => name.trim()).filter(Boolean);
}

export function PatternText({ pattern }: { pattern: string }) {
	return (
		<ol class="pattern mono">
			{namesOf(pattern).map((name, i) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a name can stand there twice
				<li key={i}>
					<Frame text={name} most={110} />
				</li>
			))}
		</ol>
	);
}

/** In a line, as the terminal has it: its end tells more than its root, which all share. */
export function patternBrief(pattern: string): string {
	const names = namesOf(pattern);
	const end = names.slice(-3).map((name) => frameParts(name).name);
	return `${names.length > 3 ? "… " : ""}${end.join(" › ")}`;
}
