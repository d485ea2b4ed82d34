# Slow means that requests were slow: a minute without any is not, whatever the counters do; slow time that no
# counter explains is the worst if it is. A model that was trained on the same time, or on little, is said first.
cat >make.py <<'P'
import random, sys
name, seed, day, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
busy, slow, silent = (range(*eval(a)) for a in sys.argv[5:])
r, start = random.Random(seed), 1795230000 + 86400 * day
with open(f"{name}.log", "w") as log, open(f"{name}.csv", "w") as counters:
    counters.write("time,cpu,disk\n")
    for t in range(seconds):
        for k in range(0 if t in silent else 30):
            took = r.lognormvariate(-4, 0.3) * (8 if t in busy or t in slow else 1)
            log.write('{"ts": %.6f, "took": %.6f, "route": "/"}\n' % (start + t + k / 30, took))
        counters.write(f"{start + t + 1}.002,{20 + r.randint(0, 9) + 60 * (t in busy or t in silent)},{r.randint(0, 5)}\n")
P
fields="--format json --fields time=ts,response=took:s,action=route"
show() { "$LODE" pio -m model $fields -l $1.log -c web=$1.csv | grep -v -E '^Next|^Very|^ *$' | sed '/^rule coverage/,$d'; }
python3 make.py monday 1 0 400 '100, 130' '0, 0' '0, 0'
python3 make.py tuesday 2 1 400 '50, 60' '200, 230' '300, 340'
"$LODE" pio train $fields -l monday.log -c web=monday.csv -o model >/dev/null
echo "== ten seconds that the CPU explains, thirty that nothing does, forty without requests"
show tuesday
"$LODE" pio -m model $fields -l tuesday.log -c web=tuesday.csv --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["training"], [(p["requests"], p["slow"] > 0) for p in d["unfelt"]])'
echo "== the same time as in training"
show monday
echo "== a minute of training"
python3 make.py short 3 0 60 '20, 30' '0, 0' '0, 0'
"$LODE" pio train --force $fields -l short.log -c web=short.csv -o model >/dev/null
show tuesday | head -2
show short | head -2
echo "== a counter that moves within what training had"
awk -F, 'NR > 1 { $2 = 20 + NR * 37 % 70 } 1' OFS=, monday.csv >wide.csv
python3 make.py wednesday 4 2 400 '50, 90' '0, 0' '0, 0'
"$LODE" pio train --force $fields -l monday.log -c web=wide.csv -o model >/dev/null
show wednesday
"$LODE" pio -m model $fields -l wednesday.log -c web=wednesday.csv --json | python3 -c '
import json, sys
print([p.get("moved") for p in json.load(sys.stdin)["unexplained"]])'
echo "== lode analyze says the same"
mkdir day
cp tuesday.log tuesday.csv day/
"$LODE" pio train --force $fields -l monday.log -c tuesday=monday.csv -o model >/dev/null
"$LODE" analyze day 2>&1 -o page.html | head -10
