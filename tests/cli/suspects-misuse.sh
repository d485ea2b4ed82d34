# What cannot be is said in a sentence, with the exit code that goes with it.
orders=$LODE_TOP/samples/orders/orders.perf.data.zst
[ -f "$orders" ] || { echo "no samples here"; exit 77; }
say() { "$LODE" suspects "$@" >/dev/null; echo "exit $?" >&2; }

printf 'main;a 60\n' >a.folded
: >empty
say
say "$orders" --versus "$orders" --baseline "$orders"
say "$orders" --versus "$orders" --robust
say "$orders" --sort excess
say "$orders" --sort nonsense
say "$orders" --thresholds 5ms
say "$orders" --thresholds 5ms,1ms
say "$orders" --top 10x
say "$orders" --min-increase 2
say "$orders" --metric 'x=y'
say "$orders" --json --folded
say "$orders" --explain main --folded
say "$orders" --explain no_such_function
say "$orders" --metric 'nothing:*'
say a.folded
say empty
say "$orders" empty
say "$orders" --versus empty

# Without system calls it says how to record them.
sample=$LODE_TOP/samples/startup/startup-08.perf.data.zst
[ ! -f "$sample" ] || "$LODE" suspects "$sample" | grep 'no system calls' >&2
