# The same reports from a server: documents, questions, and who may ask. The HTTP itself is tested in
# tests/unit/serve.
"$LODE" serve 2>&1 | grep -q 'built without its server' && { echo "this lode has no server"; exit 77; }
printf 'main;a;b 60\nmain;c;d 30\n' >a.folded
printf 'tid,enter/exit,function,ns\n1,enter,main,0\n1,enter,f,10\n1,exit,f,90\n1,exit,main,100\n' >calls.csv
if ! "$LODE" mine --html page.html a.folded 2>said; then
	grep -q 'built without HTML pages' said && { echo "this lode has no pages"; exit 77; }
fi
echo 0123456789abcdef >token
chmod 644 token
"$LODE" serve --port 0 --token-file token a.folded calls.csv page.html >url 2>log &
server=$!
for _ in $(seq 300); do [ -s url ] && break; sleep 0.1; done
cat >ask.py <<'P'
import json, sys, urllib.error, urllib.request
base = open("url").read().strip()
def ask(path, **headers):
    request = urllib.request.Request(base + path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=60) as r:
            return r.status, r.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode()
def document(path):
    return json.loads(ask(path)[1])
print(base[:17], [(r["name"], r["schema"]) for r in document("api/reports")["reports"]])
page = ask("")[1]
print("page:", "<!doctype html>" in page.lower(), "lode-report\" data-name" in page, "connect-src 'self'" in page)
print("mine:", document("api/reports/mine")["symptom_ns"], document("api/reports/mine-2")["symptom_ns"])
window = document("api/reports/timeline/window?t0=20&t1=60")
print("window:", window["schema"], window["windows"][0]["timelines"][0]["start"])
print("meanwhile:", document("api/reports/timeline/meanwhile?t0=0&t1=50")["idle"])
for path in ("api/reports/timeline/window?t0=5&t1=5", "api/reports/timeline/window?t0=x&t1=9", "api/reports/none",
             "api/reports/timeline/window?t0=0&t1=99999999999"):
    print(*ask(path)[:1], json.loads(ask(path)[1])["error"][:40])
print("other sites:", ask("api/reports", Origin="http://evil.example")[0], ask("api/reports", Host="evil.example")[0])
print("session:", document("api/session")["may_change"],
      json.loads(ask("api/session", Authorization="Bearer 0123456789abcdef")[1])["may_change"])
P
python3 ask.py
grep -c 'the token file is readable by all users of this machine: chmod o-r token' log
kill -INT "$server"
wait "$server"
echo "exit $?"
grep -c 'serving [0-9]* reports' log
cat >early.py <<'P'
"""SIGINT while lode serve reads its input, though the shell has it ignored."""
import errno, os, signal, subprocess, sys, time
os.path.exists("held") or os.mkfifo("held")
signal.signal(signal.SIGINT, signal.SIG_IGN)
with subprocess.Popen([sys.argv[1], "serve", "--port", "0", "--token-file", "held", "a.folded"],
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
    while True:
        try:
            held = os.open("held", os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError as e:
            if e.errno != errno.ENXIO or server.poll() is not None:
                raise
            time.sleep(0.01)
    server.send_signal(signal.SIGINT)
    time.sleep(0.2)
    try:
        os.write(held, b"0123456789abcdef\n")
    except BrokenPipeError:
        pass
    os.close(held)
    try:
        print("SIGINT while it starts:", server.wait(20))
    except subprocess.TimeoutExpired:
        print("SIGINT while it starts: runs on")
        server.kill()
P
python3 early.py "$LODE"
echo "== misuse"
"$LODE" serve a.folded --address 0.0.0.0 --port 0 2>&1 | tail -1 | cut -c1-70
"$LODE" serve
echo "exit $?"
