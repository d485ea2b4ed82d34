# A manifest in parts: whatever the parts, and in whatever order and tree they are merged, the bytes are
# those of one process, and so is what is said of recordings that cannot be used.
awk 'function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 } # the same in any awk
BEGIN {
	seed = 7000021
	for (s = 1; s <= 24; s++) {
		file = sprintf("s%02d.folded", s)
		for (i = 0; i < 1 + s * 5; i++) {
			line = "app;main"
			for (d = 0; d < 2 + int(random() * 8); d++) line = line ";f" int(random() * 20)
			print line " " 1 + int(random() * 500) > file
		}
		close(file)
	}
}'
gzip s05.folded
cp s07.folded copy.folded # the user's own choice: counts twice
mkdir d && cp s03.folded d/ # so do equal files whose paths end alike
cp s07.folded away.folded
: >empty.folded
printf '\x28\xb5\x2f\xfdxxxx' >bad.zst
{
	echo '#lode manifest 1'
	for file in s??.folded* d/s03.folded copy.folded empty.folded bad.zst missing.data; do
		printf '%s\tteam=%s\n' "$file" "$((${#file} % 2))"
	done
	printf 's07.folded.copy\tname=s3://bucket/7\n'
	printf 'away.folded\tname=https://example.org/away\trelease=2.1\n'
	printf 's08.folded.cut\tname=cut\tbytes=100\n'
} >all.manifest
head -c 60 s08.folded >s08.folded.cut
digest() { "$LODE" digest --merge "$@" >/dev/null 2>>errors; echo $?; }

echo "== one process"
"$LODE" digest --merge one.digest all.manifest 2>/dev/null | sed 's/: .*//'
"$LODE" mine --json --min-cost 5% all.manifest 2>one.errors | grep -v '"next_command"' >one.json
"$LODE" mine --json --min-cost 5% one.digest 2>two.errors | grep -v '"next_command"' | cmp - one.json && cmp one.errors two.errors && cat one.errors

echo "== random parts and trees"
cat >merge.py <<'P'
"""Splits, makes digests of the parts, and merges these in a random tree; whether the bytes are the same."""
import glob, os, random, shutil, subprocess, sys
lode, rounds = os.environ["LODE"], int(sys.argv[1])
want = open("one.digest", "rb").read()
def run(*words):
    code = subprocess.run([lode, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    assert code in (0, 1), (words, code)
for seed in range(rounds):
    pick = random.Random(seed)
    shutil.rmtree("parts", ignore_errors=True)
    run("shard", "-o", "parts", "--parts", str(pick.randint(2, 9)), "all.manifest")
    digests = []
    for i, part in enumerate(sorted(glob.glob("parts/*"))):
        digests.append(f"t{i}.digest")
        run("digest", "--threads", str(pick.randint(1, 3)), "--merge", digests[-1], part)
    while len(digests) > 1:
        pick.shuffle(digests)
        n = min(pick.randint(2, 4), len(digests))
        digests.append(f"m{len(digests)}-{digests[0]}")
        run("digest", "--merge", digests[-1], *digests[:n])
        del digests[:n]
    got = open(digests[0], "rb").read()
    assert got == want, (seed, len(got), len(want))
print(rounds, "times the same bytes")
P
python3 merge.py 8

echo "== a split is the same each time, and keeps to its folder"
"$LODE" shard -o parts4 --parts 4 all.manifest
"$LODE" shard -o parts5 --parts 4 all.manifest >/dev/null && diff -r parts4 parts5 && echo same
rm "$(ls parts5/* | head -n 1)"
"$LODE" shard -o parts5 --parts 4 all.manifest >/dev/null && diff -r parts4 parts5 && echo "again: same"
"$LODE" shard -o parts5 --parts 3 all.manifest 2>&1 | sed 's/-[0-9a-f]\{16\}/-HASH/'
ls s0*.folded >list && "$LODE" shard -o parts6 --part-size 300K list | sed 's/;.*//'
head -n 2 parts6/part-00001-*

echo "== nothing usable is a result, too"
printf '#lode manifest 1\nbad.zst\nmissing.data\n' >none.manifest
digest none.digest none.manifest
"$LODE" mine none.digest 2>&1
echo "exit $?"
digest some.digest none.digest s01.folded
"$LODE" mine --json some.digest 2>/dev/null | grep -c -e bad.zst -e missing.data

echo "== a digest that is given twice does not count twice"
digest twice.digest one.digest ./one.digest
cp one.digest three.digest
"$LODE" digest --merge twice.digest one.digest three.digest 2>&1 >/dev/null | tail -n 1
printf "#lode manifest 1\ns07.folded\ncopy.folded\n" >both.manifest
"$LODE" digest --merge both.digest both.manifest | sed 's/: .*//'
for file in s07 copy; do "$LODE" digest --merge $file.digest $file.folded >/dev/null; done
"$LODE" digest --merge each.digest s07.digest copy.digest | sed 's/: .*//'
cmp both.digest each.digest && echo "copies of a recording that a manifest lists: same"

echo "== labels"
"$LODE" import --repo r.lode --label team=x all.manifest >/dev/null 2>&1
"$LODE" repo labels --repo r.lode
# Read in the order of their sizes; the first of the manifest counts.
gzip -c s07.folded >s07.gz
for order in 's07.gz s07.folded copy.folded' 'copy.folded s07.folded s07.gz'; do
	for threads in 1 3; do
		{ echo '#lode manifest 1'; printf '%s\n' $order | awk '{ print $0 "\tfrom=" $0 }'; } >equal.manifest
		rm -f equal.lode
		"$LODE" import -j$threads --repo equal.lode --json equal.manifest |
			python3 -c 'import json, sys; print([(i["path"], i["state"]) for i in json.load(sys.stdin)["inputs"]])'
		"$LODE" repo list --repo equal.lode --json | python3 -c '
import json, sys
print([(s["path"], s["labels"]) for s in json.load(sys.stdin)["list"]])'
	done
done
printf '#lode manifest 1\ns01.folded\thost=x\n' >label.manifest
"$LODE" import --repo r2.lode label.manifest 2>&1

echo "== refused"
refused() {
	"$LODE" "$@" 2>&1 >/dev/null | grep -v skipped:
	echo "exit ${PIPESTATUS[0]}"
}
refused shard all.manifest
refused shard -o x
refused shard -o x --parts 0 all.manifest
refused shard -o x nosuch
printf 'a\nb\na\n' >doubled && refused shard -o x doubled
printf '#lode manifest 1\na\tb\n' >wrong.manifest && refused mine wrong.manifest
printf '#lode manifest 2\n' >newer.manifest && refused digest --merge x.digest newer.manifest
printf '#lode manifest 1\n' >nothing.manifest && refused mine nothing.manifest
refused digest --merge x.digest --slower-than p99 all.manifest
printf '#lode manifest 1\none.digest\n' >digests.manifest && refused digest --merge one.digest digests.manifest
printf '#lode manifest 1\ns01.folded\n' >o.manifest && cp s01.folded s01.keep
refused digest --merge s01.folded o.manifest
cmp s01.folded s01.keep && echo "kept"

echo "== JSON"
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
"$LODE" shard --json --top 2 -o parts4 --parts 4 all.manifest | python3 -c '
import json, sys, jsonschema
d = json.load(sys.stdin)
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(d)
print(d["recordings"], d["unmeasured"], len(d["parts"]), d["more"], d["most_cost"] < 1.2 * d["least_cost"])
' "$LODE_TOP/docs/schema/shard.json"
