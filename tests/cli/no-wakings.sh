# Ready time is contention only while another thread is known to have had the CPU. Switches alone, as
# `perf record -e sched:sched_switch` records them, do not show since when a thread was ready: that is said, with what to
# record, and no sentence says that threads waited for idle CPUs.
python3 - >switches.txt <<'END'
def switch(t, left, left_tid, state, came, came_tid):
    print(f"{left} {left_tid} [000] {t:.6f}: sched:sched_switch: prev_comm={left} prev_pid={left_tid} prev_prio=120 "
          f"prev_state={state} ==> next_comm={came} next_pid={came_tid} next_prio=120")
    print("\tffffffff81000000 schedule ([kernel.kallsyms])\n\t401000 turn (/usr/bin/app)\n\t400000 main (/usr/bin/app)\n")

for i in range(20):
    t = 100 + i * 0.1
    switch(t, "swapper/0", 0, "R", "app", 7)
    switch(t + 0.01, "app", 7, "R", "swapper/0", 0)  # runnable, and the CPU goes idle: its next switch is missing
switch(102.5, "swapper/0", 0, "R", "app", 7)
switch(102.6, "app", 7, "S", "swapper/0", 0)
END
"$LODE" mine --symptom comm=app switches.txt | sed -n '1,/^$/p'
"$LODE" mine --symptom comm=app switches.txt | grep -e contention -e '^Ready'
"$LODE" mine --symptom comm=app --json switches.txt | python3 -c '
import json, sys
document = json.load(sys.stdin)
print(document.get("busy"), document["ready_unknown"])
print(document["aoi"]["ran_instead"] == [{"name": "[no wake-ups]", "cost_ns": document["aoi"]["ready_ns"]}])
print(sum(c["ready_unknown_ns"] for c in document["clusters"]) <= document["aoi"]["ready_ns"])'
