# One share of lost events: of those that the recorder dropped and the records that were read. lode info, lode mine
# (of the recording and of its digest), lode analyze and lode record give the same.
share() { python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["lost"], [i.get("records") for i in d.get("inputs", [])])'; }
python3 - >lossy.txt <<'P'
STACK = "\tffff schedule ([kernel])\n\tffff do_wait ([kernel])\n\t4000 main (/usr/bin/app)\n"
for i in range(60):
    t = 100 + i * 0.02
    print(f"app 7/7 [000] {t:.6f}: 1 sched:sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=other next_pid=8 next_prio=120\n{STACK}")
    print(f"other 8/8 [000] {t + 0.01:.6f}: 1 sched:sched_switch: prev_comm=other prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=app next_pid=7 next_prio=120\n{STACK}")
    if i % 20 == 10:
        print(f"app 7/7 [000] {t + 0.011:.6f}: PERF_RECORD_LOST lost {i}")
P
"$LODE" info lossy.txt | grep -i -e ' lost' -e dropped
"$LODE" info --json lossy.txt | share
"$LODE" mine --symptom comm=app lossy.txt | sed -n '1,/^$/p'
"$LODE" mine --symptom comm=app --json lossy.txt | share
echo "== digests, one of an older version"
"$LODE" digest --symptom comm=app -o lossy.lodedigest lossy.txt >/dev/null
"$LODE" mine --json lossy.lodedigest | share
"$LODE" mine --json "$LODE_TOP/tests/fuzz/corpus/fuzz_digest/perf" | share
echo "== analyze"
"$LODE" analyze lossy.txt 2>/dev/null | grep -e ' lost' | head -n 3
echo "== lode record on too small a buffer, where this user may record"
"$LODE" record --buffer 64K --cpu-rate 20000 -o r.lode -- sh -c 'i=0; while [ $i -lt 3000 ]; do :|:; i=$((i + 1)); done' >record.out 2>record.err
said=$(grep -o 'events were lost ([^)]*)' record.err | grep -o '[<0-9.]* %')
if [ -z "$said" ]; then
	echo "same" # nothing was recorded, or lost
else
	measured=$("$LODE" info --json r.lode | python3 -c 'import json, sys; print("%.2f" % json.load(sys.stdin)["lost"]["share_pct"])')
	mined=$("$LODE" mine --json r.lode | python3 -c 'import json, sys; print("%.2f" % json.load(sys.stdin)["lost"]["share_pct"])')
	python3 -c 'import sys; said, *all = sys.argv[1:]; print("same" if all[0] == all[1] and abs(float(all[0]) - float(said.strip("<% "))) < 0.06 else sys.argv)' "$said" "$measured" "$mined"
fi
