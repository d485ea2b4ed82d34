# Stack dumps that were asked for end when they are too many, or when their perf fails; call chains are there throughout.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
perf record -q -a -k CLOCK_MONOTONIC -e sched:sched_switch -o probe.data -- true 2>/dev/null ||
	{ echo "this user may not record the machine"; exit 77; }
command -v cc >/dev/null || { echo "no C compiler"; exit 77; }
cat >pingpong.c <<'C'
#include <time.h>
#include <unistd.h>
int main(void)
{
	time_t end = time(NULL) + 2;
	int there[2], back[2];
	char c = 0;

	if (pipe(there) || pipe(back))
		return 1;
	if (fork() == 0) {
		close(there[1]);
		while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
			;
		return 0;
	}
	while (time(NULL) < end && write(there[1], &c, 1) == 1 && read(back[0], &c, 1) == 1)
		;
	return 0;
}
C
cc -O1 -o pingpong pingpong.c || exit 77

stacks() { grep '^stacks ' "$1/README"; }

echo "== too many"
"$LODE" record --call-graph dwarf -o many.lode ./pingpong 2>err || cat err
stacks many.lode
grep -o 'call chains for the whole recording' err
# Not advised again.
grep 'call-graph dwarf' err
ls -A many.lode | grep dumps

echo "== few: dumps, unless the machine is busy otherwise"
"$LODE" record --call-graph dwarf -o few.lode sleep 0.3 2>err || cat err
stacks few.lode | grep -q 'stack dumps$' && grep -q -- '--call-graph dwarf,32768' few.lode/README ||
	grep -q 'call chains for the whole recording' err || cat few.lode/README err

echo "== the perf that takes them fails"
cat >perf-without-dumps <<'P'
#!/bin/sh
case " $* " in *" dwarf,"*) echo "perf: no dumps here" >&2; exit 1 ;; esac
exec perf "$@"
P
chmod +x perf-without-dumps
"$LODE" record --perf ./perf-without-dumps --call-graph dwarf -o none.lode sleep 0.3 2>err
echo "exit $?"
stacks none.lode
grep -e 'no dumps here' -e 'that takes' err
