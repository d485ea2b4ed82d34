// Every number on every page is one of the document.
import { join } from "node:path";
import { pageOf, samples } from "./harness.mjs";
import { loopSample } from "./loop-sample.mjs";
import { testNumbers } from "./numbers.mjs";
import { pioSample } from "./pio-sample.mjs";

const { before, after, signatures } = loopSample();
const loop = ["--unit", "ns", "--signatures", signatures];

testNumbers("mine", pageOf("mine", join(samples, "startup")), (r) => `/${r.clusters[0].id}`);
testNumbers("suspects", pageOf("suspects", join(samples, "orders")), () => "/orderd!export_ledger");
testNumbers("pio", pageOf(...pioSample()), () => "?at=160");
testNumbers("diff", pageOf("diff", "--unit", "ns", before, after), (r) => `/${r.clusters[0].id}`);
testNumbers("next", pageOf("next", ...loop, before, after), (r) => `/${r.order[0].stream_id}`);
testNumbers(
	"coverage",
	pageOf("coverage", ...loop, "--by", "path", before, after),
	(r) => `/${encodeURIComponent(r.signatures[0].name)}`,
);
testNumbers("triage", pageOf("triage", ...loop, after), (r) => `/recording/${r.triaged[0].id}`);
