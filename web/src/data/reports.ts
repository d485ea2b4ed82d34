// The reports that pages are drawn of. Their types come from docs/schema (`npm run types`); nothing
// here is written by hand twice.
export type * from "./generated";
export type { Timeline } from "./generated/timeline-page";
