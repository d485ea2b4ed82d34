# Signatures: from clusters and typed patterns, in a file; changed, exported, imported.
printf 'main;load;find_icon;stat 60\nmain;load;find_theme;stat 30\nmain;draw;blit 50\nmain;idle 2\n' >a.folded
clean() { sed -e 's/20[0-9-]*T[0-9:]*Z/TIME/; s/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]/DAY/'; }
sign() { "$LODE" sign --signatures ours.txt "$@" | clean; }

echo "-- a cluster of a document"
"$LODE" mine --json a.folded >mined.json
sign --from mined.json --cluster 1 --name slow-stat --bug https://bugs.example.org/1 --owner files
id=$(python3 -c 'import json; print(json.load(open("mined.json"))["clusters"][1]["id"][:6])')
sign --from - --cluster "$id" --name slow-draw <mined.json
echo "-- typed"
sign --name icons --kind run,wait --reason disk --note "why
	not" 'load;*;find_*;>stat' 'a\;b; [kernel]!vfs_read;-> x'
clean <ours.txt
echo "-- listed, shown"
sign
sign --show icons
sign --json --show slow-draw
echo "-- edited"
sign --edit icons --drop 'a\;b;[kernel]!vfs_read;→ x' --kind '' --bug 7 'load;find_icon'
sign --edit icons --rename icon-lookup --note ''
sign --show icon-lookup
sign --retire slow-draw
sign --list
sign --activate slow-draw
echo "-- exported, imported"
sign --export - | clean | cmp - <(clean <ours.txt) && echo same
sign --export all.txt
sign --delete icon-lookup
sign --import all.txt
sed -i 's/^owner: files/owner: others/' all.txt
sign --import - <all.txt
sign --show slow-stat | grep owner
"$LODE" sign --signatures new.txt --import all.txt && cmp new.txt all.txt && echo same

echo "-- mistakes" | tee /dev/stderr
try() { "$LODE" sign "$@"; echo "$?"; }
try
try --signatures ours.txt --name x
try --signatures ours.txt 'a;b'
try --signatures ours.txt --name x --list y
try --signatures ours.txt --bug 7
try --signatures ours.txt --name 'x y' a
try --signatures ours.txt --name slow-stat a
try --signatures ours.txt --name x 'a;;b'
try --signatures ours.txt --name x '*'
try --signatures ours.txt --name x --cluster 1
try --signatures ours.txt --name x --from mined.json --cluster 9
try --signatures ours.txt --name x --from mined.json --cluster ffff
try --signatures ours.txt --name x --from mined.json --cluster two
try --signatures ours.txt --name x --from a.folded --cluster 1
try --signatures ours.txt --name x --reason sleep a
try --signatures ours.txt --retire slow-stats
try --signatures ours.txt --edit icon-lookup --drop main
for bug in 'javascript:alert(1)' ' JavaScript:x' data:text/html,x file:///etc/passwd http:x; do
	try --signatures ours.txt --name x --bug "$bug" a
	try --signatures ours.txt --edit icon-lookup --bug "$bug"
done
printf 'signature: a\nbug: javascript:alert(1)\npattern: b\n' >link.txt
try --signatures ours.txt --import link.txt
try --signatures none.txt
printf 'signature: a\npattern: b\n\nsignature: c\nbugs: d\n' >bad.txt
try --signatures bad.txt
try --signatures ours.txt --import bad.txt
"$LODE" sign --signatures ours.txt | wc -l

echo "-- a repository: the clusters of its last mining, whatever the options were"
export LODE_REPO=r.lode
"$LODE" import a.folded >/dev/null
"$LODE" sign --cluster 1 --name x 2>&1
"$LODE" mine --top 1 --rank events --where 'path~*a.folded' | sed -n 4p
"$LODE" sign --cluster 1 --name slow-stat --note z
"$LODE" sign --import all.txt
"$LODE" sign --show slow-stat | clean
"$LODE" sign --retire icon-lookup
"$LODE" sign --delete slow-draw
for bug in 4711 'mailto:files@example.org' HTTPS://bugs.example.org/2 'the bug of the icons'; do
	"$LODE" sign --edit icon-lookup --bug "$bug" >/dev/null
	"$LODE" sign --show icon-lookup | grep bug
done
# Stored by a lode that took anything: shown as text.
python3 -c 'import sqlite3
with sqlite3.connect("r.lode") as db:
	db.execute("UPDATE signature SET bug = ? WHERE name = ?", ("javascript:alert(1)", "icon-lookup"))
db.close()'
"$LODE" sign --show icon-lookup | grep bug
"$LODE" sign --edit icon-lookup --bug '' >/dev/null
"$LODE" sign | clean
"$LODE" coverage | head -n 1
chmod a-w r.lode
"$LODE" coverage --by host | tail -n 3
"$LODE" triage --no-mining a.folded | sed -n 1,4p
"$LODE" triage --symptom comm=x a.folded 2>&1
