# The page's document says what --json says; its windows are those of --window; both fit their schema.
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
cat >check.py <<'P'
import base64, json, re, sys, zlib
import jsonschema
top, full, page, window, plain = sys.argv[1], *map(lambda p: json.load(open(p)), sys.argv[2:6])
# What a file has besides: as src/document/html.c packs it.
parts = {name: json.loads(zlib.decompress(base64.b64decode(packed))) for name, packed in
	re.findall('class="lode-report" data-name="([^"]*)"[^>]*>([^<]*)<', open(sys.argv[6]).read())}
meanwhile = parts["timeline-part-meanwhile"]
for document, name in ((page, "timeline-page"), (window, "timeline-windows"), (meanwhile, "timeline-meanwhiles"),
	(parts["timeline-part-0"], "timeline-windows")):
	jsonschema.Draft7Validator(json.load(open(f"{top}/docs/schema/{name}.json"))).validate(document)
t0, names = int(page["trace"]["t0_ns"]), page["functions"]["name"]

def items(timeline):
	"""The columns as lode timeline --json --full writes them."""
	at, node, fold = 0, 0, 0
	for i, kind in enumerate(timeline["kind"]):
		at += timeline["start"][i] + (0 if i else t0)
		item = {"kind": ("call", "expression", "gap")[kind], "depth": timeline["depth"][i],
			"start_ns": at, "duration_ns": timeline["duration"][i]}
		if kind == 0:
			item["function"] = names[timeline["what"][i]]
		if kind == 1:
			item["calls"], n = timeline["what"][i], timeline["own"][i]
			item["nodes"] = [{"function": names[timeline["node_function"][k]],
				"caller": timeline["node_caller"][k] - 1, "calls": timeline["node_calls"][k],
				"total_ns": timeline["node_total"][k], "own_ns": timeline["node_own"][k]}
				for k in range(node, node + n)]
			if timeline["fold_nodes"][fold]:
				item["folded"] = {key: timeline[f"fold_{name}"][fold] for key, name in (("nodes", "nodes"),
					("functions", "functions"), ("calls", "calls"), ("own_ns", "own"))}
			node, fold = node + n, fold + 1
		yield item

def same_timelines(columns, document):
	assert len(columns) == sum(1 for t in document["threads"] if t["timeline"])
	for timeline in columns:
		assert list(items(timeline)) == document["threads"][timeline["thread"]]["timeline"]

same_timelines(page["timelines"], full)
for mine, theirs in zip(page["threads"], full["threads"], strict=True):
	for key in ("tid", "name", "calls", "kept_calls", "expressions", "gaps", "events_after", "idle_ns"):
		assert mine[key] == theirs[key], key
	leaves = [(names[f], ns) for f, ns in zip(mine["leaves"][::2], mine["leaves"][1::2])]
	assert len(mine["called"]) == theirs["functions"] and sum(mine["called_calls"]) == theirs["calls"]
	assert sum(mine["called_leaf"]) + mine["idle_ns"] == theirs["t1_ns"] - theirs["t0_ns"]
	assert leaves == [(l["function"], l["leaf_ns"]) for l in theirs["top_functions"] if l["leaf_ns"]][:8]
o = page["outliers"]
assert [(full["threads"][t]["tid"], names[f], s + t0, d, depth) for t, f, s, d, depth in zip(o["thread"],
	o["function"], o["start"], o["duration"], o["depth"])] == [(x["tid"], x["function"], x["start_ns"],
	x["duration_ns"], x["depth"]) for x in full["outliers"]]
same_timelines(window["windows"][0]["timelines"], plain)
assert parts["timeline"] == page
spans = {(m["t0"], m["t1"]) for m in meanwhile["meanwhile"]}
assert len(spans) == len(meanwhile["meanwhile"]) == page["meanwhiles"]
assert all((s, s + d) in spans for s, d in zip(o["start"], o["duration"]))
for thread in page["threads"]:
	assert not thread["first"] or (0, thread["first"]) in spans
for m in meanwhile["meanwhile"]:
	for idle, leaves in zip(m["idle"], m["leaves"], strict=True):
		assert idle + sum(leaves[1::2]) <= m["t1"] - m["t0"]
print(len(page["windows"]) > 20, page["windows_left_out"], {w["single"] for w in page["windows"]})
P
mail=$LODE_TOP/samples/mailroom
"$LODE" timeline --symbols "$mail/symbols.tsv" --index a.lodet "$mail/mailroom.xray.zst" >/dev/null
# So few calls are not folded: there is room for all of it.
"$LODE" timeline --json --full --top 0 --negligible 0 a.lodet >full.json
"$LODE" timeline --json --page a.lodet >page.json
"$LODE" timeline --json --page -j 1 a.lodet | cmp - page.json
# As many calls as a screen has pixels come one by one: here, all but those of the busiest threads.
"$LODE" timeline --json --full --top 0 --window +0.4s,+0.4001s --long-call 0ns --negligible 0 a.lodet >plain.json
"$LODE" timeline --json --page --window +0.4s,+0.4001s --long-call 0ns a.lodet >window.json
"$LODE" timeline --html page.html a.lodet
python3 check.py "$LODE_TOP" full.json page.json window.json plain.json page.html
"$LODE" timeline --page a.lodet
# Without what a server works out.
"$LODE" timeline --html whole.html --whole-only a.lodet
grep -o 'data-name="[^"]*"' whole.html
"$LODE" timeline --whole-only a.lodet
