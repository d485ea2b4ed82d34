# A folder of bundles is all of its recordings, and a bundle goes by its own name.
samples=$LODE_TOP/samples/startup
[ -d "$samples" ] || { echo "samples are not there"; exit 77; }
bundle() {
	mkdir -p "$2/symbols"
	cp "$samples/startup-$1.perf.data.zst" "$2/perf.data.zst"
	: >"$2/$3"
}
bundle 12 fast/one.lode .command
bundle 08 slow/two.lode .command
bundle 34 slow/named-otherwise .command
mkdir slow/no-bundle slow/empty.lode
cp slow/two.lode/perf.data.zst slow/no-bundle/
part="--time +0s,+2s"
symptom="--symptom comm=pluginhost"
echo "== mine"
"$LODE" mine $part $symptom slow | grep -o '^[0-9]* recordings, [^;]*'
"$LODE" mine $part $symptom slow --show 1 | grep -E '  (two|named)' | sed 's/.* //' | sort -u
"$LODE" mine $part $symptom slow --json | grep -o '"path": "[^"]*"'
exec 2>/dev/null # it is the same for all
echo "== diff, suspects"
"$LODE" diff $part $symptom fast slow | sed -n '/^[AB]: .*recording/s/,.*//p'
"$LODE" suspects $part --metric ready:woken slow --versus fast | sed -n '/^[0-9]* slow recording/s/, [^;]*//gp'
echo "== info, timeline"
"$LODE" info slow | grep -E '^slow/'
"$LODE" timeline slow 2>&1
echo "== digest, import, next, triage, coverage"
"$LODE" digest $part $symptom -o d slow | sed -n 's/:.*//p' # sizes depend on what this machine can name
"$LODE" import -R r.lode $part $symptom slow | sed 's/;.*//'
"$LODE" next $part $symptom slow | grep -o -E '(two.lode|named-otherwise) ' | sort
"$LODE" triage -R r.lode $part $symptom slow | grep -o -E '^(two.lode|named-otherwise)' | sort
"$LODE" coverage -R r.lode $part $symptom slow | grep -o '^[0-9]* recordings'
