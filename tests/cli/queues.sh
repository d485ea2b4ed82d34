# A request that waits for a busy server: what that was at, and for whom, as far as it can be inferred
# (tests/data/queues/record made the recordings).
cd "$LODE_TOP/tests/data/queues" || exit 1

# Time of the symptoms of $2 in stacks of the recording $1 with a frame like $3, in ns.
cost() {
	local shown
	shown=$("$LODE" mine --symptom "comm=$2" --json --include "$3" "$1.script.zst") || return
	python3 -c 'import json, sys
aoi = json.loads(sys.argv[1])["aoi"]
print(aoi["wait_ns"] + aoi["run_ns"] + aoi["ready_ns"])' "$shown"
}

# The links of the costliest cluster with a frame like $3.
first() {
	"$LODE" mine --symptom "comm=$2" --include "$3" --top 1 "$1.script.zst" |
		sed -n '/^1  /,/^ *$/{/^ *→/p}'
}

echo "--- Redis: KEYS of one client, GETs of another"
first keys getter keysCommand
all=$(cost keys getter keysCommand)
told=$(cost keys getter '(busy with reporter, inferred)')
echo "known for whom: $((told * 10 / all >= 9))"

echo "--- nginx and php-fpm: both workers busy"
first pool fast '→ php-fpm8.2'
all=$(cost pool fast '→ php-fpm8.2')
told=$(cost pool fast '(busy with slow, inferred)')
echo "known for whom: $((told * 10 / all >= 9))"

echo "--- one worker sorts, the other hashes: half and half"
all=$(cost shares fast '→ php-fpm8.2')
sorts=$(cost shares fast 'zend_*')
echo "a third to two thirds: $((sorts * 3 / all == 1))"
