# A damaged index, with one wrong bit or with checksums corrected, is refused by every question and export, and no file is
# left. tools/torture does more damage.
"$LODE" timeline --index sound.lodet "$LODE_TOP/tests/golden/chrome/uftrace.json" >/dev/null
thread=$("$LODE" timeline --json sound.lodet | python3 -c 'import json, sys; print(json.load(sys.stdin)["threads"][0]["tid"])')
bits=$((8 * $(wc -c <sound.lodet)))
refused=0
ask() {
	"$LODE" timeline "$@" bad.lodet >out 2>err
	code=$?
	[ $code = 3 ] && grep -q '^lode timeline: bad.lodet: ' err && [ ! -s out ] && refused=$((refused + 1)) ||
		echo "$damage, '$*': exit code $code, $(wc -l <out) lines; $(cat err)"
	rm out err
	[ "$(ls -A)" = "$(printf 'bad.lodet\nsound.lodet')" ] || { ls -A; rm -f x; }
}
# The calls begin at byte 48; the directory ends the file.
for bit in 385 400 $(seq 500 $((bits / 7)) $bits) $((bits - 1)); do
	python3 -c 'import sys
data = bytearray(open("sound.lodet", "rb").read())
data[int(sys.argv[1]) // 8] ^= 1 << int(sys.argv[1]) % 8
open("bad.lodet", "wb").write(data)' "$bit"
	damage="bit $bit"
	for options in "" --json "--json --full" "--json --page" "--at $thread:+0" "--function main" "--thread $thread" \
		"--window +0,+1s" "--symptoms-out x" "--index x" "--html x" "--html x --whole-only" "--chrome-trace x" \
		"--chrome-trace x --window +0,+1s"; do
		ask $options
	done
done
echo "$refused questions refused"

echo "== calls, and sums of calls, that are not possible, with the right checksums"
"$LODE" timeline --index sound.lodet --force "$LODE_TOP/tests/golden/xray/basic3.log" >/dev/null
refused=0
for piece in 0 1; do
	damage="piece $piece"
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$LODE_TOP/tests/torture python3 -c 'import sys, kept, zstd
index = kept.Lodet(open("sound.lodet", "rb").read())
at, tokens, pieces = index.pieces(0)
pieces[0], pieces[1] = (zstd.pack(zstd.unpack(pieces[0])[:-1]), pieces[1]) if sys.argv[1] == "0" else (pieces[0], b"\5")
index.put_pieces(0, at, tokens, pieces)
open("bad.lodet", "wb").write(index.write())' $piece
	ask --index x
	ask --index x --thread "$("$LODE" timeline --json sound.lodet | python3 -c 'import json, sys; print(json.load(sys.stdin)["threads"][-1]["tid"])')"
done
ask --symptoms-out x --function '#1'
echo "$refused questions refused"
