# Digests: the same result as from recordings, whatever way they went; what is not alike is refused.
streams() { # N: N files of folded stacks, all different
	awk -v n="$1" 'function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 } # the same in any awk
	BEGIN {
		seed = 7000021
		for (s = 1; s <= n; s++) {
			file = sprintf("s%02d.folded", s)
			for (i = 0; i < 200; i++) {
				line = "app;main"
				for (d = 0; d < 2 + int(random() * 8); d++) line = line ";f" int(random() * 20)
				print line " " 1 + int(random() * 500) > file
			}
			close(file)
		}
	}'
}
same() { cmp "$1" "$2" && echo "$3: same"; }
# But for the command that comes next, which names the inputs.
mine() { "$LODE" mine --json --top 0 --min-cost 5% "$@" | grep -v '"next_command"'; }

streams 12
mine s*.folded >streams.json
"$LODE" digest -o d s*.folded | sed 's/: .*//; /^Next/d'
"$LODE" digest -o d s*.folded | sed 's/: .*//; /^Next/d'
ls d | sed 's/-[0-9a-f]\{16\}/-HASH/' | head -n 2
mine d >digests.json && same streams.json digests.json "digests"
"$LODE" digest --merge all.digest s*.folded | sed 's/: .*//; /^Next/d'
mine all.digest | cmp streams.json && echo "merged: same"
mine - <all.digest | cmp streams.json && echo "standard input: same"
gzip -k all.digest && mine all.digest.gz | cmp streams.json && echo "compressed: same"
"$LODE" digest --merge left.digest d/s0[1-7]* >left.txt
"$LODE" digest --merge right.digest s0[89].folded d/s1* >right.txt
mine left.digest right.digest | cmp streams.json && echo "merged in groups, recordings and digests mixed: same"
"$LODE" digest --merge all2.digest --threads 1 --memory 1M d >/dev/null && same all.digest all2.digest "merged by one thread"
mine --include 'f1*' --exclude f7 s*.folded >filtered.json
mine --include 'f1*' --exclude f7 d | cmp filtered.json && echo "filtered later: same"

echo "== what changes is made again"
echo "app;new 5" >>s03.folded
"$LODE" digest -o d s*.folded | sed 's/: .*//; /^Next/d'
"$LODE" digest -o d --kind wait s*.folded | sed 's/: .*//; /^Next/d'
"$LODE" digest -o d --again --kind wait s01.folded | sed 's/: .*//; /^Next/d'

echo "== one bad recording costs nothing"
: >s13.folded
"$LODE" digest -o e s01.folded s13.folded s02.folded 2>errors | sed 's/: .*//; /^Next/d'
"$LODE" mine --json s01.folded s13.folded s02.folded 2>/dev/null | grep -v '"next_command"' >three.json
"$LODE" mine --json e 2>errors | grep -v '"next_command"' | cmp three.json && echo "digests: same"
"$LODE" mine --json e 2>/dev/null >three.json
echo "exit $?: $(cat errors)"
"$LODE" digest -o e s13.folded 2>/dev/null
echo "exit $?"

echo "== what is not alike is refused"
say() {
	"$LODE" "$@" 2>&1 >/dev/null | sed 's/-[0-9a-f]\{16\}/-HASH/g; s/has [0-9]* bytes/has N bytes/'
	echo "exit ${PIPESTATUS[0]}"
}
"$LODE" digest --merge graph.digest --scope graph s01.folded >/dev/null
say mine graph.digest e/s02*
say mine --scope critical graph.digest
say mine --symptom comm=git graph.digest
say mine graph.digest s02.folded
say mine --min-cost 5% --scope graph graph.digest s02.folded
say mine --min-cost 5% all.digest s02.folded
say digest s01.folded
say digest -o missing/d s01.folded

echo "== a digest is no recording"
say info e/s02*
say info s01.folded all.digest

echo "== damage"
head -c 1000 all.digest >cut.digest
say mine cut.digest
cp all.digest flipped.digest
printf 'X' | dd of=flipped.digest bs=1 seek=2000 conv=notrunc status=none
say mine flipped.digest
say mine --min-cost 5% cut.digest flipped.digest right.digest

echo "== nothing to merge"
: >empty.digest
mkdir hollow
: >hollow/none.perf.data
say digest --merge none.digest empty.digest
say digest --merge none.digest hollow
ls none.digest 2>&1

echo "== JSON"
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
"$LODE" digest --json --top 2 -o j --merge j.digest s*.folded 2>/dev/null |
	python3 -c '
import json, sys, jsonschema
d = json.load(sys.stdin)
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(d)
print(d["streams"], d["made"], d["kept"], len(d["digests"]), d["more"], d["merged"]["streams"])
print(d["digests"][0]["path"], d["digests"][0]["state"], d["skipped"][0]["path"], d["shape"])
' "$LODE_TOP/docs/schema/digest.json"
