# A time of a recording that leaps by more than a day stretches nothing, and is said with its line.
python3 - <<'P'
def script(name, change):
    """A thread that runs 10 ms and waits 10 ms in turn, for 2 s, woken by another."""
    lines, t = [], 5000.0
    for i in range(100):
        lines.append([t, "work", 7, "sched:sched_switch", "prev_comm=work prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=other next_pid=8 next_prio=120", ["schedule", "do_wait"]])
        t += 0.010
        lines.append([t - 1e-6, "other", 8, "sched:sched_waking", "comm=work pid=7 prio=120 target_cpu=000", ["wake", "post"]])
        lines.append([t, "other", 8, "sched:sched_switch", "prev_comm=other prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=work next_pid=7 next_prio=120", ["schedule", "poll"]])
        t += 0.010
        lines.append([t - 5e-3, "work", 7, "cpu-clock:u", "", ["compute", "main"]])
    with open(name, "w") as f:
        for i, (t, comm, tid, event, payload, stack) in enumerate(lines):
            f.write(f"{comm} {tid}/{tid} [000] {change(i, t):.6f}: 1 {event}: {payload}\n")
            f.writelines(f"\tffff {function} ([kernel])\n" for function in stack)
            f.write("\n")
YEAR = 365 * 86400
script("right", lambda i, t: t)
script("one", lambda i, t: t + YEAR * (i == 201))
script("back", lambda i, t: t + 40 * 86400 - 30 * 86400 * (i == 201))
script("last", lambda i, t: t + YEAR * (i == 399))
script("set", lambda i, t: t + YEAR * (i >= 201))
P
say() { echo "== $*" | tee /dev/stderr; }
for f in right one back last set; do
	say $f
	"$LODE" mine --scope thread --symptom comm=work --json $f >document
	echo "exit $?"
	python3 -c 'import json; d = json.load(open("document")); print(d["symptom_ns"] // 10**7, {k: v // 10**7 for k, v in d["aoi"].items() if k.endswith("_ns")}, [c["common"][-1] for c in d["clusters"]])'
done
say every command says so
"$LODE" info one >out; echo "exit $?"; grep -i 'clock' out
"$LODE" info --json one | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["losses"], (d["t1_ns"] - d["t0_ns"]) // 10**7)'
"$LODE" import --repo r.lode one >/dev/null; echo "exit $?"
