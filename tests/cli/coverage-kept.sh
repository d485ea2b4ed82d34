# Costs of signatures, which a repository keeps: what lode coverage says with and without mining, as recordings and signatures come and go.
for i in $(seq 1 40); do
	printf 'main;load;stat %d\nmain;draw;blit %d\nmain;sync;wait%d %d\n' $((i % 7 + 1)) $((i % 5 + 1)) $((i % 3)) "$i" >"$i.folded"
done
export LODE_REPO=r.lode
lode() { "$LODE" "$@" || echo "exit $?"; }

# All that both say is the same: without mining nothing is said of the rest.
both() {
	lode coverage --json "$@" >full.json
	lode coverage --json --no-mining "$@" >kept.json
	python3 - <<'P'
import json
full, kept = (json.load(open(name)) for name in ("full.json", "kept.json"))
assert kept["rest"] == [] and "rest_other_ns" not in kept
for name in ("finding", "rest", "rest_other_ns"):
    full.pop(name, None), kept.pop(name, None)
assert full == kept, (full, kept)
print(kept["streams"], kept["coverage"], *(s["total_ns"] for s in kept["signatures"]))
P
}
covers() {
	python3 -c 'import sqlite3; print("covers:", *sqlite3.connect("r.lode").execute("SELECT count(*) FROM segment_cover").fetchone())'
}

lode import --label release=1 ?.folded 1?.folded | sed -n 1p
lode sign --name load 'load; stat' >/dev/null
covers
both
covers
echo "== more recordings, and fewer"
lode import --label release=2 2?.folded 3?.folded | sed -n 1p
both --by release
both --where release=2
lode repo forget --where 'path~1?.folded' --yes | sed -n 1p
covers
both --by release
covers
echo "== signatures"
lode sign --name wait 'sync; wait[12]' >/dev/null
both
lode sign --retire load >/dev/null
both
lode sign --delete load >/dev/null
both
echo "== as text"
lode coverage --no-mining
echo "== of another folder's files"
lode coverage --no-mining --signatures /dev/null 1.folded | sed -n 1p
echo "== from a folder that is read-only for all but root"
lode sign --name blit 'blit' >/dev/null
mkdir fixed && cp r.lode fixed/ && chmod a-w fixed/r.lode fixed
export LODE_REPO=fixed/r.lode
both
chmod u+w fixed
