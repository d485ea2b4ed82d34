# Whatever ends lode record: perf ends with it, closes its file, and leaves the command alone.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
perf record -q -a -k CLOCK_MONOTONIC -e sched:sched_switch -o probe.data -- true 2>/dev/null ||
	{ echo "this user may not record the machine"; exit 77; }
# Processes started here, by a mark in their environment, without zombies: "NAME" lines.
export LODE_TEST_MARK=$PWD
marked() {
	grep -lsa "LODE_TEST_MARK=$PWD" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do
		grep -q '^State:.*[RSDT] ' "/proc/$pid/status" && cat "/proc/$pid/comm"
	done 2>/dev/null | grep -E '^(lode|perf|sleep)' | sort -u
}
# Until there is one of that name, or none ($2: -v).
wait_for() {
	for _ in $(seq 600); do
		if [ -z "${2-}" ] && marked | grep -q "^$1"; then return; fi
		if [ -n "${2-}" ] && ! marked | grep -q "^$1"; then return; fi
		sleep 0.1
	done
	echo "waited for $1 in vain"
}
says() { "$LODE" info "$1" 2>no | sed -n 's/^incomplete *//p'; }

echo "== the machine, killed with kill -9"
{
	"$LODE" record -o machine --duration 60s &
	pid=$!
	wait_for lode-perf
	# Events are on when there is more than a header.
	for _ in $(seq 300); do [ -s machine/perf.data ] && break; sleep 0.1; done
	sleep 1
	kill -KILL $pid
	wait $pid
} 2>/dev/null
wait_for lode-perf -v
wait_for lode -v
marked
says machine
"$LODE" mine --symptom 'comm=*' machine | grep -c '^1 recording'

echo "== a command, killed with kill -9"
{
	"$LODE" record -o command --keep-awake -- sleep 601 &
	pid=$!
	wait_for sleep
	sleep 1
	kill -KILL $pid
	wait $pid
} 2>/dev/null
wait_for lode-perf -v
wait_for lode -v
marked
ls -A command | grep -v titles.tsv
"$LODE" info command | grep '^command '
for p in $(pgrep -x sleep); do
	grep -qsa "LODE_TEST_MARK=$PWD" "/proc/$p/environ" && kill "$p"
done
wait_for sleep -v

echo "== perf killed, the command goes on"
{
	"$LODE" record -o early -- sleep 3 2>said &
	pid=$!
	wait_for sleep
	for p in $(pgrep -x lode-perf -P $pid); do kill -KILL "$p"; done
	wait $pid
	echo "exit $?"
} 2>/dev/null
grep -o 'perf exited before the command.*' said

echo "== no room"
"$LODE" record -o empty --no-compress --no-symbols -- true 2>/dev/null
(
	# Room for what perf writes first, also of a few processes more than there were, and for little more.
	ulimit -f $(($(stat -c %s empty/perf.data) / 1024 + 500)) # KiB
	trap '' XFSZ
	"$LODE" record -o full -- sh -c 'while pgrep -x lode-perf -P $PPID >no; do :; done' 2>said
	echo "exit $?"
)
grep -c 'full lacks the end of the recording' said
says full | head -n 1
# Only these lines, without the room that was kept for more of them; no code of wait(2).
sed 's/ names): .*/ names)/' full/INCOMPLETE
grep -o 'perf buildid-list ended with exit code [0-9]*' full/INCOMPLETE
# Whoever mines it is told as well, and finds it again where the digest is kept.
for i in 1 2; do
	"$LODE" digest --symptom 'comm=*' -o kept full 2>&1 >/dev/null |
		grep -o 'its bundle is incomplete: .* the end of the recording'
	echo "exit ${PIPESTATUS[0]}"
done

echo "== a rate that the kernel does not take"
"$LODE" record --cpu-rate 99999999 -- true 2>&1 | sed 's/at most.*//'
"$LODE" record --cpu-rate 0 -- true; echo "exit $?"
ls
