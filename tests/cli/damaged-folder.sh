# Of a folder, what is named like an input and is none is named, whoever reads it; the rest is answered.
say() { echo "== $*" | tee /dev/stderr; }
code() { "$LODE" "$@" >out; echo "exit $?"; }

say 1,000 streams, one damaged: 999 are answered, one is named
mkdir many
for i in $(seq -w 0 999); do echo "main;work;step_$((10#$i % 7)) $((1000 + 10#$i))" >many/s-$i.folded; done
printf '\x85\0\x01ain;work 1000\n' >many/s-500.folded
code mine --unit ns --json many
python3 - <<'P'
import json, os
import jsonschema
d = json.load(open("out"))
jsonschema.Draft7Validator(json.load(open(os.environ["LODE_TOP"] + "/docs/schema/mine.json"))).validate(d)
print(d["streams"], "streams,", d["aoi"]["run_ns"], "ns,", [s["path"] for s in d["skipped"]])
P
code digest -o digests many; ls digests | wc -l
code import --repo all.lode many; "$LODE" mine --repo all.lode --json 2>&1 |
	python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["streams"], "streams")'
say and of their digests
printf 'x' | dd of="$(ls digests/*s-007*)" bs=1 conv=notrunc status=none
code mine --json digests 2>said
sed 's/-[0-9a-f]*\.digest/.digest/' said >&2
python3 -c 'import json; d = json.load(open("out")); print(d["streams"], len(d["skipped"]))'

say damaged first bytes of recordings, in names and out of them
mkdir dir
cp "$LODE_TOP/tests/data/clock.perf.data.zst" dir/
printf '\x60' | dd of=dir/clock.perf.data.zst bs=1 conv=notrunc status=none
python3 -c 'import struct, sys; sys.stdout.buffer.write(b"XERFILE2" + struct.pack("<QQ", 104, 136) + bytes(80))' >dir/flip.perf.data
{ printf abcd; tail -c +5 dir/flip.perf.data; } >dir/nobody-says-so
echo 'main;a 5' >dir/good.folded
for name in notes.txt perf.data.sha256 x.perf.data.md README; do echo none >dir/$name; done
for c in "mine" "info" "suspects" "digest -o d" "import --repo r.lode" \
	"coverage --signatures s.txt" "triage --signatures s.txt" "next --signatures s.txt"; do
	printf 'signature: known\npattern: main;a\n' >s.txt
	say "$c"
	code $c dir
done
mkdir none
echo none >none/notes.txt
"$LODE" mine --unit ns dir none none/notes.txt 2>/dev/null | grep '^Skipped'
say diff; code diff dir dir/good.folded
say info says in its document what was skipped
code info --json dir
python3 - <<'P'
import json, os
import jsonschema
d = json.load(open("out"))
jsonschema.Draft7Validator(json.load(open(os.environ["LODE_TOP"] + "/docs/schema/info.json"))).validate(d)
print([s["path"] for s in d["skipped"]])
P

say of many damaged, one line says how many: by reason, whatever numbers stand in it
for i in $(seq -w 0 24); do printf '\x85\0\x01ain;work 1000\n' >many/s-$((300 + 10#$i)).folded; done
printf 'PERFILE2' >many/short.perf.data
code mine --unit ns --json many
python3 -c 'import json; d = json.load(open("out")); print(d["streams"], len(d["skipped"]))'
say and of recordings that are incomplete
mkdir cut
for i in $(seq 10 34); do
	zstd -qdc "$LODE_TOP/tests/data/clock.perf.data.zst" | head -c $((30000 + i * 56)) >cut/$i.perf.data
done
code mine --json cut
python3 -c 'import json; d = json.load(open("out")); print(d["streams"], len(d["skipped"]), len(d["incomplete"]))'

say a pipe, named like a recording, is not opened, but named
mkdir pipes pipes/folder
echo 'main;a 5' >pipes/good.folded
mkfifo pipes/live.perf.data pipes/notes
for c in mine info suspects digest\ -o\ p; do code $c pipes; done
say all analyses of one folder name it once
zstd -qdc "$LODE_TOP/samples/startup/startup-08.perf.data.zst" >dir/good.perf.data
code analyze -o report.html pipes dir
