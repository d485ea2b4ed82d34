# Coverage and triage: what has a name, what came back, and what the rest is.
mkdir old new
printf 'main;load;stat 60\nmain;draw;blit 40\n' >old/a.folded
printf 'main;load;stat 30\nmain;draw;blit 20\nmain;sync;wait 50\n' >new/b.folded
printf 'main;load;stat 100\nmain;idle 1\n' >new/c.folded
cat >s.txt <<'S'
signature: slow-load
owner: files
bug: 4711
pattern: load; stat

signature: any-load
pattern: main; load

signature: blit
state: retired
bug: https://bugs.example.org/12
pattern: draw; >blit

signature: gone
state: retired
pattern: nothing
S
coverage() { "$LODE" coverage --signatures s.txt "$@"; }
triage() { "$LODE" triage --signatures s.txt "$@"; echo "$?"; }

coverage old new
coverage --rank name --top 1 --by path old/a.folded
echo "-- triage"
triage new
triage --no-mining --top 1 new
echo "-- over"
triage --fail-over 1000 --no-mining new | tail -n 3
triage --fail-over 60 --no-mining new | tail -n 3
triage --fail-over 40% --no-mining new/c.folded | tail -n 3
triage --fail-over 69 new/*.folded --json | tail -n 1
: >empty
triage --fail-over 60 --no-mining new/c.folded empty 2>/dev/null | tail -n 1
triage --fail-over 60 --no-mining new empty 2>/dev/null | tail -n 1
echo "-- the rest: to mine, to sign"
triage --rest rest.digest new | tail -n 2
"$LODE" mine rest.digest | head -n 4
"$LODE" triage --signatures s.txt --json new >t.json
"$LODE" sign --signatures s.txt --from t.json --cluster 1 --name sync
triage --no-mining new | head -n 3

echo "-- too many similar patterns for the memory: a larger cost is mined"
for of in coverage triage; do
	"$LODE" $of --signatures s.txt --memory 1K --json "$LODE_TOP/samples/startup/startup-08.perf.data.zst" |
		grep -c -e '"headline"' -e not_mined
done

echo "-- mistakes" | tee /dev/stderr
try() { "$LODE" "$@"; echo "$?"; }
try coverage old
try coverage --signatures s.txt
try coverage --signatures s.txt --where x=1 old
try coverage --signatures s.txt --by release old
try coverage --signatures s.txt empty
try triage --signatures s.txt
try triage old
try triage --signatures empty.txt old
try triage --signatures s.txt --fail-over soon old
try triage --signatures s.txt empty
