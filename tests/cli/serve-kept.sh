# A repository that is served again: the report of the last time is shown at once, the same to the last byte; what it cannot answer is mined for.
"$LODE" help serve >/dev/null 2>&1 || { echo "this lode has no server"; exit 77; }
printf 'main;load;find_icon;stat 60\nmain;load;find_theme;stat 30\nmain;draw;blit 50\nmain;idle 2\n' >a.folded
printf 'main;load;find_icon;stat 90\nmain;draw;blit 40\nmain;sync 33\n' >b.folded
"$LODE" mine --html page.html a.folded 2>said || { grep -q 'built without HTML pages' said && { echo "this lode has no pages"; exit 77; }; }
"$LODE" import --repo r.lode a.folded >/dev/null

cat >ask.py <<'P'
import json, sys, time, urllib.error, urllib.request
def get(path):
    base = open("url").read().split("?")[0].strip() + "api/reports"
    try:
        with urllib.request.urlopen(base + path, timeout=60) as r:
            return r.status, r.read()
    except urllib.error.HTTPError as e:
        return e.code, e.read()
def patiently(path):
    "What a page does; and how often it had to wait."
    for waited in range(600):
        status, text = get(path)
        if status != 503:
            return status, text, waited
        time.sleep(0.1)
def keep(name):
    with open(name, "wb") as f:
        f.write(get("/mine")[1])
P
start() {
	: >url
	"$LODE" serve --repo r.lode --port 0 "$@" >url 2>log &
	while kill -0 $! 2>/dev/null && ! [ -s url ]; do sleep 0.05; done
}
stop() {
	kill -INT %1
	wait %1
	sed -E 's/mined [0-9.]+ (ns|us|ms|s) ago/mined a while ago/' log
}
# Mining that takes less than a second is done again; so that of this one took a minute.
took_long() {
	sed -i -E 's/^(mined [0-9]+) [0-9]+ /\1 60000 /' .cache/lode/served-*
}

echo "== mined"
start
python3 -c 'from ask import *; keep("fresh.json")'
stop
ls .cache/lode | sed 's/[0-9]*$/N/' | sort -u
stat -c %A .cache/lode
echo "== sooner mined than missed"
start
stop
echo "== kept"
took_long
start
python3 - <<'P'
from ask import *
keep("kept.json")
cluster = json.load(open("kept.json"))["clusters"][0]["id"]
first = get(f"/mine/cluster?id={cluster}")[0]
status, text, waited = patiently(f"/mine/cluster?id={cluster}")
print("cluster:", first, status, json.loads(text)["cluster"]["id"] == cluster)
print("signatures:", patiently("/mine/signatures")[0])
keep("mined.json")
print(json.loads(get("")[1])["reports"])
P
cmp fresh.json kept.json && cmp fresh.json mined.json && echo "the same bytes"
stop
echo "== nothing is asked of it: nothing is mined"
took_long
start
python3 -c 'from ask import *; time.sleep(2.5); keep("kept.json")'
stop
cmp fresh.json kept.json && echo "the same bytes"
echo "== other options, and other labels, which a query may ask for"
start --where 'host!=x'
stop
took_long
"$LODE" repo label --repo r.lode team=ui --where 'host!=y' >/dev/null
start
python3 - <<'P'
import re
from ask import *
stale = json.loads(get("")[1])["reports"][0]["stale"]
said = [json.loads(get("")[1])["reports"][0]["title"]]
while json.loads(get("")[1])["reports"][0]["title"] != "r.lode":
    time.sleep(0.1)
print(re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", said[0]))
print("stale:", stale, json.loads(get("")[1])["reports"][0]["stale"])
P
stop
echo "== another recording"
took_long
"$LODE" import --repo r.lode b.folded >/dev/null
start
python3 - <<'P'
from ask import *
while json.loads(get("/mine")[1])["streams"] != 2:
    time.sleep(0.1)
keep("two.json")
P
stop
"$LODE" mine --repo r.lode --json >said.json
python3 -c 'import json; a, b = (json.load(open(n)) for n in ("two.json", "said.json")); print(a["symptom_ns"] == b["symptom_ns"], [c["id"] for c in a["clusters"]] == [c["id"] for c in b["clusters"]])'
echo "== damaged"
took_long
for f in .cache/lode/served-*; do head -c -9 "$f" >cut && mv cut "$f"; done
start
stop
chmod a-w .cache/lode
start
stop
