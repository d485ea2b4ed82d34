# A repository is mined in processes of their own: whatever becomes of them, the server goes on, shows the
# last report, says so, and mines again.
"$LODE" serve 2>&1 | grep -q 'built without its server' && { echo "this lode has no server"; exit 77; }
python3 -c 'import sqlite3' 2>/dev/null || { echo "python3 has no sqlite3"; exit 77; }
printf 'main;load;find_icon;stat 60\nmain;draw;blit 50\n' >a.folded
"$LODE" import --repo r.lode a.folded >/dev/null
echo 0123456789abcdef >token
chmod 600 token
"$LODE" serve --port 0 --memory 128M --token-file token --repo r.lode >url 2>log &
server=$!
for _ in $(seq 300); do [ -s url ] && break; sleep 0.1; done
cat >ask.py <<'P'
import contextlib, json, os, signal, sqlite3, subprocess, sys, time, urllib.error, urllib.request
base = open("url").read().split("?")[0].strip() + "api/reports/mine"
server = int(sys.argv[1])
def ask(path):
    try:
        with urllib.request.urlopen(base + path, timeout=60) as r:
            return r.status, json.loads(r.read())
    except urllib.error.HTTPError as e:
        return e.code, json.loads(e.read())["error"]
def until(what, true):
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, (what, open("log").read())
        time.sleep(0.005)
def streams():
    return ask("")[1]["streams"]
def holders():
    found = set()
    for task in os.listdir(f"/proc/{server}/task"):
        try:
            with open(f"/proc/{server}/task/{task}/children") as f:
                found.update(map(int, f.read().split()))
        except OSError: # the thread has ended
            pass
    return sorted(found)
def said(text):
    with open("log") as f:
        return f.read().count(text)
tops = iter(range(10, 1000))
def question(): # another one each time: answers are kept
    return ask(f"/streams?top={next(tops)}&cluster=" + ask("")[1]["clusters"][0]["id"])[0]
print("as it was:", streams(), question(), len(holders()), "process")

first = holders()
os.kill(first[0], signal.SIGKILL)
print("its process was killed:", ask("")[0], "report,", question() in (200, 503), "question")
until("mined again", lambda: said("the page can show details") == 1)
print("mined again:", streams(), question(), len(holders()), "process", holders() != first)

# Killed as soon as it is there; where it has mined by then, once more.
def was_mined(n):
    while said("mined again") == n and not said("was not mined"):
        for other in holders():
            if other not in first and not said("mined again") > n:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(other, signal.SIGKILL)
    return said("mined again") > n
added = 0
def change():
    global added
    added += 1
    with open(f"{added}.folded", "w") as f:
        f.write(f"main;load;theme_{added};stat 70\n")
    subprocess.run([os.environ["LODE"], "import", "--repo", "r.lode", f"{added}.folded"], check=True, capture_output=True)
first, n = holders(), 0
change()
while was_mined(n):
    until("shown", lambda: streams() == 1 + added)
    first, n = holders(), n + 1
    change()
print("killed while it mined:", ask("")[0], "report, process still there:", first[0] in holders() or said("mined again") > n)
until("mined at last", lambda: said("mined again") > n and streams() == 1 + added)
print("mined at last:", question())

# Memory of sanitizers is not limited.
if b"__asan_init" not in open(os.environ["LODE"], "rb").read():
    with sqlite3.connect("r.lode") as db:
        db.execute("UPDATE stream SET path = hex(zeroblob(80000000)) WHERE id = 1")
        db.commit()
    db.close()
    change()
    before = said("keeping the previous report")
    until("refused", lambda: said("keeping the previous report") > before)
    kept = added - streams(), question(), len(holders())
    assert kept == (0, 200, 1), kept
print("no memory: the report is kept")
os.kill(server, signal.SIGTERM)
P
python3 ask.py "$server" || kill "$server"
wait "$server"
echo "exit $?"
grep -o 'the process of mining was killed' log | sort -u
