# A made service of two servers: each is slow at times, and a client reads slowly once. Connections to
# the web server pile up whichever it is; memory wanders.
cat >make.py <<'P'
import random, sys
name, seed, seconds = sys.argv[1], int(sys.argv[2]), 900
at_db, at_web, at_client = ({t for s in a.split(",") for t in range(int(s), int(s) + 20)} for a in sys.argv[3:])
r, start = random.Random(seed), 1795230000
with open(f"{name}.log", "w") as log, open(f"{name}-web.csv", "w") as web, open(f"{name}-db.csv", "w") as db:
    web.write("time,cpu,connections,memory\n")
    db.write("time,cpu,waits,transactions\n")
    memory = 1000
    for t in range(seconds):
        d, w = t in at_db, t in at_web
        s = d or w
        n = 30 if s else 40
        for k in range(n):
            took = r.lognormvariate(-4, 0.3) * (8 if s else 1)
            total = took + (2 if t in at_client and k % 2 else 0.001)
            end = start + t + k / n + total
            log.write(f'10.0.0.1 - u{k % 3} [21/Nov/2026:02:00:00 +0000] "GET /shop/{"cart" if k % 2 else "list"}'
                      f'?id={k} HTTP/1.1" 200 100 "-" "-" {total:.3f} {took:.3f} {end:.3f}\n')
        memory += r.choice((-1, 1)) * 3
        web.write(f"{start + t + 1}.002,{n + r.randint(0, 9) + 60 * w},{5 + r.randint(0, 3) + 40 * s},{memory}\n")
        db.write(f"{start + t + 1}.004,{2 * n + r.randint(0, 9)},{r.randint(0, 1) + 12 * d},{n * 3 + r.randint(0, 5)}\n")
P
python3 make.py one 1 100,600 300,450 800
python3 make.py two 2 250 520 700
inputs() { echo "--log $1.log -c web=$1-web.csv -c db=$1-db.csv"; }

echo "== train, show"
"$LODE" pio train $(inputs one) --rulesets 1 --cross-validate 5 -o model | sed -E 's/^( +)[0-9.]+$/\1.../'
"$LODE" pio train $(inputs one) --rulesets 1 --cross-validate 5 --memory 1M -o tight >/dev/null
"$LODE" pio train $(inputs one) --rulesets 1 --memory 1K -o none 2>&1
cmp model tight
"$LODE" pio show model | head -2
echo "== a written model reads back the same"
python3 - <<'P'
import json
m = json.load(open("model"))
print(m["schema"], sorted(m), [(c["server"], c["counter"], c["drifting"]) for c in m["counters"]])
P
echo "== analyse"
"$LODE" pio -m model $(inputs two)
echo "== from counters alone, with other lists"
"$LODE" pio analyse --model=model -c web=two-web.csv -c db=two-db.csv --top 1 --rank harm | head -6
echo "== JSON"
"$LODE" pio -m model $(inputs two) --json >two.json
"$LODE" pio -m model $(inputs two) --json --memory 1M | cmp - two.json
python3 - "$LODE_TOP" <<'P'
import json, sys
d = json.load(open("two.json"))
try:
    import jsonschema
    jsonschema.Draft7Validator(json.load(open(sys.argv[1] + "/docs/schema/pio.json"))).validate(d)
except ImportError:
    pass
start = d["start"] // 10**9
for p in d["periods"]:
    print(p["start"] // 10**9 - start, p["end"] // 10**9 - start, p["reported"] // 10**9 - start,
          [s["server"] for s in p["servers"] if s["bottleneck"]], p["counters"][0]["counter"])
print(len(d["intervals"]), len(d["unfelt"]), len(d["unexplained"]), d["regression"]["verdict"],
      d["retraining"]["advised"])
P
echo "== what pictures are drawn from"
"$LODE" pio -m model $(inputs two) --json --series all --points 100 --top 2 >few.json
"$LODE" pio -m model $(inputs two) --json --series none --top 0 >none.json
python3 - <<'P'
import csv, json
d, few, none = (json.load(open(name + ".json")) for name in ("two", "few", "none"))
n = len(d["intervals"])
for kind, classes in (("low_other", ("LOW", "MED", "HIGH")), ("med_high", ("MED", "HIGH"))):
    decided = [0] * n  # one ruleset: each interval is decided once
    for rule in d["rules"][kind]:
        for first, last in rule["intervals"]:
            for i in range(first, last + 1):
                decided[i] += 1
    print(kind, decided == [int(i["estimated"] in classes) for i in d["intervals"]])
for p in d["periods"]:
    a, b = ((p[k] - d["start"]) // d["step_ns"] for k in ("start", "end"))
    for use in p["rules"]:
        runs = d["rules"][use["list"]][use["rule"]]["intervals"]
        assert use["intervals"] == sum(max(0, min(last, b - 1) - max(first, a) + 1) for first, last in runs)
raw = {(s, c): [float(r[c]) for r in csv.DictReader(open(f"two-{s}.csv"))] for s, c in
       (("web", "cpu"), ("web", "connections"), ("db", "waits"), ("db", "cpu"))}
series = {(s["server"], s["counter"]): s for s in d["series"]}
print("raw values:", [k for k, v in raw.items() if k in series and series[k]["values"] == v])
print("map:", all(len(r["values"]) == n for r in d["matrix"]), len(few["matrix"]),
      few.get("matrix_more", 0) + len(few["matrix"]) == len(none["matrix"]))
w = next(s for s in few["series"] if s["counter"] == "waits")
print("few points:", len(few["series"]), len(w["values"]), few["series_step_ns"] // 10**9, w["values"] == [
    max(raw["db", "waits"][i:i + 9], key=lambda x: abs(x - w["median"])) for i in range(0, n, 9)])
print("none:", none["series"], [len(s["evidence"]) == n for s in none["servers"]], all(
    abs(max(s["evidence"][i] for s in d["servers"]) - d["intervals"][i]["evidence"]) < 1e-5 for i in range(n)))
P
echo "== classic"
"$LODE" pio train --classic $(inputs one) -o classic >/dev/null
"$LODE" pio -m classic $(inputs two) --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
start = d["start"] // 10**9
assert not d["servers"] and set(d["bounds"]) == {"med", "high"}
print([(p["start"] // 10**9 - start, p["end"] // 10**9 - start, [s["server"] for s in p["servers"]][:1]) for p in d["periods"]])'
echo "== two periods; a counter less, one more, and an unknown page"
"$LODE" pio train $(inputs one) --then $(inputs two) --rulesets 1 -o both | head -4
sed 's/waits/stalls/' two-db.csv >renamed.csv
sed 's,/shop/cart,/shop/new,' two.log >new.log
"$LODE" pio -m both --log new.log -c web=two-web.csv -c db=renamed.csv | sed -n '/^retrain/,$p'
echo "== mistakes"
try() { "$LODE" pio "$@" >out 2>err; echo "exit $?"; head -2 err; }
try
try train -c db=one-db.csv
try train --log one.log
try train --log nowhere.log -c db=one-db.csv -o m
try analyse -c db=one-db.csv
try -m one-db.csv -c db=one-db.csv
echo '{"schema": "lode/pio-model/2"}' >newer
try -m newer -c db=one-db.csv
head -c 2000 model >cut
try -m cut -c db=one-db.csv
try train --log one.log -c db=one-db.csv --plain --log-times
try train --log two.log -c x=renamed.csv --then --log one.log
