# What recordings lack goes wherever their digests go: one process, parts merged in a tree, digests in a
# folder and a repository say the same of cut recordings, incomplete bundles, lost events and skipped inputs.
sample=$LODE_TOP/samples/startup/startup-08.perf.data.zst
[ -f "$sample" ] || { echo "samples are not there"; exit 77; }
head='lode record: this bundle is incomplete'
bundle() { # NAME FILE LINES: a recording in a bundle that says what it lacks
	mkdir "$1"
	cp "$2" "$1/"
	printf '%s\n%s\n\n\n' "$head" "$3" >"$1/INCOMPLETE"
}
for i in 1 2 3; do
	printf 'app;main;load;read%d %d\napp;main;wait 40\n' $i $((i * 30)) >plain$i.folded
done
{ printf 'app;main;load%d 7\n' $(seq 20); printf 'no count here\nnor here\n'; } >bad.folded
head -c 100000 "$sample" >cut.perf.data.zst
printf 'app;main;load 11\n' >one.folded
bundle b1 one.folded "$(printf 'lacks symbols of 3 modules (libc.so.6, app, [kernel]): No space left on device\nlacks symptoms.tsv')"
{ cat bad.folded; echo 'app;main;other 2'; } >worse.folded
bundle b2 worse.folded "lacks $(printf 'module-%03d ' $(seq 300))"
mkdir whole && mv plain3.folded whole/
: >empty.folded
{
	echo '#lode manifest 1'
	printf '%s\n' plain1.folded plain2.folded bad.folded cut.perf.data.zst b1/one.folded b2/worse.folded whole/plain3.folded empty.folded missing.data
} >all.manifest
mine() { "$LODE" mine --symptom 'comm=*' --min-cost 5% "$@"; }
digest() { "$LODE" digest --symptom 'comm=*' "$@"; }
# A document without what names its own input.
document() { mine --json "$@" 2>"$out.errors" | grep -v '"next_command"' >"$out.json"; }
text() { mine "$@" 2>/dev/null | grep -v 'lode mine' >"$out.txt"; }

echo "== one process"
out=one; document all.manifest; text all.manifest
cut -c 1-150 one.errors
python3 - one.json <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
print(len(d["skipped"]), "skipped,", len(d["incomplete"]), "incomplete")
for i in d["inputs"]:
    print(i["path"], [(l["kind"], l["count"], len(l["first"])) for l in i["losses"]])
P

same() { for suffix in json errors txt; do cmp one.$suffix "$1.$suffix" || exit 1; done; echo same; }
echo "== its digest"
digest --merge one.digest all.manifest >/dev/null 2>&1
out=d; document one.digest; text one.digest; same d

echo "== parts, merged in a tree"
"$LODE" shard -o parts --parts 5 all.manifest >/dev/null
for part in parts/*; do digest --merge "$(basename "$part").digest" "$part" >/dev/null 2>&1; done
set -- part-*.digest
digest --merge left.digest "$3" "$1" >/dev/null 2>&1
digest --merge right.digest "$5" "$2" "$4" >/dev/null 2>&1
digest --merge root.digest right.digest left.digest >/dev/null 2>&1
cmp one.digest root.digest && echo "same bytes"
out=r; document root.digest; text root.digest; same r

echo "== a folder of digests, kept in the second run"
digest -o folder all.manifest 2>/dev/null >/dev/null
mv b1 b1.away # what it lacks is in the digest
{ echo '#lode manifest 1'; ls folder/*.digest; } >folder.manifest
out=f; document folder.manifest; text folder.manifest; same f
mv b1.away b1
digest --json -o folder all.manifest 2>again.errors | grep -o '"state": "[a-z]*"' | sort | uniq -c
sed 's/^lode digest/lode mine/' again.errors | cmp - one.errors && echo "kept ones say it, too"
printf '%s\n%s\n' "$head" "lacks nothing but time" >b1/INCOMPLETE
digest --json -o folder all.manifest 2>again.errors | grep -o '"state": "[a-z]*"' | sort | uniq -c
grep -c 'lacks nothing but time' again.errors

echo "== a repository, before and after merging"
"$LODE" import --repo r.lode one.digest >/dev/null 2>&1
out=i; document --repo r.lode
grep -v ': skipped: ' one.errors | cmp - i.errors && echo "the same are incomplete"
"$LODE" import --repo s.lode --defer part-*.digest >/dev/null 2>&1
out=s; document --repo s.lode; cmp i.json s.json && cmp i.errors s.errors && echo same
"$LODE" repo compact --repo s.lode >/dev/null
out=s; document --repo s.lode; cmp i.json s.json && cmp i.errors s.errors && echo same
"$LODE" repo check --repo s.lode
python3 -c 'import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
print([k for k in ("inputs", "incomplete", "clusters", "advice") if a.get(k) != b.get(k)])' one.json i.json
