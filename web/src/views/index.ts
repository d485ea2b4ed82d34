// Which view draws which report: page.tsx of each folder says.
import type { View } from "./view";

const pages = import.meta.glob<View>("./*/page.tsx", { eager: true, import: "page" });
const views = new Map(Object.values(pages).map((page) => [page.schema, page]));

export const viewOf = (schema: string): View | undefined => views.get(schema);
