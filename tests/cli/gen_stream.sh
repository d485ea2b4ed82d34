#!/usr/bin/env bash
# What bench/gen_stream promises: same seed, same bytes; recordings that perf reads without a word
# of complaint; the counts of truth.json; distinct folded stacks. usage: gen_stream.sh PROGRAM
set -euo pipefail
generate=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "gen_stream: $*" >&2; exit 1; }
truth() { grep -o "\"$2\": [0-9]*" "$1/truth.json" | head -n 1 | grep -o '[0-9]*$'; }

"$generate" --events 4000 -o "$dir/a"
"$generate" --events 4000 -o "$dir/b"
"$generate" --events 4000 --seed 2 -o "$dir/c"
"$generate" --events 4000 --compressed -o "$dir/z"
"$generate" --events 15000 --seed 3 --cpus 3 --threads 40 --lost -o "$dir/lost"
"$generate" --events 500 --streams 3 -o "$dir/many"
cmp "$dir/a/perf.data" "$dir/b/perf.data" || fail "one seed gave two recordings"
cmp -s "$dir/a/perf.data" "$dir/c/perf.data" && fail "two seeds gave one recording"
[ "$(find "$dir/many" -name 'stream-000?.perf.data' | wc -l)" = 3 ] || fail "not three streams"
[ "$(stat -c %s "$dir/z/perf.data")" -lt "$(($(stat -c %s "$dir/a/perf.data") / 2))" ] ||
	fail "compression did not make the recording smaller"

"$generate" --folded 3000 >"$dir/folded"
[ "$(cut -d ' ' -f 1 "$dir/folded" | sort -u | wc -l)" = 3000 ] || fail "not 3000 distinct stacks"
awk -F'[; ]' '{ n += NF - 1 } END { exit !(n / NR > 31 && n / NR < 37) }' "$dir/folded" ||
	fail "folded stacks are not about 34 deep"

if ! command -v perf >/dev/null; then
	echo "perf is not installed: its part is skipped"
	exit 0
fi

script() {
	perf --buildid-dir "$1/symbols" script --no-inline --ns -i "$1/perf.data" 2>"$1/err" >"$1/txt" ||
		fail "perf script failed: $(cat "$1/err")"
}

for name in a z lost; do
	script "$dir/$name"
	[ "$(grep -c '^[^[:space:]]' "$dir/$name/txt")" = "$(truth "$dir/$name" samples)" ] ||
		fail "$name: perf reads another number of samples than truth.json has"
	perf evlist -v -i "$dir/$name/perf.data" >"$dir/evlist" 2>&1 || fail "perf evlist failed"
	grep -q 'sched:sched_waking: type: 2' "$dir/evlist" || fail "perf evlist does not know the events"
	perf --buildid-dir "$dir/$name/symbols" report --stdio -i "$dir/$name/perf.data" \
		>"$dir/report" 2>&1 || fail "perf report failed"
	# Every frame has a name, but for those of threads that the kernel has forgotten (tid -1).
	awk '/^[^ \t]/ { gone = /^:-1 / } /\[unknown\]/ && !gone { exit 1 }' \
		"$dir/$name/txt" || fail "$name: a frame has no name"
done
[ ! -s "$dir/a/err" ] || fail "perf complains: $(cat "$dir/a/err")"
cmp "$dir/a/txt" "$dir/z/txt" || fail "the compressed recording reads differently"

# Per CPU, who is switched out is who was switched in, and who is sampled is who runs.
awk '
/^[^ \t]/ {
	match($0, /\[[0-9]+\]/)
	cpu = substr($0, RSTART, RLENGTH)
	match($0, /[0-9]+\.[0-9]+:/)
	time = substr($0, RSTART, RLENGTH - 1)
	if (time < last) { print "time runs backwards: " $0; exit 1 }
	last = time
	if (match($0, /prev_pid=[0-9]+/)) {
		prev = substr($0, RSTART + 9, RLENGTH - 9)
		if (cpu in on && on[cpu] != prev) { print "torn: " $0; exit 1 }
		match($0, /next_pid=[0-9]+/)
		on[cpu] = substr($0, RSTART + 9, RLENGTH - 9)
	}
}' "$dir/a/txt" || fail "the switches of a CPU do not fit together"

lost=$(perf script --show-lost-events -i "$dir/lost/perf.data" 2>/dev/null |
	sed -n 's/.*PERF_RECORD_LOST lost \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
[ "$lost" -gt 0 ] && [ "$lost" -le "$(truth "$dir/lost" lost)" ] ||
	fail "lost: perf sees $lost, truth.json has $(truth "$dir/lost" lost)"

# The running time of truth.json is that between the switches.
[ "$(grep -o '"run_ns": [0-9]*' "$dir/a/truth.json" | head -n 1 | grep -o '[0-9]*$')" = "$(awk '
function ns(t) { split(t, p, "."); return p[1] * 1000000000 + p[2] }
/prev_pid=/ {
	match($0, /\[[0-9]+\]/)
	cpu = substr($0, RSTART, RLENGTH)
	match($0, /[0-9]+\.[0-9]+:/)
	now = last = ns(substr($0, RSTART, RLENGTH - 1))
	if (cpu in since) run += now - since[cpu]
	delete since[cpu]
	if ($0 !~ /next_pid=0 /) since[cpu] = now
	next
}
/^[^ \t]/ && match($0, /[0-9]+\.[0-9]+:/) { last = ns(substr($0, RSTART, RLENGTH - 1)) }
END { for (cpu in since) run += last - since[cpu]; printf "%d", run }' "$dir/a/txt")" ] ||
	fail "truth.json has another running time than the switches"
