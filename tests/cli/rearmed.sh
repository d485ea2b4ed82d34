# Waits that are re-armed after a time-out belong to whoever ends the last of them: CPython's interpreter lock, a monitor of
# Java, a row of PostgreSQL with deadlock_timeout at 1 s (how they were made: tests/data/rearmed/record.sh). Sleeps stay the timer's.
data=$LODE_TOP/tests/data/rearmed
# Of the symptoms' waits in a function like the pattern: per chain, the share of their time.
shares() {
	"$LODE" mine "$data/$1.perf-script.zst" --symptom "$2" --folded | python3 -c '
import collections, sys
costs = collections.Counter()
for line in sys.stdin:
    stack, _, cost = line.rpartition(" ")
    frames = stack.split(";")
    links = [i for i, frame in enumerate(frames) if frame.startswith("→")]
    if any(sys.argv[1] in frame for frame in frames[:links[0] if links else None]):
        costs[" ".join(frames[i] for i in links)] += int(cost)
whole = sum(costs.values())
for chain, cost in costs.most_common():
    if cost >= whole / 100:
        print(f"{100 * cost / whole:3.0f} %  {chain}".rstrip())' "$3"
}
echo "GIL"
shares gil comm=gil-waiter,threads futex
echo "monitor"
shares monitor 'comm=server-*,threads' futex
echo "row lock"
shares rowlock comm=psql,threads PQgetResult
# Nobody wakes who polls: what the likely holder was at stands behind it, inferred, and the time stays the timer's.
echo "busy"
shares busy comm=poller,threads nanosleep
# The first cluster: what was waited for, and who stands in its longest chain.
for case in busy:comm=poller,threads 'monitor:comm=server-*,threads'; do
	"$LODE" mine "$data/${case%%:*}.perf-script.zst" --symptom "${case#*:}" --json | python3 -c '
import json, sys
first = json.load(sys.stdin)["clusters"][0]
chains = [[f for f in pattern["functions"] if "→" in f] for pattern in first["patterns"]]
print(first["reason"], *max(chains, key=len))'
done
"$LODE" mine "$data"/*.zst --symptom 'comm=gil-waiter,threads' -j 1 --json >one
"$LODE" mine "$data"/*.zst --symptom 'comm=gil-waiter,threads' -j 3 --json >three
cmp one three && echo "the same for one and three threads"
