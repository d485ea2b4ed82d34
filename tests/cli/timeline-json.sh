# Every document fits its schema; sums over glyphs are sums over calls, to the nanosecond.
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
cat >check.py <<'P'
import collections, json, sys
import jsonschema
schema = json.load(open(sys.argv[1] + "/docs/schema/timeline.json"))

def glyphs(thread):
	for item in thread.get("timeline", []):
		if item["kind"] == "call":
			yield item["function"], 1, item["duration_ns"], None
		for node in item.get("nodes", []):
			yield node["function"], node["calls"], node["total_ns"], node["own_ns"]

def sums(document):
	out = collections.Counter()
	for thread in document["threads"]:
		for function, calls, ns, _ in glyphs(thread):
			out[thread["tid"], function, "calls"] += calls
			out[thread["tid"], function, "ns"] += ns
	return out

documents = [json.load(open(path)) for path in sys.argv[2:]]
for document in documents:
	jsonschema.Draft7Validator(schema).validate(document)
	for thread in document["threads"]:
		starts = [item["start_ns"] for item in thread.get("timeline", [])]
		assert starts == sorted(starts)
		if "timeline" not in thread:
			continue
		n = sum(1 for _ in glyphs(thread))
		folds = [item["folded"] for item in thread["timeline"] if "folded" in item]
		assert thread["events_after"] == n + len(folds)
		calls = sum(c for _, c, _, _ in glyphs(thread)) + sum(f["calls"] for f in folds)
		assert thread["calls"] == calls
		for item in thread["timeline"]:
			if item["kind"] == "expression":
				outermost = sum(node["total_ns"] for node in item["nodes"] if node["caller"] < 0)
				own = sum(node["own_ns"] for node in item["nodes"])
				assert outermost <= own + item.get("folded", {"own_ns": 0})["own_ns"]
classic, whole = sums(documents[0]), sums(documents[1])
print(len(documents), "documents; conserved:", classic == whole and len(whole) > 50)
P
mail=$LODE_TOP/samples/mailroom
"$LODE" timeline --symbols "$mail/symbols.tsv" --index a.lodet "$mail/mailroom.xray.zst" >/dev/null
ask() { "$LODE" timeline --json "$@" a.lodet; }
ask --full --top 0 --classic >classic.json
ask --full --top 0 --negligible 0 >whole.json
ask --full --top 0 >folded.json
ask --top 2 >short.json
ask --at 32394:+0.45s >at.json
ask --at 32394:+5s >behind.json
ask -f shelf_lock >function.json
ask -f now_ms --full >dull.json
ask --window +0.4s,+0.5s --full --top 0 >window.json
python3 check.py "$LODE_TOP" classic.json whole.json folded.json short.json at.json behind.json function.json \
	dull.json window.json
