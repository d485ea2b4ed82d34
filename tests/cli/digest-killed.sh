# Killed at any point, `lode digest` leaves whole digests and nothing else that counts; the next run
# makes only what is missing, and ends with the same bytes as one that was never disturbed.
awk 'function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 } # the same in any awk
BEGIN {
	seed = 11000033
	for (s = 1; s <= 40; s++) {
		file = sprintf("s%02d.folded", s)
		for (i = 0; i < 400; i++) {
			line = "app;main"
			for (d = 0; d < 20; d++) line = line ";function_" int(random() * 400)
			print line " " 1 + int(random() * 500) > file
		}
		close(file)
	}
}'
"$LODE" digest -o whole s*.folded >/dev/null
n_killed=0
shopt -s nullglob
mkdir d
for ((i = 0; i < 12; i++)); do
	digests=(d/*.digest)
	before=${#digests[@]}
	"$LODE" digest -o d s*.folded >/dev/null &
	pid=$!
	sleep "$(printf '0.%03d' $((RANDOM % (40 * (i + 1)))))"
	kill -9 $pid 2>/dev/null && n_killed=$((n_killed + 1))
	wait $pid 2>/dev/null
	digests=(d/*.digest)
	[ "${#digests[@]}" -ge "$before" ] || echo "run $i: digests are gone"
	for digest in "${digests[@]}"; do
		cmp "$digest" "whole/${digest#d/}" || echo "run $i: $digest is not whole"
	done
done
[ "$n_killed" -gt 0 ] || echo "nothing was killed"
"$LODE" digest --json --top 1 -o d s*.folded >run.json
grep -q "\"kept\": ${#digests[@]}," run.json || echo "the last run did not keep ${#digests[@]} digests"
diff -r whole d && [ "$(ls -A d | wc -l)" = 40 ] && echo "as if never disturbed"

# So is a merged digest; and nothing is left of the killed runs after one that ends.
"$LODE" digest --merge merged.lode whole/*.digest >/dev/null
mkdir m
for ((i = 0; i < 30; i++)); do
	"$LODE" digest --merge m/all.lode whole/*.digest >/dev/null 2>&1 &
	pid=$!
	sleep "$(printf '0.%03d' $((RANDOM % 90)))"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
done
: >"m/.all.lode.4194000.tmp" # at least one
rm -f m/all.lode
"$LODE" digest --merge m/all.lode whole/*.digest >/dev/null
ls -A m
cmp merged.lode m/all.lode
