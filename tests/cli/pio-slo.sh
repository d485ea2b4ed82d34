# Slow by a counter in place of a request log: a bound that is given or learnt, rising or falling.
cat >make.py <<'P'
import random
services = ("cart", "db", "web")
for name, start, slow in (("monday", 1795230000, range(0)), ("tuesday", 1795316400, range(150, 180)), ("both", 1795402800, range(100, 140))):
    r = random.Random(start)
    with open(f"{name}.csv", "w") as out:
        out.write("time," + ",".join(f"{s}_{m}" for s in services for m in ("cpu", "mem", "queue", "disk")) + ",web_latency,web_rate\n")
        for t in range(400):
            busy = t in slow
            row = [b * r.uniform(0.9, 1.1) * (f if busy else 1) for s in services
                   for b, f in ((20, 4 if s == "db" else 1), (3e8, 1), (5, 3 if s == "db" else 2 if s == "web" else 1), (9, 1))]
            out.write(f"{start + t}," + ",".join(f"{v:.6g}" for v in row + [0.1 * r.uniform(0.8, 1.2) * (6 if busy else 1), 200 * r.uniform(0.9, 1.1) * (0.4 if busy else 1)]) + "\n")
P
python3 make.py
show() { "$LODE" pio train --force "$@" -o model 2>&1 | grep -E "slow|--slo"; "$LODE" pio -m model -c tuesday.csv 2>/dev/null | sed '/^Next/d' | head -7; }
echo "== a bound that is learnt from healthy time"
show --slo web:latency -c monday.csv
echo "== one that is given, and slow time in training"
show --slo 'web:latency > 0.3' -c both.csv | grep -v -E '^(rules| )'
echo "== throughput that drops, or latency"
show --slo 'web:rate <' --slo 'latency > 0.3' -c monday.csv
echo "== a healthy day"
"$LODE" pio -m model -c monday.csv 2>/dev/null | head -2
"$LODE" pio -m model -c monday.csv --json 2>/dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(len(d["periods"]), len(d["unexplained"]), d["regression"]["high"])'
echo "== misuse"
for slo in 'web:speed' 'web:latency > fast' '> 3'; do
	"$LODE" pio train --force --slo "$slo" -c monday.csv -o model 2>&1 | tail -2 | head -1; echo "exit ${PIPESTATUS[0]}"
done
"$LODE" pio train --force --slo web:latency -l monday.csv -c monday.csv -o model 2>&1 | head -1
echo "== an incident that the user names"
"$LODE" pio train --force --incident 2026-11-23T03:01:40Z,2026-11-23T03:02:20Z -c both.csv -o model 2>/dev/null | grep -c 'db/cpu <='
"$LODE" pio -m model -c tuesday.csv 2>/dev/null | head -2
"$LODE" pio train --incident 2026-11-23T03:01:40Z -c both.csv 2>&1 | head -1
echo "== a histogram of Prometheus: its requests"
python3 - <<'P'
import random
for name, start, slow in (("healthy", 1795230000, range(0)), ("slow", 1795316400, range(60, 90))):
    r = random.Random(start)
    counts, cpu = {}, []
    with open(f"{name}.txt", "w") as out:
        for t in range(200):
            for code in ("200", "404"):
                n = r.randint(90, 110)
                above = int(n * (0.8 if t in slow else 0.01))
                for le, part in (("0.1", 0.6), ("0.5", 1.0), ("+Inf", 1.0)):
                    k = (code, le)
                    counts[k] = counts.get(k, 0) + (n if le == "+Inf" else int((n - above) * part))
                    out.write(f'took_seconds_bucket{{code="{code}",le="{le}",service="api"}} {counts[k]} {(start + 10 * t) * 1000}\n')
            for s in ("api", "db"):
                for m in ("cpu", "queue", "memory", "disk"):
                    out.write(f'{m}{{service="{s}"}} {r.uniform(9, 11) * (5 if t in slow and s == "db" and m == "disk" else 1):.4g} {(start + 10 * t) * 1000}\n')
P
for bound in '' ' > 0.3' ' > 2'; do
	"$LODE" pio train --force --slo "api:took_seconds$bound" --entity-label service -c healthy.txt -o model 2>&1 | grep -E "slow with|no counter"
done
"$LODE" pio train --force --slo api:took_seconds --entity-label service -c healthy.txt -o model >/dev/null 2>&1
"$LODE" pio -m model -c slow.txt 2>/dev/null | sed '/^Next/d' | head -6
