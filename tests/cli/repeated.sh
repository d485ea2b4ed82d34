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
