# Pages of diff, next, coverage and triage: what --json --detail says; exit codes as without a page.
mkdir old new
for i in 1 2 3 4; do
	printf 'main;a;b %d\nmain;c;d 30\n' $((60 + i)) >old/$i.folded
	printf 'main;a;b %d\nmain;c;"><i> 90\n' $((20 + i)) >new/$i.folded
done
printf 'signature: b\npattern: b\n\nsignature: d\nstate: retired\npattern: d\n' >known.txt
if ! "$LODE" diff --html diff.html old new 2>said; then
	grep -q 'built without HTML pages' said && { echo "this lode has no pages"; exit 77; }
	cat said
fi
cat >look.py <<'P'
import base64, json, re, sys, zlib
html = open(sys.argv[1], encoding="utf-8").read()
(name, title, data), = re.findall(r'class="lode-report" data-name="([^"]*)"[^>]*'
	r' data-title="([^"]*)" data-encoding="deflate">([^<]*)<', html)
page = json.loads(zlib.decompress(base64.b64decode(data)))
print(name, "|", title, "| as --json says:", page == json.load(sys.stdin))
P
check() { # PAGE COMMAND...
	local page=$1
	shift
	"$LODE" "$@" --json --top 0 | python3 look.py "$page"
}
check diff.html diff old new --detail
"$LODE" diff --html diff.html --fail-on new old new
echo "exit $?"
"$LODE" next --html next.html old new
check next.html next --compare --detail old new
"$LODE" coverage --signatures known.txt --by path --html coverage.html old
check coverage.html coverage --signatures known.txt --by path old
"$LODE" triage --signatures known.txt --html triage.html old new
echo "exit $?"
check triage.html triage --signatures known.txt --detail old new
"$LODE" triage --signatures known.txt --fail-over 10% --html triage.html old new
echo "exit $?"
echo "== stands alone"
for command in "diff old new" "next old" "coverage --signatures known.txt old" \
	"triage --signatures known.txt old"; do
	"$LODE" $command --html x.html --json 2>&1 | head -1
done
"$LODE" next --detail old 2>&1 | head -1
ls
echo "== all of them as one"
"$LODE" analyze -o all.html diff.html next.html coverage.html triage.html
