# Slow periods become symptoms of a recording that overlaps them: by the clock that its header tells
# (tests/data/clock.perf.data.zst: perf 6.1, record -k CLOCK_MONOTONIC -e cpu-clock/freq=49/), or by the
# user's word. The period ends while the recording runs.
cat >make.py <<'P'
import random, sys
name, seed, start, at = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), [int(x) for x in sys.argv[4:]]
slow = {t for s in at for t in range(s, s + 20)}
r = random.Random(seed)
with open(f"{name}.log", "w") as log, open(f"{name}.csv", "w") as db:
    db.write("time,cpu,waits,locks\n")
    for t in range(500):
        d = t in slow
        for k in range(20):
            took = r.lognormvariate(-4, 0.3) * (8 if d else 1)
            log.write(f'10.0.0.1 - u [21/Nov/2026:02:00:00 +0000] "GET /shop/cart HTTP/1.1" 200 100 "-" "-" '
                      f'{took:.3f} {took:.3f} {start + t + k / 20 + took:.3f}\n')
        db.write(f"{start + t + 1}.004,{40 + r.randint(0, 9) + 30 * d},{r.randint(0, 1) + 12 * d},{r.randint(0, 1) + 9 * d}\n")
P
python3 make.py one 1 1795200000 100 300
python3 make.py two 2 1795258196 100 250
"$LODE" pio train --log one.log -c db=one.csv --rulesets 1 -o model >/dev/null
cp "$LODE_TOP/tests/data/clock.perf.data.zst" .
bridge() { "$LODE" pio -m model --log two.log -c db=two.csv --symptoms-out symptoms.tsv "$@" >out.txt; }
"$LODE" pio -m model --log two.log -c db=two.csv --json |
	python3 -c 'import json, sys; print([(p["start"], p["end"]) for p in json.load(sys.stdin)["periods"]])'

echo "== by the recording's own word: wall clock 1795258465.836696 is 19360.261739123"
bridge --stream clock.perf.data.zst --symptom-comm 'python*'
cat symptoms.tsv
echo "== which lode mine reads"
"$LODE" mine --symptoms symptoms.tsv --json clock.perf.data.zst |
	python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["symptoms"], d["symptom_ns"])'
echo "== by the user's: a second less"
bridge --stream clock.perf.data.zst --symptom-comm 'python*' --clock-offset 1795239104574956877ns
cat symptoms.tsv
echo "== nobody matches"
bridge --stream clock.perf.data.zst --symptom-comm nobody
cat symptoms.tsv
echo "== a recording that does not say"
printf 'a;b;c 10\n' >folded.txt
bridge --stream folded.txt 2>&1
echo "exit $?"
echo "== misuse"
"$LODE" pio -m model -c db=two.csv --stream clock.perf.data.zst
"$LODE" pio -m model -c db=two.csv --symptoms-out x
"$LODE" pio -m model -c db=two.csv --symptoms-out x --stream clock.perf.data.zst --clock-offset soon
true
