# The thesis's figures on a real trace of 3.6 million calls: ratios of 829 to 33,185 or better for threads of
# over 200,000 calls, at most 2,500 glyphs; unfolded, times and calls per function are those of classic.
folder=$LODE_TOP/../shared/traces/function/wiredtiger-evict
[ -d "$folder" ] || { echo "the recording is not there"; exit 77; }
"$LODE" timeline --symbols "$folder/symbols.tsv" --index wt.lodet --json --top 0 "$folder/trace.log.zst" >folded.json
"$LODE" timeline --json --top 0 --full --negligible 0 wt.lodet >whole.json
"$LODE" timeline --json --top 0 --full --classic wt.lodet >classic.json
python3 - <<'P'
import collections, json
folded, whole, classic = (json.load(open(f"{n}.json")) for n in ("folded", "whole", "classic"))
large = [t for t in folded["threads"] if t["calls"] > 200000]
print(folded["calls"], len(folded["threads"]), len(large))
print(all(t["ratio"] >= 829 for t in large), all(t["events_after"] <= 2500 for t in folded["threads"]))

def sums(document):
	out = collections.Counter()
	for t in document["threads"]:
		for i in t["timeline"]:
			for n in i.get("nodes", []):
				out[t["tid"], n["function"]] += n["total_ns"]
			if i["kind"] == "call":
				out[t["tid"], i["function"]] += i["duration_ns"]
	return out

def per_call(document):
	return collections.Counter(o["tid"] for o in document["outliers"])

print(sums(whole) == sums(classic), per_call(whole) == per_call(classic))
totals = collections.Counter()
for (_, function), ns in sums(whole).items():
	totals[function] += ns
print(all(totals[f["function"]] == f["total_ns"] for f in whole["outlier_functions"]))
P
