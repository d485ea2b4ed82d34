# lode repo prune: the oldest go, until an age and a size are kept to; what is left is as if they had never been there.
set -u
export LODE_REPO=r.lode TZ=UTC
awk 'function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 } # the same in any awk
BEGIN {
	seed = 3000009
	for (s = 1; s <= 60; s++) {
		file = sprintf("s%02d.folded", s)
		for (i = 0; i < 20 + int(random() * 200); i++) {
			line = "app;main"
			for (d = 0; d < 2 + int(random() * 8); d++) line = line ";f" int(random() * 90)
			print line " " 1 + int(random() * 500) > file
		}
		close(file)
	}
}'
for i in $(seq 1 60); do touch -d "$i days ago 1 hour ago" "s$(printf %02d "$i").folded"; done
lode() { "$LODE" "$@" || echo "exit $?"; }
# Days and sizes are those of the moment.
plain() { sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2})?/TIME/g; s/[0-9.]+ [kM]?B/SIZE/g'; }

"$LODE" import -l kind=run s*.folded >/dev/null
"$LODE" repo label baseline=yes --where 'path~*s5?.folded' >/dev/null
"$LODE" mine >/dev/null
"$LODE" sign --name f1-slow --cluster 1 >/dev/null
cp r.lode before.lode
left() { "$LODE" repo list --top 0 --json | grep -o 's[0-9]*\.folded' | sort -u; }

echo "== by age: a dry run changes nothing, and says what a run removes"
lode repo prune --max-age 8w --dry-run | plain | sed 's/^[0-9a-f]\{8\}/ID/; s/  */ /g'
left | wc -w
lode repo prune --max-age 8w | plain
left | wc -w
lode repo prune --max-age 8w | plain
lode repo check

echo "== a query says what may go"
lode repo prune --max-age 3w --where 'not baseline=yes' | plain
left | tr '\n' ' '

echo "
== what is left is as if the others had never been there; signatures and the last run stay"
"$LODE" import --repo rest.lode -l kind=run $(left) >/dev/null
"$LODE" repo label --repo rest.lode baseline=yes --where 'path~*s5?.folded' >/dev/null
"$LODE" repo list --top 0 --json | grep -v -e _bytes -e next_command -e imported_ns -e '"repo"' -e '"signatures"' -e segments >a
"$LODE" repo list --top 0 --json --repo rest.lode | grep -v -e _bytes -e next_command -e imported_ns -e '"repo"' -e '"signatures"' -e segments | cmp - a && echo "same list"
"$LODE" repo show | grep -o '[0-9]* signature'
"$LODE" sign --name f2-slow --cluster 2 >/dev/null && echo "the last run is there"
for name in r rest; do "$LODE" mine --json --top 0 --repo $name.lode 2>&1 | grep -v -e '"next_command"' -e '"repo"' -e signature >$name.json; done
cmp r.json rest.json && echo "same answer"

echo "== by size: the oldest, no more than needed, and a dry run says the same"
cat >size.py <<'P'
"""Random sizes and queries against what is there: gone is a prefix in time of what might go, and the rest keeps to the size."""
import json, os, random, shutil, subprocess, sys
lode = os.environ["LODE"]
def run(*words):
    return subprocess.run([lode, "repo", *words, "--repo", "s.lode"], capture_output=True, text=True)
def listed(*words):
    doc = json.loads(run("list", "--json", "--top", "0", *words).stdout)
    return [s["id"] for s in doc["list"]], doc["file_bytes"] - doc["free_bytes"]
refused = 0
for seed in range(24):
    pick = random.Random(seed)
    shutil.copy("before.lode", "s.lode")
    if pick.random() < 0.5:
        run("compact")
    ids, used = listed()
    where = [[], ["--where", "not baseline=yes"], ["--where", "path~*3.folded"]][seed % 3]
    may = listed(*where)[0]
    size = pick.randint(used // 2, used + used // 20)
    age = [] if pick.random() < 0.5 else ["--max-age", f"{pick.randint(20, 70)}d"]
    old = set(listed("--where", f"age>{age[1]}")[0]) & set(may) if age else set()
    dry = run("prune", "--max-size", str(size), *age, *where, "--dry-run", "--top", "0")
    assert listed() == (ids, used), (seed, "a dry run changed it")
    told = run("prune", "--max-size", str(size), *age, *where, "--dry-run", "--top", "0", "--json")
    done = run("prune", "--max-size", str(size), *age, *where)
    rest, now = listed()
    gone = [i for i in ids if i not in rest]
    assert done.returncode == dry.returncode, (seed, done, dry)
    if done.returncode == 3:
        assert not gone and may == ids and "none of its" in done.stderr, (seed, done)
        refused += 1
        continue
    told = json.loads(told.stdout)
    assert (told["done"], [s["id"] for s in told["list"]], told["was_bytes"], told["over"]) == \
        (False, gone, used, done.returncode == 1) and told["removed"] == len(gone), (seed, told)
    assert told["used_bytes"] == now, (seed, told, now)
    if used - now > used // 50:  # else they may be the same words
        sizes = told["finding"].rpartition("in use: ")[2].rstrip(".").split(", was ")
        assert sizes[0] != sizes[1], (seed, told["finding"])
    assert gone == may[:len(gone)] and old <= set(gone), (seed, gone, may)
    says = f"{len(gone)} recording" if gone else "Nothing would be removed"
    assert says in dry.stdout and all(i[:8] in dry.stdout for i in gone), (seed, dry.stdout)
    if done.returncode == 0:
        assert now <= size, (seed, now, size)
        few = len(gone) - len(old)  # the estimate may be wrong by some
        assert not few or now > size - 2 * used / len(ids) - 65536, (seed, "too many", now, size)
    else:
        assert done.returncode == 1 and now > size and len(gone) == len(may), (seed, done)
    assert run("check").returncode == 0, seed
assert refused < 6, refused
print("24 times")
P
python3 size.py

echo "== never the last"
cp r.lode kept.lode
lode repo prune --max-age 1h 2>&1
lode repo prune --max-size 1K 2>&1
left | wc -w
lode repo prune --max-size 1K --where 'not baseline=yes' | plain

echo "== misuse"
lode repo prune 2>&1
lode repo prune --max-age 90 2>&1
lode repo prune --max-age 1d id 2>&1
lode repo list --max-age 1d 2>&1
lode repo check --dry-run 2>&1
lode repo prune --max-age 1d --where 'release 2' 2>&1
lode repo prune --max-age 1d --repo none.lode 2>&1
