# Services in columns' names, in a label of Prometheus, in a column of a tidy table: train and analyse find the same.
cat >make.py <<'P'
import random
def value(r, service, metric, t, slow):
    base = {"cpu": 20, "mem": 3e8, "errors": 2, "queue": 5}[metric]
    return base * r.uniform(0.9, 1.1) * (8 if slow and service == "cart-db" and metric in ("cpu", "queue") and 150 <= t < 180 else 1)
for name, start, slow in (("monday", 1795230000, False), ("tuesday", 1795316400, True)):
    r = random.Random(start)
    services, metrics = ("cart", "cart-db", "orders", "user", "web"), ("cpu", "mem", "errors", "queue")
    rows = [[(s, m, value(r, s, m, t, slow)) for s in services for m in metrics] for t in range(300)]
    with open(f"{name}.wide.csv", "w") as out:
        out.write("time," + ",".join(f"{s}_{m}" for s, m, _ in rows[0]) + "\n")
        out.writelines(f"{start + t}," + ",".join(f"{v:.6g}" for _, _, v in row) + "\n" for t, row in enumerate(rows))
    with open(f"{name}.tidy.csv", "w") as out:
        out.write("time,entity,metric,value\n")
        out.writelines(f"{start + t},{s},{m},{v:.6g}\n" for t, row in enumerate(rows) for s, m, v in row)
    with open(f"{name}.prom.txt", "w") as out: # half of the pods are others on tuesday
        out.writelines(f'{m}{{namespace="shop",pod="{s}-{p + (slow and t > 100)}",service="{s}"}} {v * f:.6g} {(start + t) * 1000}\n'
            for t, row in enumerate(rows) for s, m, v in row for p, f in ((0, 0.9), (2, 1.1)))
P
python3 make.py
for form in wide.csv tidy.csv prom.txt; do
	echo "== $form"
	"$LODE" pio train --force -c monday.$form -o $form.model 2>&1 | grep -E "services|^[0-9]* counters"
	"$LODE" pio -m $form.model -c tuesday.$form 2>&1 | sed '/^Next/d' | head -7
done
echo "== a label that the user names"
"$LODE" pio train --force --entity-label pod -c monday.prom.txt -o model 2>&1 | grep services
"$LODE" pio show model | grep -E "^[0-9]* counters"
"$LODE" pio compare --entity-label service --at 2026-11-22T03:02:30Z tuesday.prom.txt | sed '/^Next/d' | head -4
