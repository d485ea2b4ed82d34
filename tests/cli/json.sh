# Every document is valid JSON and fits its schema; lists are capped and say so.
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
cat >check.py <<'P'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
document = json.load(sys.stdin)
jsonschema.Draft7Validator(schema).validate(document)
print(eval(sys.argv[2], {"d": document}))
P
check() { python3 check.py "$LODE_TOP/docs/schema/$1.json" "$2"; }
samples=$LODE_TOP/samples/startup
printf 'main;a\xff;"b" 60\nmain;c;d 30\nmain;e 9\n' >a.folded
printf 'x;y 1\n' >b.folded
: >empty

"$LODE" mine --json a.folded | check mine \
	'd["unit"], d["symptom_ns"], sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"]'
"$LODE" mine --json --top 1 a.folded | check mine 'len(d["clusters"]), d["more"]'
"$LODE" mine --json --show 2 a.folded | check mine '[c["rank"] for c in d["clusters"]]'
"$LODE" mine --json --classic --prevalence 10% --delay 10ns a.folded | check mine 'd["lambda_ns"]'
"$LODE" mine --json a.folded empty b.folded 2>/dev/null |
	check mine 'd["streams"], [s["path"] for s in d["skipped"]], len(d["skipped"][0]["reason"]) > 10'
"$LODE" info --json a.folded | check info 'd["format"], d["unit"], d["samples"], d["serves"]["timeline"]'
"$LODE" info --json a.folded b.folded | check info 'len(d["streams"])'

if [ -d "$samples" ]; then
	"$LODE" mine --json --top 0 "$samples" >six.json
	check mine '(d["streams"], d["symptoms"], d["symptom_ns"] ==
		sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"] + d["recording_ns"] ==
		sum(d["aoi"][k] for k in ("wait_ns", "run_ns", "ready_ns")) + d["recording_ns"])' <six.json
	check mine 'all(c["own_ns"] == sum(c["split"].values()) for c in d["clusters"])' <six.json
	"$LODE" mine --json --top 0 --threads 1 "$samples" | cmp - six.json && echo "same for 1 and N threads"
	"$LODE" info --json "$samples"/startup-08.perf.data.zst |
		check info 'd["format"], d["cpus"], d["lost"]["events"], d["events"]["sched:sched_switch"] > 1000'
fi

if [ -d "$LODE_TOP/samples/orders" ]; then
	orders=$LODE_TOP/samples/orders/orders.perf.data.zst
	first='d["contrasts"][0]["function"], d["contrasts"][0]["callers"], d["contrasts"][0]["q"] < 1e-9'
	"$LODE" suspects --json --top 0 "$orders" >orders.json
	check suspects "$first, d['cut'], len(d['functions']) == d['functions_total']" <orders.json
	# Each execution has one label, and each function's scores are those of its counts.
	check suspects '(all(m["succeeded"] + m["failed"] + m["ignored"] == m["n"] ==
		sum(b["n"] for b in m["histogram"]) for m in d["metrics"]),
		all(abs(f["increase"] - f["failure"] + f["context"]) < 1e-12 for f in d["functions"]),
		[f["rank"] for f in d["functions"]] == list(range(1, 22)))' <orders.json
	"$LODE" suspects --json "$orders" --top 3 | check suspects 'len(d["functions"]), d["more"]'
	"$LODE" suspects --json "$orders" --top 50% | check suspects 'len(d["functions"]), d["more"]'
	"$LODE" suspects --json "$orders" --versus "$orders" |
		check suspects 'd["options"]["evidence"], {f["excess_calls"] for f in d["functions"]}'
	"$LODE" suspects --json "$orders" --baseline "$orders" --pooled |
		check suspects 'd["failed"], [m["metric"] for m in d["metrics"]]'
	"$LODE" suspects --json "$orders" --explain journal_commit --thresholds 1ms,9ms |
		check suspects '(d["explain"]["worst"][0]["value_ns"] == d["metrics"][0]["max_ns"],
			[c["function"] for c in d["explain"]["callees"]])'
fi

"$LODE" mine --json a.folded >mined.json
"$LODE" sign --signatures s.txt --json --from mined.json --cluster 1 --name x --kind run | check sign \
	'd["action"], [(s["name"], s["kind"], len(s["patterns"])) for s in d["signatures"]]'
"$LODE" sign --signatures s.txt --json | check sign 'd["action"], len(d["signatures"])'

printf 'signature: d\npattern: d\n\nsignature: e\nstate: retired\npattern: e\n' >s.txt
"$LODE" coverage --json --signatures s.txt --by path a.folded b.folded | check coverage \
	'd["covered_ns"], d["returned_ns"], [(s["name"], s["total_ns"]) for s in d["signatures"]], len(d["groups"])'
"$LODE" coverage --json --signatures s.txt --top 1 a.folded | check coverage 'd["coverage"], d["more"]'
"$LODE" triage --json --signatures s.txt --fail-over 60% a.folded b.folded | check triage '(d["over"],
	[(s["unexplained_ns"], s["over"], len(s["signatures"])) for s in d["triaged"]],
	d["covered_ns"] + d["returned_ns"] + sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"] == d["aoi_ns"])'
"$LODE" triage --json --signatures s.txt --no-mining a.folded empty 2>/dev/null | check triage \
	'"clusters" in d, len(d["skipped"])'

"$LODE" import --json --repo r.lode -l release=1 a.folded b.folded empty 2>/dev/null | check import \
	'd["streams_added"], [i["state"] for i in d["inputs"]], len(d["skipped"])'
"$LODE" import --json --repo r.lode a.folded | check import '[i["state"] for i in d["inputs"]]'
"$LODE" repo list --json --repo r.lode --where 'path~*a.folded' | check repo \
	'd["picked"], d["streams"], [(s["labels"], s["time_of"]) for s in d["list"]]'
"$LODE" repo list --json --repo r.lode --top 1 | check repo 'len(d["list"]), d["more"]'
"$LODE" repo labels --json --repo r.lode | check repo-labels 'd["labels"]'
"$LODE" repo prune --json --repo r.lode --max-size 1G --dry-run | check repo-prune 'd["done"], d["removed"], d["over"]'
"$LODE" repo check --json --repo r.lode | check repo-check 'd["sound"], d["digests"]'
