#!/usr/bin/env bash
# --memory: answers are the same when everything large goes to temporary files, and in a cgroup that
# allows less than the work takes; without room for these files lode says so.
# usage: memory.sh LODE GEN_STREAM
set -euo pipefail
lode=$1 generate=$2
dir=$(mktemp -d)
group=
trap 'rm -rf "$dir"; [ -z "$group" ] || rmdir "$group"' EXIT

fail() { echo "memory: $*" >&2; exit 1; }

# ---- The same answers, spilled or not ----

# same NAME ARGUMENT...: with room for everything, and with none.
same() {
	local name=$1
	shift
	"$lode" "$@" --memory 100G >"$dir/$name.roomy" 2>"$dir/$name.roomy.said" || true
	"$lode" "$@" --memory 1M >"$dir/$name.tight" 2>"$dir/$name.tight.said" || true
	[ -s "$dir/$name.roomy" ] || fail "$name: no answer: $(cat "$dir/$name.roomy.said")"
	cmp "$dir/$name.roomy" "$dir/$name.tight" || fail "$name: other answers with little memory"
}

for seed in 1 2 3; do
	s=$dir/$seed
	"$generate" --events 100000 --threads 2 --distinct 200 --seed $seed -o "$s" $([ $seed = 2 ] && echo --lost --compressed)
	set -- "$s/perf.data" --buildid-dir "$s/symbols"
	same "info$seed" info --json "$@"
	same "mine$seed" mine --json --scope thread --stacks own "$@"
	same "suspects$seed" suspects --json "$@"
	"$lode" digest "$@" --memory 100G --again -o "$dir/roomy$seed" >/dev/null
	"$lode" digest "$@" --memory 1M --again -o "$dir/tight$seed" >/dev/null
	cmp "$dir/roomy$seed"/*.digest "$dir/tight$seed"/*.digest || fail "digests differ"
done
same diff diff --json --scope thread --stacks own --buildid-dir "$dir/1/symbols" "$dir/1/perf.data" "$dir/3/perf.data"

# ---- No room for temporary files ----

code=0
TMPDIR=/nonexistent "$lode" info "$dir/1/perf.data" --memory 1M >/dev/null 2>"$dir/said" || code=$?
[ $code = 4 ] || fail "exit $code without a folder for temporary files"
grep -q "/nonexistent.*TMPDIR.*--memory" "$dir/said" || fail "not said: $(cat "$dir/said")"

# ---- What was left there ----

# Of a process that was killed: its folder has the mark, and nobody its lock. Without the mark it is
# somebody else's.
mkdir -m 700 "$dir/parent" "$dir/parent/lode-tmp-killed" "$dir/parent/lode-tmp-theirs"
touch "$dir/parent/lode-tmp-killed/.lode-temporary" "$dir/parent/lode-tmp-killed/index" "$dir/parent/lode-tmp-theirs/data"
TMPDIR=$dir/parent "$lode" info "$dir/1/perf.data" --memory 1M >/dev/null
[ ! -e "$dir/parent/lode-tmp-killed" ] || fail "the folder of a killed process is left"
[ -e "$dir/parent/lode-tmp-theirs/data" ] || fail "somebody else's folder is gone"

# ---- What cannot be put on disk ----

# Threads take small blocks each: the bound is refused soon after it is passed, not gigabytes later.
# (Sanitizers take memory of their own: there the bound is not enforced.)
if ! grep -q __asan_init "$lode"; then
	awk 'BEGIN {
		printf "["
		for (i = 0; i < 300000; i++)
			printf "%s{\"ph\":\"X\",\"name\":\"f\",\"ts\":%d,\"dur\":5,\"pid\":1,\"tid\":%d}", i ? "," : "", i, i
		printf "]"
	}' >"$dir/threads.json"
	code=0
	"$lode" timeline --memory 100M "$dir/threads.json" >/dev/null 2>"$dir/said" || code=$?
	[ $code = 4 ] || fail "exit $code of many threads in little memory"
	needed=$(sed -n 's/^lode: at least \([0-9]*\) MiB of memory are needed.*allows 100 MiB.*/\1/p' "$dir/said")
	[ "${needed:-999}" -lt 150 ] || fail "refused late: $(cat "$dir/said")"
	# It has no time to end as it should: its temporary folder is removed all the same.
	mkdir "$dir/refused"
	code=0
	TMPDIR=$dir/refused "$lode" analyze --memory 100M "$dir/threads.json" -o "$dir/refused.html" >/dev/null 2>"$dir/said" || code=$?
	[ $code = 4 ] || fail "exit $code of lode analyze of many threads: $(cat "$dir/said")"
	[ -z "$(ls -A "$dir/refused")" ] || fail "lode analyze left $(ls -A "$dir/refused")"
	# What it has found until then is not lost.
	mkdir "$dir/both"
	printf 'main;a;b 60\nmain;c;d 30\n' >"$dir/both/a.folded"
	cp "$dir/threads.json" "$dir/both"
	code=0
	TMPDIR=$dir/refused "$lode" analyze --memory 100M "$dir/both" -o "$dir/both.html" >"$dir/found" 2>"$dir/said" || code=$?
	if ! grep -q 'built without HTML pages' "$dir/said"; then
		[ $code = 1 ] || fail "exit $code of lode analyze whose second analysis is refused: $(cat "$dir/said")"
		grep -q "^b (cpu 100 %) is the largest of 2 problems" "$dir/found" || fail "not found: $(cat "$dir/found")"
		grep -q "^lode: at least .* MiB of memory are needed" "$dir/said" || fail "not said: $(cat "$dir/said")"
		grep -q "^lode analyze: no report of lode timeline of .*/threads.json" "$dir/said" || fail "not said: $(cat "$dir/said")"
		grep -q 'data-name="mine"' "$dir/both.html" || fail "no report of lode mine"
		[ -z "$(ls -A "$dir/refused")" ] || fail "lode analyze left $(ls -A "$dir/refused")"
	fi
fi

# resident NAME COMMAND...: runs it, and leaves its peak of resident memory in MB in resident-NAME
resident() {
	python3 - "$dir/resident-$1" "${@:2}" <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[2:], check=True)
with open(sys.argv[1], "w") as f:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=f)
P
}

# ---- Memory that no file has ----

# All that lode holds for itself stays within the bound, and the answer is the same. Pages of
# temporary files come and go: they are the kernel's to take.
"$generate" --events 600000 --threads 2 --distinct 200 -o "$dir/large"
if ! grep -q __asan_init "$lode"; then
	for memory in 100G 40M; do
		python3 - "$memory" "$lode" digest "$dir/large/perf.data" --buildid-dir "$dir/large/symbols" --again \
			-o "$dir/own-$memory" --memory "$memory" <<'P' >>"$dir/own"
import resource, subprocess, sys, time
memory, *command = sys.argv[1:]
with subprocess.Popen(command, stdout=subprocess.DEVNULL) as p, open(f"/proc/{p.pid}/status") as status:
    most = 0
    while p.poll() is None:
        status.seek(0)
        now = [int(line.split()[1]) for line in status if line.startswith("RssAnon:")]
        most = max(most, *now, 0)
        time.sleep(0.002)
print(memory, most // 1024, p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
P
	done
	read -r _ _ _ roomy <<<"$(grep 100G "$dir/own")"
	read -r _ tight code _ <<<"$(grep 40M "$dir/own")"
	[ "$roomy" -gt 50 ] || fail "only $roomy MB are needed without a bound: nothing is tried"
	[ "$tight" -le 40 ] || fail "$tight MB of --memory 40M"
	[ "$code" = 0 ] || fail "exit $code with --memory 40M"
	cmp "$dir"/own-100G/*.digest "$dir"/own-40M/*.digest || fail "another digest with --memory 40M"
	# All that is resident comes back to the bound as soon as it is passed. Processors count time in
	# ticks, in which pages come in.
	"$generate" --size 100M -o "$dir/larger"
	for memory in 100G 64M; do
		resident $memory "$lode" mine --min-cost 20% "$dir/larger/perf.data" \
			--buildid-dir "$dir/larger/symbols" --memory "$memory" >"$dir/mined-$memory"
	done
	cmp "$dir/mined-100G" "$dir/mined-64M" || fail "another answer with --memory 64M"
	roomy=$(cat "$dir/resident-100G") tight=$(cat "$dir/resident-64M")
	[ "$roomy" -gt 100 ] || fail "only $roomy MB are resident without a bound: nothing is tried"
	[ "$tight" -le 85 ] || fail "$tight MB are resident with --memory 64M"
fi

# ---- The search for a λ ----

# Each λ that is tried is mined as the first one, in its place: not beside it.
"$generate" --events 60000 --threads 2 --distinct 20000 -o "$dir/varied"
if ! grep -q __asan_init "$lode"; then
	resident once "$lode" mine "$dir/varied/perf.data" --threads 1 --min-cost 20% >/dev/null
	resident searched "$lode" mine "$dir/varied/perf.data" --threads 1 --patterns 12 >/dev/null
	once=$(cat "$dir/resident-once") searched=$(cat "$dir/resident-searched")
	[ "$searched" -lt $((once * 2)) ] || fail "$searched MB to search for a λ, $once MB to mine once"
fi

# ---- In a cgroup that the kernel enforces ----

# Makes a cgroup of so many bytes, of whichever version is here; false when that is not allowed.
make_group() {
	local v1=/sys/fs/cgroup/memory v2=/sys/fs/cgroup
	[ -w $v1 ] && [ -e $v1/memory.limit_in_bytes ] && mkdir "$v1/lode-test-$$" 2>/dev/null && {
		group=$v1/lode-test-$$
		echo "$1" >"$group/memory.limit_in_bytes"
		return
	}
	grep -qw memory $v2/cgroup.subtree_control 2>/dev/null &&
		mkdir "$v2/lode-test-$$" 2>/dev/null && {
		group=$v2/lode-test-$$
		echo "$1" >"$group/memory.max" && { echo 0 >"$group/memory.swap.max"; } 2>/dev/null || true
		return
	}
	return 1
}

# The columns of this recording alone take more; without spilling the kernel would kill it.
if grep -q __asan_init "$lode"; then
	echo "sanitizers take memory of their own: the cgroup's part is skipped"
elif make_group $((32 << 20)); then
	set -- "$dir/large/perf.data" --buildid-dir "$dir/large/symbols" --again
	"$lode" digest "$@" -o "$dir/free" >/dev/null
	code=0
	( echo $BASHPID >"$group/cgroup.procs" &&
		exec "$lode" digest "$@" -o "$dir/grouped" >/dev/null 2>"$dir/said" ) || code=$?
	[ $code = 0 ] || fail "exit $code in a cgroup of 32 MB: $(cat "$dir/said")"
	cmp "$dir"/grouped/*.digest "$dir"/free/*.digest || fail "another digest in a cgroup"
else
	echo "no cgroup can be made here: its part is skipped"
fi
