# Everything in a folder, as one report: recordings as a set, a function trace, and what is no use.
mkdir -p in/apps/one in/trace
printf 'main;a;b 60\nmain;c;d 30\n' >in/apps/one/a.folded
printf 'main;a;b 10\n' >in/apps/one/b.folded
printf 'tid,enter/exit,function,ns\n1,enter,main,0\n1,enter,f,10\n1,exit,f,90\n1,exit,main,100\n' >in/trace/calls.csv
echo 'Notes of the day.' >in/notes.txt
if ! "$LODE" analyze in -o page.html 2>said >text; then
	grep -q 'built without HTML pages' said && { echo "this lode has no pages"; exit 77; }
fi
cat text said
"$LODE" analyze --json -o page.html in >document.json
python3 - <<'P'
import base64, json, os, re, zlib
import jsonschema
d = json.load(open("document.json"))
jsonschema.Draft7Validator(json.load(open(os.environ["LODE_TOP"] + "/docs/schema/analyze.json"))).validate(d)
html = open("page.html", encoding="utf-8").read()
parts = dict(re.findall(r'class="lode-report" data-name="([^"]*)"[^>]*>([^<]*)</script>', html))
first = json.loads(zlib.decompress(base64.b64decode(parts["overview"])))
print(list(parts))
for x in (d, first):
    for run in x["runs"]:
        run["elapsed_ns"] = 0
print("the first page says the same:", d == first)
for run in d["runs"]:
    print(run["report"], "|", run["command"])
P
echo "== the machine's options go to each analysis"
mkdir in/service
python3 - <<'P'
with open("in/service/cpu.csv", "w") as counters, open("in/service/access.log", "w") as log:
    print("time,cpu", file=counters)
    for t in range(60):
        print(1763690400 + t, t % 7, sep=",", file=counters)
        log.write(f'10.0.0.1 - - [21/Nov/2025:02:00:{t:02} +0000] "GET /a HTTP/1.1" 200 9 "-" "-" 0.{t % 5}\n')
P
"$LODE" analyze --json -o page.html --memory 512M --threads 1 in 2>said |
	python3 -c 'import json, sys; [print(run["command"].replace(" && ", "\n")) for run in json.load(sys.stdin)["runs"]]' |
	sed 's,/[^ ]*/[0-9].model,MODEL,'
rm -r in/service
echo "== pages of before, joined: names stay apart"
"$LODE" mine --html one.html in/apps/one/a.folded
"$LODE" mine --html two.html in/apps/one/b.folded
"$LODE" analyze one.html two.html -o joined.html
grep -o 'data-name="[^"]*"' joined.html
"$LODE" analyze joined.html -o twice.html >/dev/null
grep -o 'data-name="[^"]*"' twice.html
echo "== the report of before is no input of the next, where it lies in the folder"
mkdir again && cp in/apps/one/a.folded again
for i in 1 2; do
	"$LODE" analyze again -o again/page.html | tail -n 1
	grep -c 'data-name="overview"' again/page.html
done
(cd again && "$LODE" analyze . >../text 2>/dev/null && "$LODE" analyze . 2>/dev/null | cmp - ../text)
echo "== with signatures"
printf 'signature: known\npattern: a;b\n' >known.txt
"$LODE" analyze --signatures known.txt in/apps -o known.html
"$LODE" analyze --signatures known.txt --repo r.lode in/apps
echo "exit $?"
echo "== nothing of use"
mkdir none
echo x >none/x.txt
"$LODE" analyze none
echo "exit $?"
"$LODE" analyze none/x.txt
echo "exit $?"
"$LODE" analyze missing
echo "exit $?"
"$LODE" analyze
echo "exit $?"
echo "== no room for it"
(
	ulimit -f 8 # KiB
	trap '' XFSZ
	"$LODE" analyze "$LODE_TOP/tests/golden/xray/fdr5.log" 2>said
	echo "exit $?"
)
sed 's,[^ ]*/page.html,page.html,; s/writing it: .*/writing it: .../' said
