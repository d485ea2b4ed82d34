# A recording that is given twice counts once, by whatever name, and this is reported.
mkdir dir dir/below
for i in 1 2 3; do echo "app;main;work$i $((i * 1000))" >r$i.folded; done
cp r1.folded copy.folded
ln -s r1.folded link.folded
ln r1.folded hard.folded
gzip -c r1.folded >packed.folded.gz
cp r2.folded dir/a.folded && ln -s a.folded dir/latest.folded && cp dir/a.folded dir/b.folded
: >empty.folded && cp empty.folded nothing.folded
twice='r1.folded copy.folded link.folded hard.folded ./r1.folded packed.folded.gz'

"$LODE" mine --json r1.folded r2.folded 2>&1 | grep -v next_command >once
"$LODE" mine --json $twice r2.folded dir 2>err | grep -v next_command >all
echo "exit ${PIPESTATUS[0]}"; cat err
python3 - <<'P'
import json
once, all = json.load(open("once")), json.load(open("all"))
print(once["symptom_ns"] == all["symptom_ns"], once["clusters"] == all["clusters"],
      len(all["skipped"]))
P
echo "== other sizes, or other bytes of one size, are other recordings"
"$LODE" mine --json r1.folded r2.folded r3.folded 2>&1 | grep -c skipped\"
echo "== empty files are said to be empty"
"$LODE" mine r3.folded empty.folded nothing.folded 2>&1 >/dev/null; echo "exit $?"
echo "== info, digest, import, analyze"
"$LODE" info --json r3.folded r1.folded link.folded 2>&1 >/dev/null; echo "exit $?"
"$LODE" digest -o digests $twice 2>/dev/null | sed 's/:.*//'
"$LODE" import --repo r.lode r1.folded copy.folded dir 2>&1; echo "exit $?"
"$LODE" analyze -o all.html r1.folded copy.folded 2>&1 >/dev/null; echo "exit $?"
echo "== each line of a manifest counts; a recording beside its manifest, too"
printf '#lode manifest 1\nr1.folded\ncopy.folded\n' >two.manifest
"$LODE" mine --json two.manifest | grep -m 1 '"streams"'
echo "== suspects"
sample=$LODE_TOP/samples/startup/startup-12.perf.data.zst
ln -s "$sample" linked.perf.data.zst
"$LODE" suspects --json "$sample" linked.perf.data.zst 2>&1 >/dev/null | sed "s|$LODE_TOP|TOP|"; echo "exit ${PIPESTATUS[0]}"
echo "== compressed in another way"
zstd -dqc "$sample" >plain.perf.data && gzip -c plain.perf.data >packed.perf.data.gz
zstd -19 -qc plain.perf.data >small.perf.data.zst
for command in "info --json" "suspects --json" "mine --json"; do
	"$LODE" $command plain.perf.data packed.perf.data.gz small.perf.data.zst >out 2>err; echo "exit $?"
	sed 's/skipped: //' err | grep -o '[a-z]*.perf.data.[a-z]*: it .*'
done
echo "== switches of which a third is missing, without a word of the recorder"
python3 - >silent.txt <<'P'
import random
random.seed(3)
STACK = "\tffff schedule ([kernel])\n\tffff do_wait ([kernel])\n\t4000 main (/usr/bin/app)\n"
names = {0: "swapper/0", 7: "app", 8: "other", 9: "third"}
was = 0
for i in range(3000):
    now = random.choice([tid for tid in names if tid != was])
    if i % 3:
        t = 100 + i * 0.001
        print(f"{names[was]} {was}/{was} [000] {t:.6f}: 1 sched:sched_switch: prev_comm={names[was]} prev_pid={was} "
              f"prev_prio=120 prev_state=S ==> next_comm={names[now]} next_pid={now} next_prio=120\n{STACK}")
    was = now
P
for command in info suspects "mine --symptom comm=app"; do
	"$LODE" $command silent.txt 2>&1 | tr -s ' \n' ' ' | grep -o '[0-9,]* signs of missing records' | head -n 1
done
