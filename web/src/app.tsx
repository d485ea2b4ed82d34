// The frame of all pages: the bar with the reports, and the view of the one that the URL names.
import { Component, type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { askedIn, refOfAsked } from "./data/asked";
import type { ReportRef, Source } from "./data/source";
import { shorten, visible } from "./shared/format";
import { Pending, useLoaded } from "./shared/loaded";
import { useArrival, usePlace } from "./shared/location";
import { Shortcuts } from "./shared/shortcuts";
import { chooseTheme, chosenTheme, type ThemeChoice, useColors } from "./shared/theme";
import { useShownTitle } from "./shared/titles";
import { TooltipLayer } from "./shared/tooltip";
import { Navigation } from "./shell/navigation";
import { viewOf } from "./views";

export function App({ source }: { source: Source }) {
	const place = usePlace();
	const list = useLoaded("list", () => source.list());
	// Parts of reports have no page of their own.
	const all = list.state === "done" ? list.value : [];
	const listed = all.some((ref) => viewOf(ref.schema))
		? all.filter((ref) => viewOf(ref.schema))
		: all.slice(0, 1);
	const asked = source.ask ? refOfAsked(place.path[0], listed) : undefined;
	const refs = asked ? [...listed, asked] : listed;
	const reference = refs.find((ref) => ref.name === place.path[0]) ?? refs[0];
	const thing = useShownTitle();
	useRenewal(source, reference);

	useEffect(() => {
		const word = reference ? viewOf(reference.schema)?.title : undefined;
		const title = reference ? visible(shorten(reference.title, 80)) : "";
		const parts = [visible(shorten(thing, 80)), word, title, "lode"];
		document.title = word ? parts.filter(Boolean).join(" · ") : "lode";
	}, [reference, thing]);
	return (
		<>
			<button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
				Skip to the report
			</button>
			<header class="bar">
				<span class="brand">lode</span>
				<Navigation refs={refs} current={reference} />
				<span class="bar-title quiet">
					{reference ? (
						<bdi title={visible(shorten(reference.title, 400))}>
							{visible(shorten(reference.title, 120))}
						</bdi>
					) : null}
				</span>
				<Shortcuts />
				<ThemeSelect />
			</header>
			<main id="main" tabIndex={-1}>
				{list.state === "failed" ? <Pending loaded={list} text="" /> : null}
				{list.state === "done" && !reference ? <Notice text="No report found." /> : null}
				{reference ? (
					<Guard key={reference.name}>
						<Report source={source} reference={reference} path={place.path.slice(1)} />
					</Guard>
				) : null}
			</main>
			<TooltipLayer />
		</>
	);
}

const LOOK_MS = 3000;

/** A stale report is looked for until there is a newer one, which is then shown at the same place: the URL has it. */
function useRenewal(source: Source, reference: ReportRef | undefined) {
	const name = reference?.stale ? reference.name : undefined;
	useEffect(() => {
		if (name === undefined || !source.renewed) return;
		let timer = 0;
		const look = async () => {
			// A server that does not answer now may do so later.
			if (await source.renewed?.(name).catch(() => false)) location.reload();
			else timer = window.setTimeout(look, LOOK_MS);
		};
		timer = window.setTimeout(look, LOOK_MS);
		return () => clearTimeout(timer);
	}, [source, name]);
}

function Report(props: { source: Source; reference: ReportRef; path: readonly string[] }) {
	const { source, reference } = props;
	const asked = askedIn(reference.name);
	const loaded = useLoaded(reference.name, () =>
		asked && source.ask
			? source.ask(asked.of, asked.what, asked.query)
			: source.report(reference.name),
	);
	const view = viewOf(reference.schema);
	useArrival(loaded.state !== "loading", `${reference.name}/${props.path.join("/")}`);
	if (!view)
		return <Notice text={`This page cannot show reports of type ${visible(reference.schema)}.`} />;
	if (loaded.state !== "done") return <Pending loaded={loaded} text="Reading the report…" />;
	const Page = view.component;
	return <Page report={loaded.value} reference={reference} source={source} path={props.path} />;
}

const THEMES: ReadonlyArray<readonly [ThemeChoice, string]> = [
	["", "System theme"],
	["light", "Light theme"],
	["dark", "Dark theme"],
];

function ThemeSelect() {
	useColors(); // drawn again when the theme changes
	return (
		<select
			class="theme no-print"
			aria-label="Theme"
			value={chosenTheme()}
			onChange={(event) => chooseTheme(event.currentTarget.value as ThemeChoice)}
		>
			{THEMES.map(([choice, words]) => (
				<option key={choice} value={choice}>
					{words}
				</option>
			))}
		</select>
	);
}

function Notice({ text }: { text: string }) {
	return (
		<p class="notice" role="alert">
			{text}
		</p>
	);
}

/** A view that fails says so, and leaves the bar and the other reports alone. */
class Guard extends Component<{ children: ComponentChildren }, { failed?: string }> {
	static override getDerivedStateFromError(error: unknown) {
		return { failed: error instanceof Error ? error.message : String(error) };
	}
	override componentDidCatch(error: unknown) {
		console.error(error);
	}
	override render() {
		const { failed } = this.state;
		return failed === undefined ? (
			this.props.children
		) : (
			<Notice text={`This page failed: ${failed}`} />
		);
	}
}
