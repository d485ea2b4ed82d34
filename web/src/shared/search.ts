// What a search finds: names with the text in them, or names that match it as a regular expression.

export interface Search {
	readonly matches: (name: string) => boolean;
	/** Why it is text only: the engine's words; "" if it is a regular expression, too. */
	readonly fault: string;
}

/**
 * `std::vector<int>(` is text, `^ext4_.*(write|sync)` an expression, and `a.b` both: what either of
 * them finds is found. Capitals do not matter. Null: there is nothing to search for.
 */
export function searchOf(query: string): Search | null {
	const text = query.trim().toLowerCase();
	if (!text) return null;
	let expression: RegExp | undefined;
	let fault = "";
	try {
		expression = new RegExp(query.trim(), "iu");
	} catch (error) {
		fault =
			error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : "";
	}
	return {
		matches: (name) => name.toLowerCase().includes(text) || expression?.test(name) === true,
		fault,
	};
}

/** For tables: all words are in the text, in any order; or the whole matches. */
export function wordsOrExpression(query: string): Search["matches"] | null {
	const search = searchOf(query);
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	return (
		search &&
		((text) => {
			const lower = text.toLowerCase();
			return words.every((word) => lower.includes(word)) || search.matches(text);
		})
	);
}
