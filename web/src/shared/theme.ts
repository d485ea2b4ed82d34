// Colours: style/theme.css holds them, for both themes; pictures read them from there.
import { useEffect, useState } from "preact/hooks";
import { isPrinting, onPrinting } from "./printing";

export type Theme = "light" | "dark";
/** What is chosen; "" follows the system. */
export type ThemeChoice = Theme | "";

/** Names of the custom properties in style/theme.css, without their dashes. */
export const COLOR_NAMES = [
	"bg",
	"raised",
	"text",
	"quiet",
	"faint",
	"line",
	"grid",
	"accent",
	"mark",
	"bad",
	"good",
	"warn",
	"run",
	"wait",
	"ready",
	"heat-0",
	"heat-1",
	"heat-2",
	"heat-3",
	"heat-4",
	"cat-0",
	"cat-1",
	"cat-2",
	"cat-3",
	"cat-4",
	"cat-5",
	"cat-6",
	"cat-7",
] as const;
export type ColorName = (typeof COLOR_NAMES)[number];
export type Colors = Readonly<Record<ColorName, string>> & {
	readonly font: string;
	readonly theme: Theme;
};

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let chosen = remembered();
let colors: Colors | undefined;

/** A page that is opened from disk may have no storage at all. */
function remembered(): ThemeChoice {
	try {
		const value = localStorage.getItem("lode-theme");
		return value === "light" || value === "dark" ? value : "";
	} catch {
		return "";
	}
}

/** As it is shown; paper is white. */
export function theme(): Theme {
	if (isPrinting()) return "light";
	return chosen || (dark.matches ? "dark" : "light");
}

function apply() {
	document.documentElement.dataset.theme = theme();
	colors = undefined;
	for (const listener of [...listeners]) listener();
}
dark.addEventListener("change", apply);
onPrinting(apply);
apply();

export const chosenTheme = (): ThemeChoice => chosen;

export function chooseTheme(choice: ThemeChoice) {
	chosen = choice;
	try {
		localStorage.setItem("lode-theme", chosen);
	} catch {
		// then it holds until the page is closed
	}
	apply();
}

/** The theme's colours as they are now. */
export function currentColors(): Colors {
	if (!colors) {
		const style = getComputedStyle(document.documentElement);
		const entries = COLOR_NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
		colors = {
			...(Object.fromEntries(entries) as Record<ColorName, string>),
			font: style.getPropertyValue("--font").trim(),
			theme: theme(),
		};
	}
	return colors;
}

/** Draws again when the theme changes. */
export function useColors(): Colors {
	const [value, set] = useState(currentColors);
	useEffect(() => {
		const listener = () => set(currentColors());
		listener();
		listeners.add(listener);
		return () => {
			listeners.delete(listener);
		};
	}, []);
	return value;
}

/** Colour of the nth category, the same in every view; after eight they come again. */
export function category(of: Colors, n: number): string {
	return of[`cat-${((n % 8) + 8) % 8}` as ColorName];
}
