// TypeScript types of the reports, from docs/schema/*.json: one module per schema in
// src/data/generated/, which is not kept in the tree, and index.ts with all reports. Knows the part of JSON Schema that is used
// there, and stops at anything else.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const top = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const from = join(top, "docs", "schema");
const to = join(top, "web", "src", "data", "generated");

/** @typedef {Record<string, any>} Schema */

/** @param {string} text */
const comment = (text) => `/** ${text.replaceAll("*/", "* /")} */ `;
/** @param {string} key */
const property = (key) => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));
/** @param {string} ref */
const refName = (ref) => typeName(ref.split("/").at(-1) ?? ref);
/** @param {string} name */
const typeName = (name) =>
	name.replace(/(^|[^A-Za-z0-9]+)([a-z])/g, (_all, _gap, letter) => letter.toUpperCase());

/** @param {Schema} s @param {string} indent @returns {string} */
function objectType(s, indent) {
	const inner = `${indent}\t`;
	const required = new Set(s.required ?? []);
	const lines = Object.entries(s.properties ?? {}).map(([key, value]) => {
		const note = value.description ? `${inner}${comment(value.description)}\n` : "";
		return `${note}${inner}${property(key)}${required.has(key) ? "" : "?"}: ${type(value, inner)};`;
	});
	const open = Object.values(s.patternProperties ?? {});
	if (s.additionalProperties && s.additionalProperties !== true) open.push(s.additionalProperties);
	if (open.length) {
		const union = [...new Set(open.map((value) => type(value, inner)))].join(" | ");
		if (!lines.length) return `Record<string, ${union}>`;
		lines.push(`${inner}[key: string]: unknown;`);
	}
	return lines.length ? `{\n${lines.join("\n")}\n${indent}}` : "Record<string, unknown>";
}

/** @param {Schema} s @param {string} indent @returns {string} */
function type(s, indent) {
	if (s.$ref) return refName(s.$ref);
	if ("const" in s) return JSON.stringify(s.const);
	if (s.enum) return s.enum.map((/** @type {unknown} */ v) => JSON.stringify(v)).join(" | ");
	const any = s.anyOf ?? s.oneOf;
	if (any) return any.map((/** @type {Schema} */ v) => type(v, indent)).join(" | ");
	if (Array.isArray(s.type))
		return s.type.map((/** @type {string} */ t) => type({ ...s, type: t }, indent)).join(" | ");
	switch (s.type) {
		case "object":
			return objectType(s, indent);
		case "array": {
			const items = s.items ? type(s.items, indent) : "unknown";
			return /[|{]/.test(items) ? `Array<${items}>` : `${items}[]`;
		}
		case "integer":
		case "number":
			return "number";
		case "string":
		case "boolean":
		case "null":
			return s.type;
		case undefined:
			return s.properties ? objectType(s, indent) : "unknown";
		default:
			throw new Error(`type ${s.type} is not known here`);
	}
}

/**
 * Lists of rows that have columns: `clustersColumns` of "clusters", those fields of a row with a heading.
 * @param {Schema} s @returns {string}
 */
const columns = (s) =>
	Object.entries(s.properties ?? {})
		.map(([key, value]) => {
			const fields = Object.entries(value.items?.properties ?? {}).filter(
				([, field]) => field.title,
			);
			const lines = fields.map(([name, field]) => {
				const [title, help] = [field.title, field.description ?? ""].map((text) =>
					JSON.stringify(text),
				);
				return `\t{ key: ${JSON.stringify(name)}, title: ${title}, help: ${help} },\n`;
			});
			return lines.length ? `export const ${key}Columns = [\n${lines.join("")}] as const;\n` : "";
		})
		.join("");

mkdirSync(to, { recursive: true });
/** @type {string[]} */
const index = [];
for (const file of readdirSync(from).filter((name) => name.endsWith(".json"))) {
	/** @type {Schema} */
	const schema = JSON.parse(readFileSync(join(from, file), "utf8"));
	const name = `${typeName(file.replace(/\.json$/, ""))}Report`;
	const defs = Object.entries({ ...schema.definitions, ...schema.$defs }).map(
		([key, value]) => `export type ${typeName(key)} = ${type(value, "")};\n`,
	);
	const text = `// Made from docs/schema/${file} by tools/schema-types.mjs.\n${defs.join("")}export type ${name} = ${type(schema, "")};\n${columns(schema)}`;
	index.push(`export type { ${name} } from "./${file.replace(/\.json$/, "")}";\n`);
	writeFileSync(join(to, file.replace(/\.json$/, ".ts")), text);
}
writeFileSync(join(to, "index.ts"), index.join(""));
