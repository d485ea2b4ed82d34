# Counters alone: a model of healthy time without a log, and the periods in which a server left it. Nothing is HIGH.
cat >make.py <<'P'
import random, sys
name, seed, day, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
at_db, at_web = (range(*eval(a)) for a in sys.argv[5:])
r, start = random.Random(seed), 1795230000 + 86400 * day
with open(f"{name}-web.csv", "w") as web, open(f"{name}-db.csv", "w") as db:
    web.write("time,cpu,connections,errors\n")
    db.write("time,cpu,waits,transactions\n")
    for t in range(seconds):
        d, w = t in at_db, t in at_web
        web.write(f"{start + t + 1}.002,{40 + r.randint(0, 9) + 60 * w},{5 + r.randint(0, 3) + 6 * d},{9 * w}\n")
        db.write(f"{start + t + 1}.004,{80 + r.randint(0, 9) + 60 * d},{r.randint(0, 1) + 12 * d},{120 + r.randint(0, 5)}\n")
P
python3 make.py healthy 1 0 600 '0, 0' '0, 0'
python3 make.py calm 2 1 600 '0, 0' '0, 0'
python3 make.py today 3 2 600 '100, 130' '400, 440'
inputs() { echo "-c web=$1-web.csv -c db=$1-db.csv"; }
echo "== train"
"$LODE" pio train $(inputs healthy) -o model 2>&1
echo "== healthy"
"$LODE" pio -m model $(inputs calm) | grep -v ^Next
echo "== two faults"
"$LODE" pio -m model $(inputs today) | grep -v ^Next
"$LODE" pio -m model $(inputs today) --json >today.json
python3 - "$LODE_TOP" <<'P'
import json, sys
d = json.load(open("today.json"))
try:
    import jsonschema
    jsonschema.Draft7Validator(json.load(open(sys.argv[1] + "/docs/schema/pio.json"))).validate(d)
except ImportError:
    pass
print(d["training"]["has_log"], {i["estimated"] for i in d["intervals"]}, d["regression"]["verdict"],
      [(p["servers"][0]["server"], p["start"] // 10**9 - d["start"] // 10**9, p["duration_ns"] // 10**9) for p in d["periods"]])
P
echo "== a log that the model cannot judge"
for t in 1 2 3; do echo '{"ts": '$((1795402800 + t))', "took": 0.1, "route": "/"}'; done >a.log
"$LODE" pio -m model $(inputs today) -l a.log --format json --fields time=ts,response=took:s,action=route 2>&1 | head -3
echo "== what needs a log"
"$LODE" pio train --classic $(inputs healthy) -o classic 2>&1 | head -1
"$LODE" pio train $(inputs healthy) --then $(inputs calm) -l a.log --format json --fields time=ts,response=took:s,action=route -o some 2>&1 | head -1
