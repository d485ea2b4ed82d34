# What a repository contains cannot end its server: a question about signatures that takes all
# memory, does not come to an end or is killed is answered with an error, and the next one is answered.
"$LODE" serve 2>&1 | grep -q 'built without its server' && { echo "this lode has no server"; exit 77; }
python3 -c 'import sqlite3' 2>/dev/null || { echo "python3 has no sqlite3"; exit 77; }
printf 'main;load;find_icon;stat 60\nmain;draw;blit 50\n' >a.folded
"$LODE" import --repo r.lode -l release=1 a.folded >/dev/null
"$LODE" sign --repo r.lode --name icons 'find_*;stat' >/dev/null
echo 0123456789abcdef >token
chmod 600 token
"$LODE" serve --port 0 --memory 128M --token-file token --repo r.lode >url 2>log &
server=$!
for _ in $(seq 300); do [ -s url ] && break; sleep 0.1; done
cat >ask.py <<'P'
import json, os, signal, sqlite3, sys, threading, time, urllib.error, urllib.request
base = open("url").read().split("?")[0].strip() + "api/reports/mine"
server = int(sys.argv[1])
def ask(path, body=None):
    headers = {"Authorization": "Bearer 0123456789abcdef", "X-Lode-Change": "1", "Content-Type": "application/json"}
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(base + path, data=body, headers=headers), timeout=60) as r:
                return r.status, json.loads(r.read())
        except urllib.error.HTTPError as e:
            error = json.loads(e.read()).get("error")
            if e.code != 503:
                return e.code, error
            time.sleep(0.1)
def children_of(process):
    found = set()
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/children") as f:
            found.update(map(int, f.read().split()))
    return sorted(found)
# Of the process that mined: those that answer.
def children():
    try:
        return [p for holder in children_of(server) for p in children_of(holder)]
    except OSError: # it has just ended
        return []
def change(sql):
    with sqlite3.connect("r.lode") as db:
        db.executescript(sql)
    db.close()
def show(what):
    print(what)
    for path, body in (("/signatures", None), ("/trend?signature=icons&by=release", None), ("/sign", b'{"name": "new", "patterns": ["x;y"]}')):
        status, answer = ask(path, body)
        if isinstance(answer, str) and ("more memory than the 128 MiB" in answer or "was cut: ====" in answer):
            answer = "no memory" # sanitizers say so in their own way
        print("  ", path, answer if isinstance(answer, str) else answer["schema"])
    print("   report:", ask("")[0])
show("as it was")
change("UPDATE signature SET note = hex(zeroblob(80000000))")
show("a note of 160 MB")
change("DROP TABLE signature; CREATE VIEW signature AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
       "SELECT id, '' AS name, '' AS bug, '' AS owner, '' AS kind, '' AS reason, '' AS pattern, '' AS state, "
       "'' AS note, 0 AS created_ns, 0 AS changed_ns FROM n WHERE id < 0")
print("signatures without end, killed")
answers = []
asker = threading.Thread(target=lambda: answers.append(ask("/signatures")))
asker.start()
while not (of := children()):
    time.sleep(0.01)
os.kill(of[0], signal.SIGKILL)
asker.join()
print("  ", answers[0][0])
print("stopped while one is asked")
def ask_in_vain():
    try:
        answers.append(ask("/signatures"))
    except OSError:
        answers.append("closed")
asker = threading.Thread(target=ask_in_vain)
asker.start()
while not (of := children()):
    time.sleep(0.01)
start = time.monotonic()
os.kill(server, signal.SIGTERM)
while any(os.path.exists(f"/proc/{p}") for p in of):
    assert time.monotonic() < start + 30
    time.sleep(0.01)
print("   nothing runs on")
os._exit(0)
P
python3 ask.py "$server" || kill "$server"
wait "$server"
echo "exit $?"
