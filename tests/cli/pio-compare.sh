# Two times of counters compared, without a log or a model: services in columns' names, in files, at a time.
cat >make.py <<'P'
import random, sys
name, start, seconds, fault, order = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), eval(sys.argv[4]), int(sys.argv[5])
r = random.Random(start + order)
services = ["cart", "cart-db", "orders", "user", "user-db", "web"]
columns = [f"{s}_{c}" for s in services for c in ("cpu", "mem", "lat_50", "lat_99")]
columns = columns[order:] + columns[:order]
base = {"cpu": 5, "mem": 3e8, "lat_50": 0.01, "lat_99": 0.05}
wander = dict.fromkeys(columns, 0.0)
with open(f"{name}.csv", "w") as out:
    out.write("time," + ",".join(columns) + "\n")
    for t in range(seconds):
        row = []
        for c in columns:
            service, metric = c.split("_", 1)
            wander[c] = 0.95 * wander[c] + r.gauss(0, 0.02)
            value = base[metric] * (1 + wander[c] * (0.001 if metric == "mem" else 1)) * r.uniform(0.95, 1.05)
            if t in fault and service == "orders":
                value *= {"cpu": 12, "mem": 2, "lat_50": 3, "lat_99": 5}[metric]
            if t in fault and service == "web":
                value *= {"cpu": 0.7, "mem": 1, "lat_50": 2, "lat_99": 2.5}[metric]
            row.append(f"{value:.6g}")
        out.write(f"{start + t}," + ",".join(row) + "\n")
P
python3 make.py normal 1795230000 300 'range(0)' 0
python3 make.py fault 1795240000 300 'range(20, 300)' 0
python3 make.py turned 1795240000 300 'range(20, 300)' 7
python3 make.py day 1795250000 600 'range(400, 600)' 0
echo "== two files"
"$LODE" pio compare --before normal.csv --after fault.csv
echo "== healthy: a file against itself, and its halves"
"$LODE" pio compare --before normal.csv --after normal.csv | head -2
"$LODE" pio compare --at 1795230150 normal.csv | head -2
echo "== at a time"
"$LODE" pio compare --at 2026-11-21T08:40:00Z day.csv | sed '/^Next/d' | head -6
echo "== a file for each service"
cut -d, -f1,10-13 normal.csv | sed '1s/orders_//g' >o1.csv
cut -d, -f1,10-13 fault.csv | sed '1s/orders_//g' >o2.csv
cut -d, -f1,14-17 normal.csv | sed '1s/user_//g' >u1.csv
cut -d, -f1,14-17 fault.csv | sed '1s/user_//g' >u2.csv
"$LODE" pio compare --before orders=o1.csv --before user=u1.csv --after orders=o2.csv --after user=u2.csv | grep -E 'stands out \(|services'
echo "== JSON"
"$LODE" pio compare --before normal.csv --after fault.csv --json >a.json
"$LODE" pio compare --before normal.csv --after turned.csv --json >b.json
"$LODE" pio compare --before normal.csv --after normal.csv --json >none.json
"$LODE" pio compare --before normal.csv --after fault.csv --top 1 --json >top.json
python3 - "$LODE_TOP" <<'P'
import json, sys
a, b, none, top = (json.load(open(n + ".json")) for n in ("a", "b", "none", "top"))
try:
    import jsonschema
    schema = json.load(open(sys.argv[1] + "/docs/schema/pio-compare.json"))
    for d in (a, b, none, top):
        jsonschema.Draft7Validator(schema).validate(d)
except ImportError:
    pass
s = a["services"][0]
print(a["stands_out"], s["rank"], s["service"], s["since"] // 10**9 - 1795240000, s["confidence"] > 0.5,
      sorted((c["rank"], c["direction"]) for c in s["counters"]))
print(none["stands_out"], none["services"])
print(len(top["services"]), len(top["services"][0]["counters"]), top["services_more"] + 1 == len(a["services"]))
print("columns in another order:", [x["service"] for x in b["services"]][:2])
P
echo "== a page"
"$LODE" pio compare --before normal.csv --after fault.csv --html page.html && grep -c 'lode/pio-compare/1' page.html
echo "== mistakes"
try() { "$LODE" pio compare "$@" >out 2>err; echo "exit $?"; head -2 err; }
try
try --before normal.csv
try normal.csv
try --at yesterday normal.csv
try --at 1795230000 --before normal.csv
try --at 1795230000
try --at 1795999999 normal.csv
try --before nowhere.csv --after fault.csv
