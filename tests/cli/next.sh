# Which stream to open next: by clusters, by signatures, after some are opened; the four curves.
write() { # FILE LINE...
	local file=$1
	shift
	printf '%s\n' "$@" >"$file"
}
mkdir runs
write runs/one.folded 'app;main;load;read_disk 50' 'app;main;lock_it 40'
write runs/two.folded 'app;main;load;read_disk 300'
write runs/three.folded 'app;main;load;read_disk 90' 'app;main;draw;layout 110' 'app;main;odd 7'
write runs/four.folded 'app;main;draw;layout 20' 'app;main;save;sync_all 35'
write runs/five.folded 'app;main;odd 60'
cat >known.txt <<'S'
signature: disk
pattern: read_disk

signature: loading
pattern: load

signature: locks
pattern: lock_it

signature: drawing
pattern: draw; layout

signature: old
state: retired
pattern: odd
S
say() {
	"$LODE" "$@" 2>&1
	echo "exit $?"
}
echo "== clusters stand in"
say next --min-cost 1% --unit ns runs
echo "== signatures"
say next --signatures known.txt runs
echo "== some are opened"
say next --signatures known.txt --opened three.folded --opened runs/five.folded runs
say next --signatures known.txt --opened three.folded --top 1 runs
say next --opened nine.folded runs
say next --min-cost 1% --opened runs/one.folded runs/one.folded
echo "== the four orders"
say next --signatures known.txt --compare runs
say next --signatures known.txt --compare --opened three.folded --opened one.folded runs
echo "== a repository"
"$LODE" import --repo r.lode --label set=one runs/one.folded runs/two.folded >/dev/null
"$LODE" import --repo r.lode --label set=two runs/three.folded runs/four.folded runs/five.folded >/dev/null
"$LODE" sign --repo r.lode --import known.txt >/dev/null
"$LODE" next --signatures known.txt runs >inputs
LODE_REPO=r.lode "$LODE" next | sed "/^Next:/d; 6q" | diff - <(sed "/^Next:/d; 6q" inputs) && echo same
say next --repo r.lode --where set=one
say next --repo r.lode --where set=three
"$LODE" next --repo r.lode --where 'set=one and age>=0s' | head -n 1
say next --repo r.lode --where set=one runs
say next --repo r.lode --signatures known.txt
echo "== bad input"
: >runs/empty.folded
"$LODE" next --signatures known.txt runs >/dev/null
echo "exit $?"
say next
say next --signatures missing.txt runs
echo "== JSON"
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
cat >check.py <<'P'
import json, sys, jsonschema
d = json.load(sys.stdin)
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(d)
print(eval(sys.argv[2]))
P
check() { python3 check.py "$LODE_TOP/docs/schema/next.json" "$1"; }
rm runs/empty.folded
"$LODE" next --json --min-cost 1% runs | check 'd["of"], [s["cluster"]["common"][-1] if "cluster" in s else None for s in d["order"]]'
"$LODE" next --json --top 2 --compare --signatures known.txt runs |
	check '[(s["stream"], s.get("signature"), s["covered_ns"]) for s in d["order"]], d["more"], d["compare"]["curves"]'
