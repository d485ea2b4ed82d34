# A repository as lode 0.1 left it: every command answers from it, and what is added goes beside what is there.
command -v zstd >/dev/null || { echo "zstd is not installed"; exit 77; }
lode() { "$LODE" "$@" || echo "exit $?"; }
zstd -dqc "$LODE_TOP/tests/data/older.lode.zst" >r.lode

versions() {
	python3 - "$1" <<'P'
import sqlite3, sys
repo = sqlite3.connect(sys.argv[1])
digests = [int.from_bytes(content[8:12], "little") for content, in repo.execute("SELECT content FROM digest_content ORDER BY digest")]
print("schema", *repo.execute("PRAGMA user_version").fetchone(), "digests of version", *digests)
P
}

echo "== as it came"
versions r.lode
lode repo check --repo r.lode
lode repo list --repo r.lode
lode sign --repo r.lode --list

echo "== a cluster of the run that it kept, signed by its number"
lode sign --repo r.lode --cluster 3 --name helper-poll

echo "== answers"
lode mine --repo r.lode | sed '/^$/,$d'
echo "-- how often clusters occurred was not kept then"
lode mine --repo r.lode | sed -n '/^#/p; /^1 /p'
lode mine --repo r.lode --json | grep -c '"occurrences"'
lode coverage --repo r.lode | sed '/^Not explained/,$d'
lode triage --repo r.lode --symptoms "$LODE_TOP/samples/startup/symptoms.tsv" \
	"$LODE_TOP/samples/startup/startup-24.perf.data.zst" | sed '/^$/,$d'
lode diff --repo r.lode release=2.0 release=2.1 | head -3
lode next --repo r.lode

echo "== a cluster of the run above, signed"
lode sign --repo r.lode --cluster 5 --name checksum --owner decoder
lode coverage --repo r.lode | sed -n '/^signature/,/^$/p'

if "$LODE" help serve >/dev/null 2>&1; then
	echo "== served"
	"$LODE" serve --repo r.lode --port 0 >url 2>log &
	while kill -0 $! 2>/dev/null && ! [ -s url ]; do sleep 0.05; done
	python3 - <<'P'
import json, os, subprocess, urllib.request
base = open("url").read().split("?")[0].strip() + "api/reports/mine"
served, signed = (json.load(urllib.request.urlopen(base + what, timeout=60)) for what in ("", "/signatures"))
mined = json.loads(subprocess.run([os.environ["LODE"], "mine", "--repo", "r.lode", "--json", "--top", "0"], check=True, capture_output=True).stdout)
assert [c["id"] for c in served["clusters"]] == [c["id"] for c in mined["clusters"]]
print(served["finding"])
print("signed:", *(s["name"] for s in signed["signatures"]))
P
	kill -INT %1
	wait %1
fi

# The sizes differ between machines: libraries that are installed name some frames of the recording.
echo "== beside a new digest, merged"
lode import --repo r.lode --label release=2.2 --symptoms "$LODE_TOP/samples/startup/symptoms.tsv" \
	"$LODE_TOP/samples/startup/startup-18.perf.data.zst" | sed 's/[0-9]* kB/N kB/'
versions r.lode
lode mine --repo r.lode --json --top 0 >before.json
lode repo compact --repo r.lode | sed 's/[0-9]* kB/N kB/g'
lode repo check --repo r.lode
lode mine --repo r.lode --json --top 0 >after.json
cmp before.json after.json && echo "the same before and after"

echo "== version 1 of the schema: without signatures and runs"
zstd -dqc "$LODE_TOP/tests/data/older.lode.zst" >one.lode
python3 - <<'P'
import sqlite3
repo = sqlite3.connect("one.lode")
repo.executescript("DROP TABLE run_cluster; DROP TABLE run; DROP TABLE signature; PRAGMA user_version = 1")
P
versions one.lode
lode sign --repo one.lode --name log-rotation 'log_write;*;log_rotate'
versions one.lode
lode coverage --repo one.lode | sed -n '/^signature/,/^$/p'
