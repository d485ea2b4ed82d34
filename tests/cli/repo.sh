# lode import, lode repo, lode mine --repo: what goes in comes out, as it was asked for.
set -u
samples=$LODE_TOP/samples/startup
export LODE_REPO=r.lode
lode() { "$LODE" "$@" || echo "exit $?"; }

"$LODE" digest -o digests --symptoms "$samples/symptoms.tsv" "$samples" >/dev/null
set -- digests/*
echo "$# digests"

echo "== import, twice"
# What libraries this machine has names some frames of the recordings: sizes differ.
lode import "$1" "$2" --label release=2.1 -v | sed -e 's/-[0-9a-f]*\.digest/.digest/' -e 's/[0-9]* kB/N kB/'
lode import digests -l release=2.2 | sed 's/;.*//'
lode import --again digests | sed 's/;.*//'

echo "== list"
lode repo list --where 'release=2.1' | sed 's/  *$//' | head -1
lode repo list --json --where 'release=2.1 or path~*startup-0*' | python3 -c '
import json, sys
doc = json.load(sys.stdin)
assert doc["picked"] == len(doc["list"]) and doc["streams"] >= doc["picked"] > 0
assert all(s["labels"]["release"] in ("2.1", "2.2") for s in doc["list"])
print(doc["schema"], doc["shape"])'
lode repo labels
lode repo list --where 'release=2.1 and host~'
lode repo list --where 'nothing=here' >/dev/null
lode repo show 0123456789abcdef0

echo "== mine: the same as from files, but for the order of streams"
"$LODE" mine --json --top 0 digests >files.json
"$LODE" mine --json --top 0 --repo r.lode >repo.json
python3 - <<'PY'
import json
a, b = (json.load(open(f"{name}.json")) for name in ("files", "repo"))
for doc in (a, b):
    del doc["next_command"]  # names the inputs
    for key, value in doc.items():
        if isinstance(value, list) and value and isinstance(value[0], dict) and "path" in value[0]:
            value.sort(key=lambda item: item["path"])
assert len(a["clusters"]) > 5
print("same" if a == b else "DIFFERENT")
PY
echo "== another order of import, the same answer"
"$LODE" import --repo other.lode $(ls -r digests/*) >/dev/null
again() { grep -v '"next_command"' "$@"; }
"$LODE" mine --json --top 0 --repo other.lode | again | cmp - <(again repo.json) && echo same
echo "== a part of it: its name statistics are those of all"
lode mine --where 'release=2.1' | grep -o '^[0-9]* recordings, [0-9]* symptoms'
lode mine --where 'release=3'
lode mine --where 'release=3' digests
lode mine --scope graph --repo r.lode
lode import --scope graph digests 2>&1 | sed 's/digests.*digest:/DIGEST:/'

echo "== label, forget, check, compact"
lode repo label team=ui --where 'release=2.1'
lode repo label team= arch=x86 --where 'release=2.1'
lode repo label team=none 9=none --where 'release=2.1'
lode repo labels
lode repo show --json --where 'release=2.1' | grep -e '"where"' -e '"picked"'
lode repo forget --where 'release=2.1' | head -1
lode repo forget
lode repo forget --where 'release=2.1' --yes
lode repo check
lode repo compact | sed 's/[0-9.]* [kM]B/SIZE/g'
for c in info suspects timeline digest; do "$LODE" $c r.lode 2>&1; echo "exit $?"; done
head -c 5000 r.lode >cut.lode; "$LODE" info cut.lode 2>&1; echo "exit $?"
"$LODE" repo check r.lode 2>&1; "$LODE" repo show r.lode 2>&1
lode repo check
"$LODE" import --repo rest.lode $(ls digests/* | tail -n +3) >/dev/null
"$LODE" mine --json --top 0 >a.json
"$LODE" mine --json --top 0 --repo rest.lode | again | cmp - <(again a.json) && echo "forgotten as if never there"

echo "== recordings themselves, and a file that is none"
echo "no recording" >text.data
lode import --repo direct.lode --symptoms "$samples/symptoms.tsv" "$samples" text.data | sed 's/;.*//'
lode import --repo direct.lode --symptoms "$samples/symptoms.tsv" "$samples" | sed 's/;.*//'
"$LODE" mine --json --top 0 --repo direct.lode | python3 -c '
import json, sys
a, b = json.load(sys.stdin), json.load(open("repo.json"))
print("same clusters" if a["clusters"] == b["clusters"] else "OTHER CLUSTERS")'

echo "== many at once: stored alone, merged afterwards"
"$LODE" digest -o many "$LODE_TOP"/samples/startup >/dev/null
for i in 1 2; do "$LODE" import --defer --repo defer$i.lode many >/dev/null; done
"$LODE" import --repo merged.lode many >/dev/null
"$LODE" repo compact --repo defer2.lode >/dev/null
for name in defer1 defer2; do
	"$LODE" mine --json --repo $name.lode >$name.json
	"$LODE" mine --json --repo merged.lode | sed "s/merged.lode/$name.lode/g" | cmp - $name.json && echo "$name: same"
	"$LODE" repo check --repo $name.lode | sed -n '1s/.*: //p'
done
echo "== compacting few recordings does not take more room"
mkdir few
for i in $(seq 9); do for k in $(seq 400); do echo "main;work_$((k % 40));step_$((k * i))_of_many $((1000 + i + k))"; done >few/$i.folded; done
"$LODE" import --repo few.lode few >/dev/null
was=$(stat -c %s few.lode)
"$LODE" repo compact --repo few.lode >/dev/null
[ "$(stat -c %s few.lode)" -le $((was + 4096)) ] && echo "no larger"
