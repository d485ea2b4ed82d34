# A repository that is served: what its pages ask is what the commands say, and what they change is what
# lode sign does; only who has the token changes anything, and reading changes nothing.
"$LODE" help serve >/dev/null 2>&1 || { echo "this lode has no server"; exit 77; }
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
printf 'main;load;find_icon;stat 60\nmain;load;find_theme;stat 30\nmain;draw;blit 50\nmain;idle 2\n' >a.folded
printf 'main;load;find_icon;stat 90\nmain;draw;blit 40\nmain;x<script>\xff;y 33\n' >b.folded
printf 'main;load;find_theme;stat 10\nmain;draw;blit;\xe2\x80\xaetxt 70\n' >c.folded
"$LODE" mine --html page.html a.folded 2>said || { grep -q 'built without HTML pages' said && { echo "this lode has no pages"; exit 77; }; }
"$LODE" import --repo r.lode -l release=2.9 a.folded >/dev/null
"$LODE" import --repo r.lode -l release=2.10 b.folded >/dev/null
"$LODE" import --repo r.lode c.folded >/dev/null
[ -d "$LODE_TOP/samples/startup" ] && "$LODE" import --repo s.lode -l release=1 "$LODE_TOP/samples/startup" >/dev/null
echo 0123456789abcdef >token
chmod 600 token

cat >ask.py <<'P'
import json, os, subprocess, sys, urllib.error, urllib.parse, urllib.request
import jsonschema
LODE, TOP = os.environ["LODE"], os.environ["LODE_TOP"]
TOKEN = {"Authorization": "Bearer 0123456789abcdef"}
POSTED = {**TOKEN, "X-Lode-Change": "1", "Content-Type": "application/json"}
schemas = {}
def base():
    return open("url").read().split("?")[0].strip()
def ask(path, body=None, headers=None):
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    request = urllib.request.Request(base() + "api/" + path, data=body,
                                     headers=(POSTED if body is not None else {}) if headers is None else headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as r:
            return r.status, r.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
def mine(what, body=None, headers=None):
    return ask("reports/mine/" + what, body, headers)
def question(what, **query):
    return what + "?" + urllib.parse.urlencode(query)
def valid(schema, text):
    if schema not in schemas:
        with open(f"{TOP}/docs/schema/{schema}.json") as f:
            schemas[schema] = jsonschema.Draft7Validator(json.load(f))
    document = json.loads(text)
    schemas[schema].validate(document)
    return document
def get(what, **query):
    status, text = mine(question(what, **query))
    assert status == 200, (what, query, status, text)
    return valid("mine-" + what, text)
def lode(*words):
    return subprocess.run([LODE, *words], capture_output=True, check=True).stdout
def document(*words):
    return json.loads(lode(*words))
def error(answer):
    return answer[0], json.loads(answer[1])["error"]
P

cat >check_numbers.py <<'P'
# Every number that is served, against the commands'.
from ask import *
repo = sys.argv[1]
where = sys.argv[2:3]
picked = ["--repo", repo] + (["--where", where[0]] if where else [])
listed = valid("mine", ask("reports/mine")[1])
whole = document("mine", *picked, "--json", "--detail", "--top", "0")
streams = {s["id"]: s for s in document("repo", "list", *picked, "--json", "--top", "0")["list"]}
same = [k for k in whole if k not in ("clusters", "frames")]
assert {k: listed[k] for k in same} == {k: whole[k] for k in same}
assert len(listed["clusters"]) == len(whole["clusters"])
def stacks(flame, frames):
    paths = []
    for parent, frame in zip(flame["parent"], flame["frame"]):
        paths.append((paths[parent] if parent >= 0 else ()) + (frames[frame],))
    return sorted(zip(paths, flame["own_ns"]))
LISTS = ("patterns", "worst", "signature", "patterns_more", "worst_more")
for light, full in zip(listed["clusters"], whole["clusters"]):
    assert {k: v for k, v in light.items() if k not in LISTS} == \
        {k: full[k] for k in light if k not in LISTS}
    assert not light["patterns"] and not light["worst"] and not light["signature"]["patterns"]
    one = get("cluster", id=full["id"])
    cut = {k: v[:50] if k in ("patterns", "worst", "wakers") else v for k, v in full.items() if k != "flame"}
    assert {k: v for k, v in one["cluster"].items() if k != "flame" and not k.endswith("_more")} == cut
    assert one["symptom_ns"] == whole["symptom_ns"] and one["cluster"]["flame"]["left_out"] == 0
    assert stacks(one["cluster"]["flame"], one["frames"]) == stacks(full["flame"], whole["frames"])
    there = get("streams", cluster=full["id"])
    assert {(s["stream"], s["cost_ns"]) for s in there["streams"]} == set(zip(*full["by_stream"].values()))
    assert len(there["streams"]) + there["shared"] == full["streams"]
    of_symptoms = []
    for s in there["streams"]:
        known = streams[s["id"]]
        assert (s["path"], s["labels"]) == (known["path"], known["labels"]) and whole["inputs"][s["stream"]]["id"] == s["id"]
        found = get("symptoms", cluster=full["id"], stream=s["id"])["symptoms"]
        assert found[:3] == s["worst"] and len(found) == s["symptoms"]
        assert sum(x["cost_ns"] for x in found) == s["cost_ns"]
        of_symptoms += [(s["id"], x["pid"], x["tid"], x["t0_ns"], x["t1_ns"], x["cost_ns"], x["event_t0_ns"],
                         x["event_ns"]) for x in found]
    assert sorted(of_symptoms) == sorted((w["stream_id"], w["pid"], w["tid"], w["symptom_t0_ns"], w["symptom_t1_ns"],
                                          w["cost_ns"], w["t0_ns"], w["event_ns"]) for w in full["worst"])
    by = get("trend", cluster=full["id"], by="release")
    for group in by["groups"]:
        of = [s for s in there["streams"] if s["labels"].get("release", "(none)") == group["value"]]
        assert group["matched_ns"] == sum(s["cost_ns"] for s in of) and group["streams_with"] == len(of)
    assert sum(g["streams"] for g in by["groups"]) == whole["streams"]
    assert sum(g["symptom_ns"] for g in by["groups"]) == whole["symptom_ns"]
print("clusters, streams, symptoms, trends:", len(whole["clusters"]), whole["streams"], whole["symptoms"])
print("keys:", by["keys"], [g["value"] for g in by["groups"]])

# Cells add up to every figure of clusters; flame graphs that are filtered, to the cells that pass.
cells = whole["cells"]
rows = [dict(zip(("cluster", "stream", "thread", "kind", "reason", "cost_ns"), row)) for row in zip(
    cells["cluster"], cells["stream"], [cells["threads"][t] for t in cells["thread"]],
    [cells["kinds"][k] for k in cells["kind"]], [cells["reasons"][r] for r in cells["reason"]], cells["cost_ns"])]
def cost(**chosen):
    return sum(r["cost_ns"] for r in rows if all(r[k] == v for k, v in chosen.items()))
assert cost(cluster=-1) == whole["other_ns"]
assert all(cost(kind=k) == whole["aoi"][k + "_ns"] for k in cells["kinds"])
assert sum(cells["symptoms"]["symptom_ns"]) == whole["symptom_ns"]
assert sum(cells["symptoms"]["symptoms"]) == whole["symptoms"]
n_flames = 0
def flame(of, **query):
    global n_flames
    n_flames += 1
    answer = get("flame", cluster=of["id"], **query)
    return sum(answer["flame"]["own_ns"]), sum(answer["flame"]["wait_ns"]), sum(answer["flame"]["ready_ns"])
for full in whole["clusters"]:
    at = full["rank"] - 1
    if not full["own_ns"]:
        continue
    assert cost(cluster=at) == full["own_ns"] == flame(full)[0]
    assert flame(full)[1:] == (full["split"]["wait_ns"], full["split"]["ready_ns"])
    for kind in cells["kinds"]:
        assert cost(cluster=at, kind=kind) == full["split"][kind + "_ns"] == flame(full, kind=kind)[0]
    for reason in cells["reasons"][1:]:
        assert cost(cluster=at, reason=reason) == full["reasons"].get(reason + "_ns", 0)
    for stream, ns in zip(*full["by_stream"].values()):
        here = whole["inputs"][stream]
        assert cost(cluster=at, stream=stream) == ns == flame(full, stream=here["id"])[0]
        for r in [r for r in rows if (r["cluster"], r["stream"]) == (at, stream)][:3]:
            chosen = {k: r[k] for k in ("thread", "kind", "reason")}
            assert flame(full, stream=here["id"], host=here["host"], **chosen)[0] == \
                cost(cluster=at, stream=stream, **chosen)
    for value in {i.get("labels", {}).get("release", "(none)") for i in whole["inputs"]}:
        of = [n for n, i in enumerate(whole["inputs"]) if i.get("labels", {}).get("release", "(none)") == value]
        assert flame(full, label=f"release={value}")[0] == sum(cost(cluster=at, stream=n) for n in of)
print("cells, filtered flames:", len(rows), n_flames)
one = whole["clusters"][0]["id"]
print("filters:", [mine(question("flame", cluster=one, **q))[0] for q in (
    {"kind": "x"}, {"reason": "x"}, {"thread": "no such"}, {"stream": "9" * 16}, {"host": "none"})])

# Two values of a label, beside lode diff.
values = [g["value"] for g in by["groups"]]
if len(values) > 1:
    for a, b in zip(values, values[1:]):
        sides = [("release!~*" if v == "(none)" else f"release={v}") for v in (a, b)]
        sides = [f"({where[0]}) and {s}" for s in sides] if where else sides
        status, text = mine(question("compare", by="release", a=a, b=b))
        assert status == 200, text
        assert valid("diff", text) == document("diff", "--repo", repo, *sides, "--json", "--detail", "--top", "0")
    print("compared:", len(values) - 1)
print("comparisons:", [error(mine(question("compare", **q))) for q in (
    {"by": "release", "a": "1"}, {"by": "no such", "a": "1", "b": "2"}, {"by": "release", "a": "7\"", "b": "\\8"})])

# Signatures, beside lode sign and lode coverage.
def check_signatures():
    now = get("signatures")
    kept = document("sign", "--repo", repo, "--list", "--json")["signatures"]
    assert [{k: s[k] for k in kept[0]} for s in now["signatures"]] == kept if kept else not now["signatures"]
    cover = document("coverage", *picked, "--json", "--top", "0", "--by", "release")
    for k in ("symptom_ns", "covered_ns", "returned_ns", "coverage"):
        assert now[k] == cover[k], k
    costs = {s["name"]: s for s in cover["signatures"]}
    for s in now["signatures"]:
        for k in ("total_ns", "exclusive_ns", "share", "streams", "symptoms"):
            assert s[k] == costs[s["name"]][k], (s["name"], k)
        groups = {g["name"]: g for g in costs[s["name"]]["groups"]}
        all_groups = {g["name"]: g for g in cover["groups"]}
        for g in get("trend", signature=s["name"], by="release")["groups"]:
            of = groups.get(g["value"], {"total_ns": 0, "streams": 0})
            assert (g["matched_ns"], g["streams_with"]) == (of["total_ns"], of["streams"])
            assert (g["symptom_ns"], g["streams"]) == tuple(all_groups[g["value"]][k] for k in ("symptom_ns", "streams"))
    return now
check_signatures()
subprocess.run(["cp", repo, "copy.lode"], check=True)
document("mine", "--repo", "copy.lode", *picked[2:], "--json")
for c in whole["clusters"]:
    name = f"cluster-{c['rank']}"
    status, text = mine("sign", {"name": name, "cluster": c["id"], "note": "<b>"})
    assert status == 200, text
    posted = {s["name"]: s for s in valid("mine-signatures", text)["signatures"]}[name]
    lode("sign", "--repo", "copy.lode", "--cluster", str(c["rank"]), "--name", name, "--note", "<b>")
    typed = document("sign", "--repo", "copy.lode", "--show", name, "--json")["signatures"][0]
    assert [posted[k] for k in ("patterns", "kind", "reason", "note")] == [typed[k] for k in ("patterns", "kind", "reason", "note")]
    assert posted["total_ns"] == c["signature"]["total_ns"]
now = check_signatures()
of = {c["id"]: {s["name"]: s["share"] for s in c["signatures"]} for c in now["clusters"]}
assert all(of[c["id"]][f"cluster-{c['rank']}"] == 1 for c in whole["clusters"] if c["own_ns"])
mine("retire", {"name": "cluster-1"})
check_signatures()
print("signatures:", len(now["signatures"]), "of", len(of), "clusters")
P

serve() { # REPO WORD...
	rm -f url # else the last server's is taken for its, whose port may be another's by now
	"$LODE" serve --port 0 --token-file token "$@" >url 2>log &
	server=$!
	for _ in $(seq 300); do [ -s url ] && break; sleep 0.1; done
	# On a busy machine the address may come before the report, which then says how far it is.
	python3 - <<'P'
from ask import *
import time
while (answer := ask("reports/mine", headers=TOKEN))[0] == 503:
    assert error(answer)[1].startswith("mining "), answer
    time.sleep(0.1)
P
}
end() {
	kill -INT "$server"
	wait "$server"
	echo "exit $?"
}

echo "-- numbers"
cp r.lode asked.lode
serve --repo asked.lode --min-cost 5
python3 - <<'P'
from ask import *
before = open("asked.lode", "rb").read()
session = ask("session")[1], ask("session", headers=TOKEN)[1]
print([(json.loads(s)["may_change"], json.loads(s)["repo"]) for s in session], "token=" in open("url").read())
listed = json.loads(ask("reports/mine")[1])
print(listed["served"]["repo"], len(listed["clusters"]), listed["lambda_ns"])
for c in listed["clusters"]:
    get("cluster", id=c["id"]), get("streams", cluster=c["id"]), get("trend", cluster=c["id"])
get("signatures")
print("reading changed nothing:", open("asked.lode", "rb").read() == before)
P
end
"$LODE" sign --repo asked.lode --cluster 1 --name x
serve --repo asked.lode
python3 check_numbers.py asked.lode
end
if [ -f s.lode ]; then
	serve --repo s.lode --where 'path~*/startup-*' --threads 2
	python3 check_numbers.py s.lode 'path~*/startup-*'
	python3 - <<'P'
from ask import *
whole = document("mine", "--repo", "s.lode", "--json", "--detail", "--paths", "3", "--top", "0")
for path in whole["paths"]:
    found = get("symptoms", cluster=path["clusters"][0], stream=path["stream_id"])["symptoms"]
    number = [x["symptom"] for x in found if (x["tid"], x["t0_ns"]) == (path["tid"], path["t0_ns"])]
    one = get("path", stream=path["stream_id"], symptom=number[0])
    assert one["path"] == path and one["reasons"] == whole["reasons"]
print("paths:", len(whole["paths"]))
P
	end
fi

echo "-- changes"
cp r.lode c.lode
serve --repo c.lode
python3 - <<'P'
from ask import *
import threading
def names():
    return [s["name"] for s in document("sign", "--repo", "c.lode", "--list", "--json")["signatures"]]
first = json.loads(ask("reports/mine")[1])["clusters"][0]["id"]
before = open("c.lode", "rb").read()
good = {"name": "icons", "patterns": ["find_*;stat"]}
print("without token, header, type, POST:", [mine("sign", good, h)[0] for h in (
    {k: v for k, v in POSTED.items() if k != "Authorization"}, {**POSTED, "Authorization": "Bearer 0123456789abcdeX"},
    {k: v for k, v in POSTED.items() if k != "X-Lode-Change"}, {**POSTED, "Content-Type": "text/plain"},
    {**POSTED, "Origin": "http://evil.example"}, {**POSTED, "Host": "evil.example"})],
    mine("sign?token=0123456789abcdef")[0], mine("sign", headers=TOKEN)[0])
for body in (b"", b"[]", b"{", b'{"name": "a\\u0000b"}', b"\x00", b'{"name": 7}', b'{"patterns": ["a"]}', b'{"name": "x"}',
             b'{"name": "x", "patterns": "a"}', b'{"name": "x", "patterns": [1]}', b'{"name": "x", "pattern": ["a"]}',
             b'{"name": "x", "name": "y", "patterns": ["a"]}', b'{"name": "a b", "patterns": ["a"]}',
             b'{"name": "x", "patterns": ["*"]}', b'{"name": "x", "patterns": ["a;;b"]}',
             b'{"name": "x", "patterns": ["a"], "bug": "a\\nb"}', b'{"name": "x", "patterns": ["a"], "bug": "javascript:alert(1)"}',
             b'{"name": "x", "patterns": ["a"], "kind": "sleep"}',
             b'{"name": "x", "patterns": ["a"], "rename": "y"}', b'{"name": "x", "cluster": "ffff"}',
             b'{"name": "x", "cluster": "first"}', b"[" * 1000, b'{"name": "' + b"x" * 300 + b'", "patterns": ["a"]}',
             b'{"name": "\xff", "patterns": ["a"]}'):
    print(*error(mine("sign", body)))
print("too large:", mine("sign", b'{"name": "' + b"x" * (1 << 20) + b'"}')[0])
for what, body in (("edit", {"name": "none"}), ("retire", {"name": "none"}), ("delete", {"name": "none"}),
                   ("retire", {"name": "none", "bug": "7"}), ("nothing", {"name": "x"})):
    print(what, *error(mine(what, body)))
print("nothing was changed:", open("c.lode", "rb").read() == before)
print("signed:", mine("sign", good)[0], error(mine("sign", good)))
hostile = "<script>alert(1)</script>\u202e\x7f\u00e9"
print("hostile:", error(mine("sign", {"name": hostile, "patterns": ["a"]})))
hostile = hostile.replace("\x7f", "") + "C" * 150
status, text = mine("sign", {"name": hostile, "cluster": first, "patterns": ["-> <img>;a\\;b"], "note": "l1\nl2", "kind": "run"})
s = {x["name"]: x for x in json.loads(text)["signatures"]}[hostile]
print(status, s["patterns"][-1], repr(s["note"]), s["kind"], hostile in names())
print("trend of it:", get("trend", signature=hostile)["signature"] == hostile)
print("edited:", mine("edit", {"name": "icons", "rename": "icon-lookup", "bug": "https://bugs.example.org/1", "owner": "files",
                               "add": ["draw; *; blit"], "drop": ["find_*;*;stat"], "cluster": first})[0],
      error(mine("edit", {"name": "icon-lookup", "drop": ["find_*;stat"]})),
      error(mine("edit", {"name": "icon-lookup", "rename": hostile}))[0],
      mine("edit", {"name": "icon-lookup", "rename": "icon-lookup", "owner": ""})[0],
      error(mine("edit", {"name": "icons", "note": "x"})))
print(json.dumps({k: v for k, v in document("sign", "--repo", "c.lode", "--show", "icon-lookup", "--json")["signatures"][0].items()
                  if k not in ("created", "updated")}))
print("states:", [(what, [x["state"] for x in json.loads(mine(what, {"name": "icon-lookup"})[1])["signatures"]
                          if x["name"] == "icon-lookup"]) for what in ("retire", "activate", "delete")])
print("others:", mine(question("cluster", id="0000"))[0], mine("cluster")[0], mine(question("streams", cluster=first, top=0))[0],
      mine(question("symptoms", cluster=first, stream="9" * 16))[0], mine(question("path", stream=0, symptom=-1))[0],
      mine(question("path", stream=0, symptom=7))[0], error(mine(question("path", stream=0, symptom=0))),
      mine(question("trend", cluster=first, by="none"))[0], mine(question("trend", signature="none"))[0],
      mine(question("trend", signature="x", cluster=first))[0], mine(question("cluster", id="\n" + first))[0])

# Many at once, of the server and of the command: nobody's change is lost.
started = names()
def changed(what, change):
    status, text = mine(what, change)
    assert status == 200, (what, change, status, text)
def post(k):
    for i in range(6):
        changed("sign", {"name": f"posted-{k}-{i}", "patterns": [f"p{i}"]})
        changed("edit", {"name": f"posted-{k}-{i}", "rename": f"kept-{k}-{i}", "add": [f"q{k}"]})
        changed("delete" if i % 2 else "retire", {"name": f"kept-{k}-{i}"})
def typed(k):
    for i in range(6):
        lode("sign", "--repo", "c.lode", "--name", f"typed-{k}-{i}", "a;b")
    lode("sign", "--repo", "c.lode", "--delete", f"typed-{k}-0")
threads = [threading.Thread(target=t, args=(k,)) for t in (post, typed) for k in range(3)]
[t.start() for t in threads], [t.join() for t in threads]
want = started + [f"kept-{k}-{i}" for k in range(3) for i in (0, 2, 4)] + [f"typed-{k}-{i}" for k in range(3) for i in range(1, 6)]
print("at once:", sorted(want, key=str.encode) == names() == [s["name"] for s in get("signatures")["signatures"]], len(want))
os.rename("c.lode", "elsewhere.lode")
print("gone:", mine("signatures")[0], mine("sign", good)[0], os.path.exists("c.lode"), mine(question("cluster", id=first))[0])
os.rename("elsewhere.lode", "c.lode")
print("back:", mine("signatures")[0])
P
end
cat log

echo "-- what others change is shown"
cp r.lode i.lode
serve --repo i.lode --where 'release!=old'
python3 - <<'P'
from ask import *
import time
def shown():
    status, text = ask("reports/mine")
    assert status == 200, text
    return json.loads(text)
def wait_for(n):
    until = time.monotonic() + 120
    while shown()["streams"] != n:
        assert time.monotonic() < until, (n, shown()["streams"])
        time.sleep(0.1)
print("at the start:", shown()["streams"])
gone = shown()["clusters"][0]["id"]
with open("d.folded", "w") as f:
    f.write("main;fetch;wait_reply;poll 500\n")
lode("import", "--repo", "i.lode", "d.folded")
wait_for(4)
print("another's costliest:", shown()["clusters"][0]["common"][-1])
lode("repo", "label", "--repo", "i.lode", "release=old", "--where", "path~*d.folded")
wait_for(3)
print("signed:", mine("sign", {"name": "x", "cluster": shown()["clusters"][0]["id"]})[0])
lode("repo", "forget", "--repo", "i.lode", "--where", "path~*a.folded or path~*c.folded", "--yes")
wait_for(1)
left = {c["id"] for c in shown()["clusters"]}
print("left:", gone in left, error(mine(question("cluster", id="0123456789abcdef"))))
lode("repo", "forget", "--repo", "i.lode", "--where", "path~*b.folded", "--yes")
until = time.monotonic() + 120
while "keeping" not in open("log").read():
    assert time.monotonic() < until
    time.sleep(0.1)
print("nothing to show:", shown()["streams"], [s["name"] for s in get("signatures")["signatures"]])
lode("import", "--repo", "i.lode", "-l", "release=2.9", "a.folded", "c.folded", "b.folded")
wait_for(3)
P
python3 check_numbers.py i.lode 'release!=old'
end
# Whether an import of several is seen in one piece is up to the clock.
sed 's/: [0-9]* recordings* mined/: N recordings mined/' log | uniq

echo "-- recordings that are given answer the same, and cannot be signed"
serve a.folded b.folded --min-cost=5 -j1 --exclude y
python3 - <<'P'
from ask import *
ours = [json.loads(ask("reports/" + r["name"])[1]) for r in json.loads(ask("reports")[1])["reports"] if r["schema"] == "lode/mine/1"]
print(json.loads(ask("session", headers=TOKEN)[1])["repo"], ours[0]["served"], ours[0]["lambda_ns"])
print([r["command"] for r in json.loads(ask("reports/overview")[1])["runs"]])
c = ours[0]["clusters"][0]["id"]
print([(s["stream"], s["cost_ns"], s["time"]) for s in get("streams", cluster=c)["streams"]])
print(mine("signatures")[0], mine("sign", {"name": "x", "cluster": c})[0], mine(question("trend", signature="x"))[0])
P
end
if [ -f s.lode ]; then
	echo "-- recordings that are gone"
	mkdir in
	cp "$LODE_TOP"/samples/startup/startup-{08,12}.perf.data.zst "$LODE_TOP"/samples/startup/*.tsv in/
	(cd in && "$LODE" import --repo ../in.lode . >/dev/null)
	"$LODE" digest --output digests in/startup-08.perf.data.zst >/dev/null
	"$LODE" import --repo digests.lode digests >/dev/null
	for repo in in digests; do
		serve --repo "$repo.lode" # from another folder than the one that they were imported from
		python3 - <<'P'
from ask import *
print(mine(question("path", stream=0, symptom=0))[0])
P
		end
	done
	serve in
	python3 - <<'P'
from ask import *
c = json.loads(ask("reports/mine")[1])["clusters"][0]["id"]
ids = [s["id"] for s in get("streams", cluster=c)["streams"]]
print(len(ids), mine(question("path", stream=0, symptom=0))[0])
os.rename("in/startup-12.perf.data.zst", "in/startup-08.perf.data.zst")
for stream in ids:
    print(*error(mine(question("path", stream=stream, symptom=0))))
print(mine(question("cluster", id=c))[0], mine(question("path", stream=0, symptom=0))[0])
P
	end
fi
echo "-- mistakes"
serve --repo r.lode
port=$(sed 's,.*:\([0-9]*\)/.*,\1,' url)
"$LODE" serve --port "$port" --repo r.lode 2>&1 | sed 's/[0-9]\{4,\}/N/'
echo "exit ${PIPESTATUS[0]}"
end
for words in "--repo none.lode" "--repo a.folded" "--repo r.lode a.folded" "a.folded --where release=2.9" "--repo r.lode --where release=" \
	"--repo r.lode --where release=7" "--repo r.lode --scope graph" "--repo r.lode --prevalence 1%" "--repo r.lode --max-patterns 1 --min-cost 1"; do
	# shellcheck disable=SC2086
	"$LODE" serve --port 0 $words 2>&1 | grep -v '^Try\|^http:\|^lode serve: mining in progress'
	echo "exit ${PIPESTATUS[0]}"
done
LODE_REPO=none.lode "$LODE" serve 2>&1
"$LODE" serve --help | grep -c -- '--repo'
