# An index with one wrong bit is refused by every question and export, and no file is left. tools/torture does more damage.
"$LODE" timeline --index sound.lodet "$LODE_TOP/tests/golden/chrome/uftrace.json" >/dev/null
thread=$("$LODE" timeline --json sound.lodet | python3 -c 'import json, sys; print(json.load(sys.stdin)["threads"][0]["tid"])')
bits=$((8 * $(wc -c <sound.lodet)))
refused=0
ask() {
	"$LODE" timeline "$@" bad.lodet >out 2>err
	code=$?
	[ $code = 3 ] && grep -q '^lode timeline: bad.lodet: ' err && [ ! -s out ] && refused=$((refused + 1)) ||
		echo "bit $bit, '$*': exit code $code, $(wc -l <out) lines; $(cat err)"
	rm out err
	[ "$(ls -A)" = "$(printf 'bad.lodet\nsound.lodet')" ] || ls -A
}
# The calls begin at byte 48; the directory ends the file.
for bit in 385 400 $(seq 500 $((bits / 7)) $bits) $((bits - 1)); do
	python3 -c 'import sys
data = bytearray(open("sound.lodet", "rb").read())
data[int(sys.argv[1]) // 8] ^= 1 << int(sys.argv[1]) % 8
open("bad.lodet", "wb").write(data)' "$bit"
	for options in "" --json "--json --full" "--json --page" "--at $thread:+0" "--function main" "--thread $thread" \
		"--window +0,+1s" "--symptoms-out x" "--index x" "--html x" "--html x --whole-only" "--chrome-trace x" \
		"--chrome-trace x --window +0,+1s"; do
		ask $options
	done
done
echo "$refused questions refused"
