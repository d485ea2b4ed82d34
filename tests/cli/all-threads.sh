# Without symptoms every thread is one, from its first to its last moment: workers that wait for the main
# thread, which waits for them. Such circles are few patterns that take long to find; lode must find them.
cp "$LODE_TOP/samples/startup/startup-18.perf.data.zst" alone.perf.data.zst
cp -r "$LODE_TOP/samples/startup/symbols" .
"$LODE" mine --json --top 0 alone.perf.data.zst >all.json
echo "exit $?"
python3 - <<'P'
import json
d = json.load(open("all.json"))
print(d["symptoms"], d["patterns"] > 100, d["symptom_ns"] ==
      sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"] + d["recording_ns"], 100 * d["other_ns"] < d["symptom_ns"])
P
