# A program is recorded, its bundle stands alone, and mining names what it waited for.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
perf record -q -a -k CLOCK_MONOTONIC -e sched:sched_switch -o probe.data -- true 2>/dev/null ||
	{ echo "this user may not record the machine"; exit 77; }
command -v cc >/dev/null || { echo "no C compiler"; exit 77; }
cat >slow.c <<'C'
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) static void wait_for_nothing(void)
{
	for (int i = 0; i < 4; i++)
		usleep(50000);
}
__attribute__((noinline)) static long burn_cpu(void)
{
	volatile long sum = 0;
	for (long i = 0; i < 30000000; i++)
		sum += i;
	return sum;
}
int main(void)
{
	wait_for_nothing();
	return burn_cpu() == 0 ? 1 : 3;
}
C
cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o slow slow.c || exit 77
(umask 0 && exec "$LODE" record ./slow 2>err)
echo "exit $?"
find slow.lode ! -perm 600 ! -perm 700
grep -c 'next: lode mine slow.lode' err
ls slow.lode
head -n 1 slow.lode/symptoms.tsv
[ "$(wc -l <slow.lode/symptoms.tsv)" = 2 ] || cat slow.lode/symptoms.tsv
cut -f 3 slow.lode/titles.tsv | grep -c '^slow$'
mv slow.lode elsewhere && rm slow
"$LODE" mine elsewhere >table 2>err || cat err
grep -o 'burn_cpu' table | head -n 1
grep -c '^Symptoms: those listed in symptoms.tsv' table
"$LODE" mine --json --top 0 elsewhere | python3 -c '
import json, sys
d = json.load(sys.stdin)
own = sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"] + d["recording_ns"]
timer = sum(c["own_ns"] for c in d["clusters"] if c["reason"] == "timer")
print(own == d["symptom_ns"], d["symptoms"], timer > 150e6)'

echo "== without build-id"
cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=none -o bare slow.c || exit 77
"$LODE" record ./bare 2>/dev/null
find bare.lode/symbols -name bare | grep -c "symbols$PWD/bare"
rm bare
"$LODE" mine bare.lode | grep -o 'burn_cpu' | head -n 1
"$LODE" info --json --top 0 bare.lode | grep -o 'inferred: beside the recording' | head -n 1

echo "== code made at run time: its map is kept, another process's of the same number is not"
cat >jit.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	/* push rbp; mov rbp, rsp; mov ecx, 2^30; again: dec rcx; jnz again; pop rbp; ret */
	static const char code[] = "\x55\x48\x89\xe5\xb9\x00\x00\x00\x40\x48\xff\xc9\x75\xfb\x5d\xc3";
	char *at = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), name[64];
	FILE *map;

	memcpy(at, code, sizeof(code));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = fopen(name, "w");
	fprintf(map, "%lx %zx made_at_run_time\n", (long)at, sizeof(code));
	fclose(map);
	puts(name);
	if (argc > 1)
		((void (*)(void))at)();
	else
		for (volatile int i = 0; i < 100000000; i++)
			;
	return 0;
}
C
if [ "$(uname -m)" = x86_64 ] && cc -O1 -fno-omit-frame-pointer -o jit jit.c; then
	rm -f "$("$LODE" record -o made.lode ./jit code 2>/dev/null)"
	rm -f "$("$LODE" record -o unmade.lode ./jit 2>/dev/null)"
	find made.lode unmade.lode -name 'perf-*.map' | cut -d / -f 1
	"$LODE" mine made.lode | grep -o made_at_run_time | head -n 1
	"$LODE" mine made.lode | grep -c Skipped
else
	printf '%s\n' made.lode made_at_run_time 0
fi

echo "== without frame pointers"
cat >bare.c <<'C'
#include <unistd.h>
volatile long sum;
__attribute__((noinline)) static long add(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
	return sum;
}
__attribute__((noinline)) static long work(long n)
{
	return add(n) + 1;
}
int main(void)
{
	while (access("over", F_OK))
		work(1000000);
}
C
cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o bare bare.c || exit 77
# Whether dumps are taken depends on how busy this machine is; that it is noticed does not.
"$LODE" record ./bare 2>err & pid=$!
for _ in $(seq 600); do grep -q 'truncated stacks' err && break; sleep 0.1; done
sleep 0.5
: >over
wait $pid
echo "exit $?"
grep -o 'truncated stacks: \(taking \)*stack dumps' err | head -n 1 | sed 's/taking //'
"$LODE" mine --json --top 0 bare-2.lode | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"] + d["recording_ns"] == d["symptom_ns"])'
# One of two recordings is left, and it is what the README says; of a short one as well.
"$LODE" record -o short --no-symbols -- true 2>/dev/null
for b in bare-2.lode short; do
	dumps=$("$LODE" info "$b" | tr '\n' ' ' | grep -c -- '--call-graph *dwarf,16384')
	said=$(grep -c '^stacks *by stack dumps$' "$b/README")
	[ "$dumps" = "$said" ] && find "$b" -name '*dumps*' | wc -l
done
rm -r short # later ones of the same program would follow it

echo "== the same kind of stacks as a recording near by, while the program is the same"
mkdir first second
kind() { tr '\0' '\n' <"$1/.stacks" | head -n 1; }
# A machine that is busy for a moment has too many events for dumps.
record_dumps() { # BUNDLE OPTION...
	local bundle=$1
	shift
	for _ in 1 2 3 4 5 6; do
		rm -rf "$bundle"
		"$LODE" record -o "$bundle" "$@" 2>err
		[ "$(kind "$bundle")" != dumps ] || break
		sleep 1
	done
}
record_dumps first/1 --call-graph dwarf ./bare x
for o in first/2 second/1; do
	record_dumps $o ./bare x more
	grep -o 'as .* has them' err
done
"$LODE" record -o first/3 ./bare y 2>/dev/null
cp bare again && mv again bare
"$LODE" record -o first/4 ./bare x 2>/dev/null
for o in first/* second/*; do kind $o; done

echo "== refusals"
"$LODE" record -o elsewhere -- true; echo "exit $?"
"$LODE" record -- ./no-such-program; echo "exit $?"
for event in nosuch:event sched:nosuch '{'; do
	"$LODE" record --event sched:sched_waking --event "$event" -o no-event -- true 2>&1 | sed 's/(.*)/(REASON)/'
done
"$LODE" record --event nosuch:event -- true 2>/dev/null; echo "exit $?"
ls -d no-event true.lode 2>/dev/null
PATH=/nowhere "$LODE" record -- /bin/true; echo "exit $?"
"$LODE" record --dry-run true | grep -o " -m [0-9]*K"
"$LODE" record --dry-run --cpu-rate 99 -- true | grep -o 'cpu-clock/freq=99,[^ ]* -e sched:sched_switch'
# Kernels before 6.3 cannot.
events=/sys/kernel/tracing/events/sock
if [ -e $events/sock_send_length ]; then
	"$LODE" record --dry-run --network -- true | grep -o "sock:sock_send_length.*' -e sock:sock_recv"
else
	"$LODE" record --network -- true
	[ $? = 2 ] && echo "sock:sock_send_length/call-graph=no/ --filter 'protocol == 6 && ret > 0' -e sock:sock_recv"
fi

echo "== titles"
cat >titled.sh <<'X'
( exec -a "titled: worker --password=hunter2 on port" sleep 0.5 ) &
wait
X
# Not as a word of this script, which its own bash has in memory, as titled.sh is in that of its bash.
word=$(echo terces | rev)
export A_NAME="${word}3"
for how in names full none; do
	"$LODE" record -o $how --titles $how --call-graph fp --no-symbols -- bash titled.sh --password "${word}1" -H "X-Auth: ${word}2" other 2>err
	grep -o 'stored.*' err | sed 's/[0-9]* process\(es\)*/N processes/'
	sed -n '/^command /,/^recorded by/p' $how/README | grep -v '^recorded by'
	"$LODE" info $how 2>&1 | grep '^command' | sed 's/ -m .*//'
	[ $how = none ] || cut -f 3 $how/titles.tsv | grep '^titled: \|^bash.0titled' | sort -u
	grep -rl --exclude='perf.data*' hunter2 $how
	zstd -dcq $how/perf.data.zst >$how/perf.data
	grep -rl "$word[123]" $how
done
"$LODE" record -o untitled --no-titles --no-symbols -- true 2>/dev/null
ls untitled

echo "== a group may read; the command has its umask"
(umask 012 && exec "$LODE" record -o shared --group "$(id -gn)" --no-symbols -- sh -c umask 2>/dev/null)
stat -c %a shared shared/perf.data.zst
"$LODE" record --group no-such-group -- true 2>&1 | head -n 1

echo "== two at once: each of its own command"
"$LODE" record --no-symbols -o one sleep 0.7 2>/dev/null & pid=$!
"$LODE" record --no-symbols -o two sleep 0.8 2>/dev/null
wait $pid
for o in one two; do
	pid=$(awk 'NR == 2 { print $2 }' $o/symptoms.tsv)
	awk -v pid="$pid" '$2 == pid { print $3 }' $o/titles.tsv | grep '^sleep'
done

echo "== processes of lode itself have names of their own"
"$LODE" record -o names-of-lode --no-symbols -- sleep 1 2>/dev/null
zstd -dcq names-of-lode/perf.data.zst >plain.data
perf script -i plain.data --show-task-events 2>/dev/null | grep -o 'lode-perf\|lode-record\|lode-titles' | sort -u

echo "== stopped"
"$LODE" record -o stopped --no-symbols -- sleep 60 2>/dev/null &
pid=$!
for _ in $(seq 300); do [ -s stopped/perf.data ] && break; sleep 0.1; done
sleep 1
kill -INT $pid
wait $pid
echo "exit $?"
ls stopped

echo "== running processes"
cat >threads.c <<'C'
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) static void *nap(void *arg)
{
	for (;;)
		usleep(2000);
	return arg;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, nap, NULL);
	nap(NULL);
}
C
cc -O1 -fno-omit-frame-pointer -pthread -o threads threads.c || exit 77
./threads & a=$!
sleep 600 & b=$!
"$LODE" record --pid "$a,$b" --duration 300ms 2>err
echo "exit $?"
ls -A threads.lode
cut -f 2 threads.lode/symptoms.tsv | sed "s/^$a\$/a/" | sort | uniq -c
"$LODE" info --json threads.lode >info.json
grep -o -- '--pid [0-9,]*' info.json | head -n 1 | sed "s/$a,$b/a,b/"
"$LODE" mine --json threads.lode | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["symptoms"], sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"] + d["recording_ns"] == d["symptom_ns"])
t0 = min(int(line.split("\t")[3]) for line in list(open("threads.lode/symptoms.tsv"))[1:])
print(t0 > json.load(open("info.json"))["t0_ns"])'
names() { sed "s/\\<$a\\>/a/; s/\\<$b\\>/b/" err | grep -e 'recording [0-9p]' -e '^lode record: process' -e next: | sed 's/^lode record: //; s/ in [a-z_]*:/:/'; }
names
"$LODE" record --pid "$b" --duration 200ms --no-symbols -o asleep 2>err
names
# It ends with the last of them.
"$LODE" record --pid "$b" --no-symbols -o ends 2>err & pid=$!
for _ in $(seq 300); do grep -q 'recording process' err && break; sleep 0.1; done
kill "$a" "$b"
wait $pid
echo "exit $?"
names
"$LODE" record --pid "$a" 2>err; echo "exit $?"
sed 's/[0-9]*$/a/' err
"$LODE" record --pid 12 true; echo "exit $?"
"$LODE" record --pid 12,x 2>&1 | head -n 1

echo "== killed with its spinners"
(
	"$LODE" record -o killed --keep-awake -- sleep 60 &
	pid=$!
	for _ in $(seq 300); do
		spinners=$(pgrep -P $pid lode-awake)
		[ "$(echo "$spinners" | wc -w)" = "$(nproc)" ] && pgrep -P $pid lode-perf >/dev/null && break
		sleep 0.1
	done
	[ "$(echo "$spinners" | wc -l)" = "$(nproc)" ] && echo "one on each CPU"
	pkill -INT -P $pid lode-perf
	kill -KILL $pid
	wait $pid
	# Where nobody reaps them, the dead stay as zombies. On a busy machine a process of class
	# SCHED_IDLE takes its time to die.
	for _ in $(seq 300); do
		alive=""
		for s in $spinners; do
			grep -q '^State:.*[RSDT]' "/proc/$s/status" && alive="$alive $s"
		done
		[ -z "$alive" ] && break
		sleep 0.1
	done
	[ -z "$alive" ] || echo "spinners live:$alive"
) 2>/dev/null
true
