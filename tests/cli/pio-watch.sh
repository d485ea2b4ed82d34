# Files that grow and are rotated while they are watched, by a watch that is ended and started again:
# it tells what analysing the same data at once finds, each period once.
cat >make.py <<'P'
import random, sys
name, seed, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
at = [{t for s in a.split(",") for t in range(int(s), int(s) + 20)} for a in sys.argv[4:]]
r, start = random.Random(seed), 1795230000
with open(f"{name}.log", "w") as log, open(f"{name}-web.csv", "w") as web, open(f"{name}-db.csv", "w") as db:
    web.write("time,cpu,connections\n")
    db.write("time,cpu,waits,transactions\n")
    for t in range(seconds):
        d, w = t in at[0], t in at[1]
        n = 15 if d or w else 20
        for k in range(n):
            took = r.lognormvariate(-4, 0.3) * (8 if d or w else 1)
            log.write(f'10.0.0.1 - u{k % 3} [21/Nov/2026:02:00:00 +0000] "GET /shop/{"cart" if k % 2 else "list"}'
                      f'?id={k} HTTP/1.1" 200 100 "-" "-" {took + 0.001:.3f} {took:.3f} {start + t + k / n + took:.3f}\n')
        web.write(f"{start + t + 1}.002,{n + r.randint(0, 9) + 60 * w},{5 + r.randint(0, 3) + 40 * (d or w)}\n")
        db.write(f"{start + t + 1}.004,{2 * n + r.randint(0, 9)},{r.randint(0, 1) + 12 * d},{n * 3 + r.randint(0, 5)}\n")
P
python3 make.py one 1 800 100,600 300,450
python3 make.py two 2 700 250,600 100,430
"$LODE" pio train --log one.log -c web=one-web.csv -c db=one-db.csv --rulesets 1 -o model >train.txt
"$LODE" pio -m model --log two.log -c web=two-web.csv -c db=two-db.csv --json >whole.json

echo "== what is there, at once"
"$LODE" pio watch -m model --log two.log -c web=two-web.csv -c db=two-db.csv --from start --once
echo "== a name that is mistyped"
"$LODE" pio watch -m model --log two.logg -c web=two-web.csv -c db=two-db.csv --from start --once >none.txt; echo "$?"
echo "== the schema of its JSON"
"$LODE" pio watch -m model --log two.log -c web=two-web.csv -c db=two-db.csv --from start --once --json >once.jsonl
python3 - "$LODE_TOP" <<'P'
import json, sys
lines = [json.loads(line) for line in open("once.jsonl")]
print(len(lines), "lines")
try:
    import jsonschema
    schema = json.load(open(sys.argv[1] + "/docs/schema/pio-watch.json"))
    for line in lines:
        jsonschema.Draft7Validator(schema).validate(line)
except ImportError:
    pass
P

echo "== live"
cat >live.py <<'P'
import json, os, signal, subprocess, sys, time
lode = os.environ["LODE"]
names = {"log": "two.log", "web": "two-web.csv", "db": "two-db.csv"}
rows = {k: open(v).read().splitlines(True) for k, v in names.items()}
# Lines by the time they are written at: header first.
def when(k, line):
    if k == "log":
        return float(line.split()[-1])
    field = line.split(",")[0]
    return float(field) if field[0].isdigit() else 0
rows = {k: sorted(v, key=lambda line, k=k: when(k, line)) for k, v in rows.items()}
done = dict.fromkeys(rows, 0)
def path(k):
    return "live." + ("log" if k == "log" else k + ".csv")
def write_until(t):
    for k, lines in rows.items():
        with open(path(k), "a") as f:
            if f.tell() == 0 and done[k] and k != "log":
                f.write(lines[0])          # a new file has its header again
            while done[k] < len(lines) and when(k, lines[done[k]]) < t:
                line = lines[done[k]]
                f.write(line[:9]); f.flush(); f.write(line[9:])
                done[k] += 1
def start():
    return subprocess.Popen([lode, "pio", "watch", "-m", "model", "--log", "live.log", "-c", "web=live.web.csv",
        "-c", "db=live.db.csv", "--from", "start", "--state", "state", "--json",
        "--exec", 'echo "$LODE_PIO_EVENT $LODE_PIO_SERVER $LODE_PIO_DURATION" >>hook.txt; cat >>hook.jsonl; exit 1'],
        stdout=open("live.jsonl", "a"))
def told():
    return [json.loads(line) for line in open("live.jsonl")]
def stop(p, sig=signal.SIGTERM):
    p.send_signal(sig)
    return p.wait(60)
def drained(p):
    """All that was written has been read: its file offsets say so."""
    fds = f"/proc/{p.pid}/fd"
    sizes = {os.path.realpath(path(k)): os.path.getsize(path(k)) for k in rows}
    end = time.time() + 60
    while time.time() < end:
        open_now = set()
        for fd in os.listdir(fds):
            try:
                open_now.add(os.readlink(f"{fds}/{fd}"))
            except OSError:
                pass
        if set(sizes) <= open_now:
            break
        time.sleep(0.05)
    time.sleep(1)
base = 1795230000
write_until(base + 10)                     # a watch waits for files, and says so
p = start()
for t in range(20, 300, 40):
    write_until(base + t)
    time.sleep(0.1)
    if t == 100:                           # renamed, and created anew; in the middle of a period
        os.rename("live.log", "live.log.1")
        os.rename("live.db.csv", "live.db.csv.1")
    if t == 180:                           # copied, and cut
        drained(p)
        for k in ("log", "web"):
            os.truncate(path(k), 0)
drained(p)
print("ended by SIGTERM:", stop(p))
write_until(base + 380)
os.rename("live.log", "live.log.2")        # while nobody looks
write_until(base + 440)                    # a period has begun
p = start()
drained(p)
write_until(base + 445)
drained(p)
print("killed:", stop(p, signal.SIGKILL))  # no chance to write its state
p = start()
for t in range(460, 720, 40):
    write_until(base + t)
    time.sleep(0.1)
drained(p)
print("ended by SIGTERM:", stop(p))
news = told()
whole = json.load(open("whole.json"))["periods"]
print("periods found at once:", len(whole))
started = [n for n in news if n["event"] == "started"]
ended = [n for n in news if n["event"] == "ended"]
print("each told once:", [n["start"] for n in started] == [w["start"] for w in whole],
      [(n["start"], n["end"]) for n in ended] == [(w["start"], w["end"]) for w in whole])
print("the same servers:", [n["servers"][0]["server"] for n in ended] == [w["servers"][0]["server"] for w in whole])
hooks = [json.loads(line) for line in open("hook.jsonl")]
print("hooks:", sorted(h["start"] for h in hooks) == sorted(n["start"] for n in news))
P
python3 live.py 2>err.txt
sort hook.txt | uniq -c | sed 's/^ *//'
sed -E 's/: [0-9]+ truncated input(; first)?: live.*/: truncated input; first: one of them/' err.txt

echo "== three days of silence: requests behind it are read before counters come so far"
python3 - <<'P'
base, cut, pause = 1795230000, 1795230000 + 330, 3 * 86400
def moved(field, t):
    return field if t < cut else f"{t + pause:.3f}"
with open("pause.log", "w") as out:
    for line in sorted(open("two.log"), key=lambda line: float(line.split()[-1])):
        head, last = line.rsplit(" ", 1)
        out.write(f"{head} {moved(last.strip(), float(last))}\n")
for k in ("web", "db"):
    with open(f"pause-{k}.csv", "w") as out:
        for line in open(f"two-{k}.csv"):
            field, rest = line.split(",", 1)
            out.write(f"{moved(field, float(field)) if field[0].isdigit() else field},{rest}")
P
"$LODE" pio watch -m model --log pause.log -c web=pause-web.csv -c db=pause-db.csv --from start --once 2>&1

echo "== states that are none, or another's"
echo hello >bad
"$LODE" pio watch -m model -c db=two-db.csv --state bad --once 2>&1
echo "exit $?"
# One whose times cannot be: before 1970, and later than all that was read. Said at once.
for wrong in -1795230064 9795230064; do
	sed "s/^requests [0-9]*/requests $wrong/" state >bad
	"$LODE" pio watch -m model -c db=two-db.csv --state bad --once 2>&1 | sed 's/offset 0x[0-9a-f]*/offset .../'
done
sed 's/"seed":1/"seed":2/' model >other
cmp -s model other || "$LODE" pio watch -m other -c db=two-db.csv --state state --once 2>&1
"$LODE" pio watch -m model 2>&1
echo "exit $?"

echo "== a day at once: nothing grows"
cat >day.py <<'P'
import random, sys
r, start = random.Random(3), 1795230000
with open("day.log", "w") as log, open("day-web.csv", "w") as web, open("day-db.csv", "w") as db:
    web.write("time,cpu,connections\n")
    db.write("time,cpu,waits,transactions\n")
    for t in range(int(sys.argv[1])):
        d, w = t // 20 % 60 == 7, t // 20 % 61 == 9
        # Pages and users that nobody has seen before come all the time.
        took = r.lognormvariate(-4, 0.3) * (8 if d or w else 1)
        log.write(f'10.0.0.1 - u{t if t % 50 == 0 else t % 3} [21/Nov/2026:02:00:00 +0000] "GET /shop/{t if t % 100 == 0 else "list"}x'
                  f' HTTP/1.1" 200 100 "-" "-" {took + 0.001:.3f} {took:.3f} {start + t + 0.5:.3f}\n')
        web.write(f"{start + t + 1}.002,{20 + r.randint(0, 9) + 60 * w},{5 + r.randint(0, 3) + 40 * (d or w)}\n")
        db.write(f"{start + t + 1}.004,{40 + r.randint(0, 9)},{r.randint(0, 1) + 12 * d},{60 + r.randint(0, 5)}\n")
P
day="--log day.log -c web=day-web.csv -c db=day-db.csv"
cat >peak.py <<'P'
import os, subprocess, sys
p = subprocess.Popen([os.environ["LODE"], "pio", "watch", "-m", "day-model", *sys.argv[1:], "--from", "start", "--once"],
                     stdout=open("day.txt", "w"))
_, status, used = os.wait4(p.pid, 0)
print(used.ru_maxrss, sum(1 for _ in open("day.txt")), os.waitstatus_to_exitcode(status))
P
python3 day.py 4000
"$LODE" pio train $day -o day-model >train.txt
python3 peak.py $day >hour.txt
python3 day.py 86400
python3 peak.py $day >day-peak.txt
python3 - "$LODE" <<'P'
import sys
(hour, few, _), (day, many, code) = ([int(x) for x in open(name).read().split()] for name in ("hour.txt", "day-peak.txt"))
# What an allocator under test keeps back says nothing.
grown = day > hour + 2048 and b"__asan_init" not in open(sys.argv[1], "rb").read()
print("grown:", (hour, day) if grown else "no", "lines:", many > 12 * few > 120, "exit", code)
P

echo "== hooks that never end: 32 of them, and the watch goes on"
: >pids
"$LODE" pio watch -m day-model $day --from start --once --exec 'echo $$ >>pids; exec sleep 600 >/dev/null 2>&1' >lines.txt 2>hooks.txt
echo "exit $?, more lines than hooks: $(($(wc -l <lines.txt) > 32))"
for _ in 1 2 3 4 5 6 7 8 9 10; do [ "$(wc -l <pids)" -ge 32 ] || sleep 0.2; done
echo "hooks: $(wc -l <pids)"
sort -u hooks.txt
kill $(cat pids)

echo "== lines fit the terminal"
python3 - <<'P'
import fcntl, os, pty, struct, subprocess, termios
ours, its = pty.openpty()
fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 84, 0, 0))
p = subprocess.Popen([os.environ["LODE"], "pio", "watch", "-m", "model", "--log", "two.log", "-c", "web=two-web.csv",
                      "-c", "db=two-db.csv", "--from", "start", "--once"], stdout=its, stderr=subprocess.DEVNULL)
os.close(its)
text = b""
while True:
    try:
        part = os.read(ours, 4096)
    except OSError:
        break
    if not part:
        break
    text += part
p.wait()
lines = text.decode().splitlines()
print(len(lines), "lines, the longest", max(map(len, lines)), "wide;", sum(line.endswith("…") for line in lines), "cut")
P

echo "== killed again and again"
cat >kill.py <<'P'
import json, os, random, subprocess, time
lode, r = os.environ["LODE"], random.Random(5)
command = [lode, "pio", "watch", "-m", "day-model", "--log", "day.log", "-c", "web=day-web.csv", "-c", "db=day-db.csv",
           "--from", "start", "--json"]
whole = [tuple(json.loads(line)[k] for k in ("event", "start", "end")) for line in
         subprocess.run([*command, "--once"], stdout=subprocess.PIPE).stdout.splitlines()]
def lines():
    return open("killed.jsonl").read().count("\n")
open("killed.jsonl", "w").close()
kills = 0
for _ in range(12):
    p = subprocess.Popen([*command, "--state", "killed"], stdout=open("killed.jsonl", "a"))
    wanted = lines() + r.randrange(1, 30)
    while lines() < wanted and lines() < len(whole) and p.poll() is None:
        time.sleep(0.002)
    p.kill()
    p.wait()
    kills += 1
subprocess.run([*command, "--state", "killed", "--once"], stdout=open("killed.jsonl", "a"))
told = [tuple(json.loads(line)[k] for k in ("event", "start", "end")) for line in open("killed.jsonl")]
print("told:", len(whole) > 200, "none lost:", set(told) == set(whole), "in order:", sorted(set(told), key=told.index) == whole,
      "repeated:", "as few as kills" if len(told) - len(whole) <= kills else len(told) - len(whole))
P
python3 kill.py

echo "== bad lines have the numbers that they have in the file, however much is read at once"
python3 - <<'P'
log = open("two.log").read().splitlines(True)
log[9000] = "nonsense\n"
open("bad.log", "w").writelines(log[:12000])
rows = open("two-web.csv").read().splitlines(True)
wide = [rows[0].replace("\n", "".join(f",c{i}" for i in range(200)) + "\n")]
wide += [row.replace("\n", ",0.125" * 200 + "\n") for row in rows[1:]]
wide[601] = "rubbish\n"
open("wide.csv", "w").writelines(wide)
P
"$LODE" pio watch -m model --log bad.log -c web=two-web.csv -c db=two-db.csv --from start --once 2>&1 >/dev/null
"$LODE" pio watch -m model --log two.log -c web=wide.csv -c db=two-db.csv --from start --once 2>&1 >/dev/null
{ sed -n 1,9000p two.log; echo nonsense; } >late.log
"$LODE" pio watch -m model --log late.log -c web=two-web.csv -c db=two-db.csv --state late --from start --once >/dev/null 2>&1
echo "more nonsense" >>late.log
"$LODE" pio watch -m model --log late.log -c web=two-web.csv -c db=two-db.csv --state late --once 2>&1 >/dev/null
