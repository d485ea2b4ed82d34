# One symptom for each request of a long-lived service, the slowest of all recordings, and the cause.
# A client (thread 10) writes requests that a worker (20) answers. Every hundredth finds the table
# locked by the auditor (30), who rehashes. $1: how many; $2: with system calls, or nothing
make_recording() {
	awk -v n="$1" -v calls="${2-}" '
	function at(us) { return sprintf("%d.%06d", 100 + us / 1000000, us % 1000000) }
	function row(comm, tid, us, event, payload) {
		printf "%s 10/%d [000] %s: %s: %s\n", comm, tid, at(us), event, payload
	}
	function leave(a, ta, b, tb, us, frames) {
		row(a, ta, us, "sched:sched_switch", "prev_comm=" a " prev_pid=" ta \
		    " prev_prio=120 prev_state=S ==> next_comm=" b " next_pid=" tb " next_prio=120")
		printf "%s\n\n", frames
	}
	function wake(comm, tid, who, twho, us, frames) {
		row(comm, tid, us, "sched:sched_waking", \
		    "comm=" who " pid=" twho " prio=120 target_cpu=000")
		printf "%s\n\n", frames
	}
	function probe(comm, tid, us, what, id) {
		row(comm, tid, us, "sdt_shop:" what, "(4011a0) arg1=" id)
		print ""
	}
	BEGIN {
		k = "\tffffffff81000001 schedule+0x1 ([kernel.kallsyms])\n"
		read = k "\tffffffff81000101 unix_stream_read_generic+0x1 ([kernel.kallsyms])\n" \
		    "\t11 __read+0x1 (/lib/libc.so)\n\t21 one_request+0x1 (/bin/shop)\n\t31 main+0x1 (/bin/shop)"
		idle = k "\tffffffff81000101 unix_stream_read_generic+0x1 ([kernel.kallsyms])\n" \
		    "\t11 __read+0x1 (/lib/libc.so)\n\t41 worker+0x1 (/bin/shop)"
		lock = k "\tffffffff81000201 futex_wait+0x1 ([kernel.kallsyms])\n" \
		    "\t51 pthread_mutex_lock+0x1 (/lib/libc.so)\n\t61 serve_request+0x1 (/bin/shop)\n\t41 worker+0x1 (/bin/shop)"
		send = "\tffffffff81000301 unix_stream_sendmsg+0x1 ([kernel.kallsyms])\n\t71 __write+0x1 (/lib/libc.so)\n"
		rehash = "\t81 rehash_index+0x1 (/bin/shop)\n\t91 auditor+0x1 (/bin/shop)"
		t = 0
		row("shop", 10, t++, "cpu-clock", "\n" read "\n")
		for (i = 0; i < n; i++) {
			slow = i % 100 == 50
			if (calls) { row("shop", 10, ++t, "syscalls:sys_enter_write", "fd: 0x3, count: 0x4"); print "" }
			probe("shop", 10, ++t, "order__start", i)
			wake("shop", 10, "worker", 20, ++t, send "\t21 one_request+0x1 (/bin/shop)\n\t31 main+0x1 (/bin/shop)")
			if (calls) { row("shop", 10, ++t, "syscalls:sys_enter_read", "fd: 0x3, count: 0x4"); print "" }
			leave("shop", 10, "worker", 20, ++t, read)
			if (slow) {
				leave("worker", 20, "auditor", 30, ++t, lock)
				for (j = 0; j < 30; j++)
					row("auditor", 30, t += 1000, "cpu-clock", "\n" rehash "\n")
				wake("auditor", 30, "worker", 20, ++t, rehash)
				leave("auditor", 30, "worker", 20, ++t, rehash)
			}
			row("worker", 20, t += 150 + i % 7, "cpu-clock", "\n\tb1 look_up+0x1 (/bin/shop)\n\t61 serve_request+0x1 (/bin/shop)\n")
			probe("worker", 20, ++t, "order__done", i)
			wake("worker", 20, "shop", 10, ++t, send "\t41 worker+0x1 (/bin/shop)")
			leave("worker", 20, "shop", 10, ++t, idle)
			if (calls) { row("shop", 10, ++t, "syscalls:sys_exit_read", "0x4"); print "" }
		}
	}'
}
make_recording 800 calls >shop.script
make_recording 800 >plain.script
whole="comm=shop,from=syscall:write,to=syscall:read:exit"
# A sentence's further lines belong to it.
unfold() { sed -z 's/\n  \([A-Za-z0-9(]\)/ \1/g'; }
show() { unfold | grep -E '^[0-9] recording|^1 |  →|^Symptoms' | sed 's/; [0-9]* clusters.*//'; }
echo "== 800 requests are 800 symptoms"
"$LODE" mine --symptom "$whole" shop.script | grep '^[0-9] recording'
"$LODE" mine --symptom "from=sdt_shop:order__start,to=sdt_shop:order__done,key=arg1" shop.script | grep '^[0-9] recording'
echo "== the slowest hundredth, and why"
"$LODE" mine --symptom "$whole" --slower-than p99 --top 1 shop.script | show
"$LODE" mine --symptom "from=usdt:shop:order__start,to=usdt:shop:order__done,key=arg1" --slower-than p99 \
	--json shop.script | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["symptoms"], d["symptom_ns"] == sum(d["aoi"][k] for k in ("wait_ns", "run_ns", "ready_ns")))
print([f for f in d["clusters"][0]["common"] if "rehash" in f or "serve" in f])'
echo "== of several recordings together, whatever the threads"
make_recording 100 calls >few.script
"$LODE" mine --symptom "$whole" --slower-than p99 -j 1 shop.script few.script >one
"$LODE" mine --symptom "$whole" --slower-than p99 -j 3 shop.script few.script >three
cmp one three && show <one | tail -n 1
"$LODE" mine --symptom "$whole" --slower-than p50 shop.script few.script | grep '^[0-9] recording'
"$LODE" suspects --symptom "$whole" --slower-than p99 shop.script 2>&1 | unfold | grep -o 'slower than p99.*'
"$LODE" digest -o digests --symptom "$whole" --slower-than p99 shop.script few.script | sed "s/:.*//"
"$LODE" mine digests | show | tail -n 1
echo "== a request without an end is said"
sed -n '1,/ 10\/10 .*order__start: .*arg1=799/p' shop.script >cut.script
"$LODE" mine --symptom "$whole" --slower-than p99 cut.script | unfold | grep -E -o '^1 recording.*|Losses.*'
echo "== events that were not recorded"
"$LODE" mine --symptom "$whole" plain.script | unfold | grep -E 'symptom|Losses'
"$LODE" mine --symptom "from=uprobe:serve,to=uretprobe:serve" shop.script; echo "exit $?"
"$LODE" mine --symptom "from=sdt_shop:order__start,to=sdt_shop:order__done,key=conn" shop.script; echo "exit $?"
echo "== misuse"
"$LODE" mine --slower-than p100 shop.script; echo "exit $?"
"$LODE" mine --slower-than p99 - <shop.script; echo "exit $?"
"$LODE" mine --slower-than p99 digests; echo "exit $?"
"$LODE" mine --symptom "from=exec,to=syscall:read,key=fd" shop.script; echo "exit $?"
"$LODE" record --dry-run --event 'sdt_shop:*' -- true | grep -o "'sdt_shop:.*' -g"
