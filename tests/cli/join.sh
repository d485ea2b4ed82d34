# Recordings of several hosts as one: what it takes, and what it says of clocks.
cp "$LODE_TOP/tests/data/hops/tcp.script.zst" a.script.zst
cp a.script.zst b.script.zst
"$LODE" mine --join a.script.zst; echo "exit $?"
"$LODE" mine --join --paths 1 --json --detail a.script.zst b.script.zst; echo "exit $?"
"$LODE" mine --clock-offset 3ms a.script.zst; echo "exit $?"
"$LODE" mine --join --clock-offset soon a.script.zst b.script.zst; echo "exit $?"
"$LODE" mine --join --clock-offset 1ms --clock-offset 2ms a.script.zst b.script.zst; echo "exit $?"
"$LODE" mine --join a.script.zst b.script.zst; echo "exit $?"
"$LODE" mine --join --clock-offset -2h a.script.zst b.script.zst; echo "exit $?"
echo "== twice the same: twice the symptoms"
"$LODE" mine --json --symptom comm=shop a.script.zst >one.json
"$LODE" mine --json --symptom comm=shop --join --clock-offset -1.5ms a.script.zst b.script.zst >two.json
echo "exit $?"
python3 - <<'P'
import json
one, two = json.load(open("one.json")), json.load(open("two.json"))
print(two["streams"] == 1, two["symptoms"] == 2 * one["symptoms"],
      two["symptom_ns"] == 2 * one["symptom_ns"])
print(sum(c["own_ns"] for c in two["clusters"]) + two["other_ns"] == two["symptom_ns"])
P
echo "== a page, without paths"
"$LODE" mine --symptom comm=shop --join --clock-offset -1.5ms --html page.html a.script.zst b.script.zst
echo "exit $?: $(($(wc -c <page.html) > 10000))"
