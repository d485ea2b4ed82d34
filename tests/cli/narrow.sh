# --time cuts symptoms to what is read, --cpu leaves running time alone, and order does not show.
samples=$LODE_TOP/samples/startup
[ -f "$samples/startup-08.perf.data.zst" ] || { echo "samples are not there"; exit 77; }
figures() {
	"$LODE" mine --json --top 0 "$@" | python3 -c '
import json, sys
d = json.load(sys.stdin)
own = sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"]
aoi = d["aoi"]
print(d["symptom_ns"], own == aoi["wait_ns"] + aoi["run_ns"] + aoi["ready_ns"],
      any("[unrecorded]" in c["common"] for c in d["clusters"]),
      all(c["total_ns"] >= c["own_ns"] for c in d["clusters"]))
print("waits" if aoi["wait_ns"] + aoi["ready_ns"] else "no waits", aoi["run_ns"] > 0)'
}
echo "== half a second of each"
figures --time +1s,+1.5s "$samples"
echo "== one CPU"
figures --cpu 1 "$samples" | tail -n 1
echo "== adopted stacks are in totals"
figures --scope graph "$samples" | cut -d ' ' -f 2-
echo "== folded, from either end"
"$LODE" mine --folded "$samples"/*.zst | cksum >forward
"$LODE" mine --folded $(ls -r "$samples"/*.zst) | cksum >backward
cmp forward backward && echo same
echo "== no time at all"
"$LODE" record --duration 0 -- true
echo "exit $?"
