import { render } from "preact";
import { App } from "./app";
import { embeddedSource } from "./data/embedded";
import { httpSource } from "./data/http";
import "./style/theme.css";
import "./style/base.css";
import "./style/bar.css";
import "./style/table.css";

// A page with reports in it is a file; one without comes from a server.
const isFile = document.querySelector("script.lode-report") !== null;
const source = isFile ? embeddedSource(document) : httpSource();
const root = document.getElementById("page");
if (root) {
	root.textContent = "";
	render(<App source={source} />, root);
}
