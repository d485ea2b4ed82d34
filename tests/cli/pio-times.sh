# One wrong time never ruins the rest: it is dropped and named with file and line. Real pauses stay.
python3 - <<'P'
import random
random.seed(7)
START = 1795233600  # 2026-11-21 04:00:00 UTC
def row(i): return f"{START + i},{20 + 60 * (300 <= i % 1800 < 360) + random.random():.2f},{100 + i % 7}\n"
def request(i, k): return f'{{"ts": {START + i + k / 4}, "took": {0.05 + 0.9 * (300 <= i % 1800 < 360) + random.random() / 100:.4f}, "route": "/a"}}\n'
with open("web.csv", "w") as f:
    f.write("time,cpu,mem\n" + "".join(row(i) for i in range(3600)))
with open("access.json", "w") as f:
    f.writelines(request(i, k) for i in range(3600) for k in range(4))
rows = open("web.csv").readlines()
YEAR = 365 * 86400
def wrong(name, by, at=1000):
    t, rest = rows[at].split(",", 1)
    with open(name, "w") as f:
        f.writelines(rows[:at] + [f"{int(t) + by},{rest}"] + rows[at + 1:])
wrong("year.csv", YEAR)
wrong("back.csv", -YEAR)
wrong("first.csv", -2 * 86400, 1)
wrong("last.csv", 2 * 86400, 3600)
with open("weekend.csv", "w") as f:  # two days and a half without a row
    f.writelines([rows[0]] + [r if i < 1800 else f"{int(r[:10]) + 216000}{r[10:]}" for i, r in enumerate(rows[1:])])
lines = open("access.json").readlines()
def log(name, at, by):
    with open(name, "w") as f:
        f.writelines(lines[:at] + [lines[at].replace(str(START)[:3], str(START + by)[:3], 1)] + lines[at + 1:])
log("wrong.json", 5000, 10 ** 8)
with open("weekend.json", "w") as f:
    import json
    for i, l in enumerate(lines):
        d = json.loads(l); d["ts"] += 216000 * (i >= 7200); f.write(json.dumps(d) + "\n")
P
format="--format json --fields time=ts,response=took:s,action=route"
say() { echo "== $*" | tee /dev/stderr; }
say train, and analyse what it learnt from
"$LODE" pio train $format -l access.json -c web=web.csv -o shop.model >/dev/null; echo "exit $?"
"$LODE" pio -m shop.model $format -l access.json -c web=web.csv >right; echo "exit $?"
grep -A3 'slow periods' right
same() { # the periods are those of the right times, to the second
	"$LODE" pio -m shop.model "$@" --json >document; echo "exit $?"
	python3 - <<'P'
import json, os
import jsonschema
d = json.load(open("document"))
jsonschema.Draft7Validator(json.load(open(os.environ["LODE_TOP"] + "/docs/schema/pio.json"))).validate(d)
print([(p["start"] // 10**9 - 1795233600, p["duration_ns"] // 10**9) for p in d["periods"]],
      len(d["intervals"]), "intervals", [(p["kind"], p["count"]) for p in d["losses"]], d["pauses"])
P
}
same $format -l access.json -c web=web.csv
for f in year back first last weekend; do say "counters: $f"; same -c web=$f.csv; done
say requests: one wrong; same $format -l wrong.json -c web=web.csv
say requests and counters over a weekend; same $format -l weekend.json -c web=weekend.csv
say training with a wrong row and a wrong request learns the same
"$LODE" pio train $format -l wrong.json -c web=year.csv -o other.model >/dev/null; echo "exit $?"
"$LODE" pio -m other.model $format -l access.json -c web=web.csv | grep -A3 'slow periods' | diff - <(grep -A3 'slow periods' right) && echo same
say a log of another year than the counters is named, and the counters are analysed
awk -F, -v OFS=, 'NR > 1 { $1 += 31536000 } 1' OFMT=%.0f CONVFMT=%.0f web.csv >later.csv
same $format -l access.json -c web=later.csv
grep -o 'Very slow.*by counters)' <("$LODE" pio -m shop.model $format -l access.json -c web=later.csv 2>no)
say watching
"$LODE" pio watch -m shop.model -c web=year.csv --from start --once; echo "exit $?"
say watching: a real pause, and a first row that is a year old
for f in weekend first; do "$LODE" pio watch -m shop.model -c web=$f.csv --from start --once >out; echo "exit $? $(wc -l <out)"; done
say two samples eleven days apart
printf 'time,cpu,mem\n1795233865.002,1.5,7\n1794233866.002,2.5,\n' >two.csv
(grep -q __asan_init "$LODE" || ulimit -v 300000; "$LODE" pio -m shop.model -c web=two.csv >out); echo "exit $?"
say files that have no time in common
printf 'time,cpu,mem\n1795233865.002,1.5,7\n1795233866.002,2.5,8\n' >now.csv
printf 'time,cpu,mem\n179523385.002,1.5,7\n179523386.002,2.5,8\n' >then.csv
"$LODE" pio -m shop.model -c web=then.csv -c db=now.csv >out; echo "exit $?"
say a folder of counters with damaged ones
mkdir counters; cp web.csv counters/; cp year.csv counters/year.txt
printf '\x85\x01\x02\x03,5\n' >counters/db.csv
printf '\x60\xb5\x2f\xfd' >counters/counters_app.csv.zst
echo 'How it was sampled' >counters/notes
"$LODE" pio -m shop.model -c counters >out; echo "exit $?"
