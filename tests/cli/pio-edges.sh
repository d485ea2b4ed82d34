# Which service calls which: a caller gives way in lode pio compare.
python3 - <<'P'
import random
for name, start, slow in (("before", 1795230000, 1), ("after", 1795240000, 4)):
    r = random.Random(start)
    with open(f"{name}.csv", "w") as out:
        out.write("time," + ",".join(f"{s}_{m}" for s in ("cart", "db", "web", "mail") for m in ("cpu", "latency", "queue")) + "\n")
        for t in range(200):
            row = [(20, 0.1, 300)[m] * r.uniform(0.9, 1.1) * (slow if (s, m) in ((1, 2), (1, 1), (2, 1)) else 1.3 * slow if (s, m) in ((0, 1), (0, 2)) else 1)
                   * (1.5 if slow > 1 and s == 0 and m == 0 else 1) for s in range(4) for m in range(3)]
            out.write(f"{start + t}," + ",".join(f"{v:.5g}" for v in row) + "\n")
P
order() { "$LODE" pio compare --before before.csv --after after.csv --json "$@" | python3 -c 'import json, sys; print(*(s["service"] for s in json.load(sys.stdin)["services"]))'; }
echo "== by evidence, and with what calls what"
order
printf 'caller,callee\ncart,db\nweb,cart\nmail,db\n' >edges.csv
order --edges edges.csv
echo '{"data": [{"parent": "cart", "child": "db", "callCount": 7}]}' >edges.json
order --edges edges.json
echo "== edges that change nothing, of others, and none"
printf 'db;cart\ncart;mail\n' >edges.csv
order --edges edges.csv
echo 'shop mart' >edges.csv
order --edges edges.csv 2>&1
echo '[1' >edges.json
"$LODE" pio compare --before before.csv --after after.csv --edges edges.json 2>&1; echo "exit $?"
