// Whether the page is being put on paper: then tables are whole, and the colours are those for white.
import { useEffect, useState } from "preact/hooks";

const media = matchMedia("print");
const listeners = new Set<() => void>();
let printing = media.matches;

function set(value: boolean) {
	if (value === printing) return;
	printing = value;
	for (const listener of [...listeners]) listener();
}
media.addEventListener("change", () => set(media.matches));
// These come before the page is laid out for paper, the change of the medium perhaps after.
addEventListener("beforeprint", () => set(true));
addEventListener("afterprint", () => set(media.matches));

export function isPrinting(): boolean {
	return printing;
}

export function onPrinting(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

export function usePrinting(): boolean {
	const [value, setValue] = useState(printing);
	useEffect(() => onPrinting(() => setValue(printing)), []);
	return value;
}
