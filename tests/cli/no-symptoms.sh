# Where nothing matches, the message says which part of the symptom it was, and what there is.
sample=$LODE_TOP/samples/startup/startup-08.perf.data.zst
[ -f "$sample" ] || { echo "samples are not there"; exit 77; }
cp "$sample" a.perf.data.zst
cp "$LODE_TOP"/samples/startup/startup-12.perf.data.zst b.perf.data.zst
try() { echo "== $*" | sed "s,$LODE_TOP/,,"; "$LODE" mine "$@" 2>&1; }

try --symptom comm=pluginhots a.perf.data.zst
try --symptom comm='*nobody*' a.perf.data.zst
try --symptom comm=kworker/0:1-and-more a.perf.data.zst
try --symptom pid=4711 a.perf.data.zst
try --symptom tid=4711,comm=pluginhost a.perf.data.zst
try --symptom comm=pluginhost,from=opne "$sample"
try --symptom comm=pluginhost,from=exec,to=nowhere a.perf.data.zst
try --symptom comm=pluginhost,from=alloc_pages,to=sleep "$sample"
try --symptom comm=pluginhost,from=exit,to=exec a.perf.data.zst
try --symptom comm=pluginhost --slower-than 1h a.perf.data.zst
try --comm pluginhots a.perf.data.zst
try --symptom comm=nobody a.perf.data.zst b.perf.data.zst
printf 'stream\ttid\tt0_ns\tt1_ns\nother.data\t1\t0\t5\n' >rows.tsv
try --symptoms rows.tsv a.perf.data.zst
echo "== diff"
"$LODE" diff --symptom comm=pluginhots a.perf.data.zst b.perf.data.zst 2>&1
