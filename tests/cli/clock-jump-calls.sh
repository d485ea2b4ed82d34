# A call trace in which one time is wrong, or the clock was set: the other calls are as they are without
# that, and the place is said. Every format that has calls.
python3 - <<'P'
import json, shutil, struct
DAY = 86400
CASES = {"right": None, "one": (601, 365 * DAY, 1), "back": (602, -40 * DAY, 1), "first": (0, -400 * DAY, 1),
         "last": (-1, 365 * DAY, 1), "set": (601, -365 * DAY, 0), "pause": (600, 3 * DAY, 0)}
def events(case):
    """Twice 1 ms of read in each 3 ms of work, 300 times: [ns, enters, name]."""
    t, out = 1_700_000_000_000_000_000, []
    for _ in range(300):
        for name, enters, lasts in ("work", 1, 500), ("read", 1, 1000), ("read", 0, 1500), ("work", 0, 10):
            out.append([t, enters, name])
            t += lasts * 1000
    if case:
        at, by, n = case
        at %= len(out)
        for i in range(at, at + n if n else len(out)):
            out[i][0] += int(by * 1e9)
    return out
def whole(case):
    """The same as whole calls: of one, the start is wrong."""
    out, good, opened = [], events(None), []
    for t, enters, name in good:
        if enters:
            opened.append(len(out))
            out.append([t, name, 0])
        else:
            call = out[opened.pop()]
            call[2] = t - call[0]
    if case:
        at, by, n = case
        at = at // 2 % len(out)
        for i in range(at, at + n if n else len(out)):
            out[i][0] += int(by * 1e9)
    return out
def text(path, lines):
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
def micros(ns):
    return float(ns / 1000) if ns % 1000 else ns // 1000
for name, case in CASES.items():
    e = events(case)
    json.dump([{"ph": "EB"[enters], "name": f, "ts": t // 1000, "pid": 7, "tid": 7} for t, enters, f in e], open(f"begin-end.{name}", "w"))
    json.dump([{"ph": "X", "name": f, "ts": t // 1000, "dur": n // 1000, "pid": 7, "tid": 7} for t, f, n in whole(case)], open(f"complete.{name}", "w"))
    text(f"csv.{name}", ["tid,event,function,time_ns"] + [f"7,{('exit', 'enter')[enters]},{f},{t}" for t, enters, f in e])
    text(f"text.{name}", [f"{1 - enters} {f} {t}" for t, enters, f in e])
    text(f"graph.{name}", ["# tracer: function_graph"] + [f"{t // 10**9}.{t // 1000 % 10**6:06d} |   0)    bash-7    |               |  {'  ' * (f == 'read')}{f + '() {' if enters else '}'}" for t, enters, f in e])
    with open(f"xray.{name}", "wb") as out:
        out.write(struct.pack("<HHIQ16x", 3, 0, 3, 10**9))
        for t, enters, f in e:
            out.write(struct.pack("<HBBiQII8x", 0, 0, 1 - enters, 1 + (f == "read"), t, 7, 7))
    lines = []
    for t, enters, f in e:
        t += 10**9 * 10**8 # perf's seconds are never negative
        kind = ("exit", "enter")[enters]
        if f == "read":
            lines += [f"work 7/7 [000] {t // 10**9}.{t % 10**9:09d}: raw_syscalls:sys_{kind}: NR 0 " + ("(3, 7f00, 400, 0, 0, 0)" if enters else "= 12"), ""]
    text(f"perf-script.{name}", lines)
P
for case in one sign; do
	cp -r "$LODE_TOP/tests/golden/uftrace/data" uftrace.$case
	python3 - uftrace.$case $case <<'P'
import glob, os, struct, sys
path = max(glob.glob(sys.argv[1] + "/[0-9]*.dat"), key=os.path.getsize)
data = bytearray(open(path, "rb").read())
at = len(data) // 32 * 16
t = struct.unpack_from("<Q", data, at)[0]
struct.pack_into("<Q", data, at, t + 365 * 86400 * 10**9 if sys.argv[2] == "one" else t | 1 << 63)
open(path, "wb").write(data)
P
done
cp -r "$LODE_TOP/tests/golden/uftrace/data" uftrace.right
answer() {
	"$LODE" timeline --json $1 >json 2>err
	echo "$1: exit $?"
	python3 - <<'P'
import json
d = json.load(open("json"))
for t in sorted(d["threads"], key=lambda t: -t["calls"])[:1]:
    print("  %d calls, %.1f ms, %s" % (t["calls"], (t["t1_ns"] - t["t0_ns"]) / 1e6, {k: n for k, n in t["repairs"].items() if n}), *["%s: %d" % (f["function"], f["calls"]) for f in t["top_functions"][:2]])
for l in d["losses"]:
    if l["kind"] != "waits without a waker":
        print("  %d %s: %s" % (l["count"], l["kind"], l["detail"]))
P
	sed 's/^/  /' err
}
for format in begin-end complete csv text graph xray; do
	for case in right one back first last set pause; do
		answer $format.$case
	done
done
for name in perf-script.{right,one,back,set} uftrace.{right,one,sign}; do
	answer $name
done
echo "== a length"
tr '{' '\n' <complete.right | sed '101s/"dur": [0-9]*/"dur": 31536000000000/' | sed '2,$s/^/{/' >complete.long
answer complete.long
echo "== in text, in an index, on the page"
"$LODE" timeline --index one.lodet csv.one | grep -A1 lost; echo "exit $?"
"$LODE" timeline one.lodet 2>&1 >out | cat; grep lost out
"$LODE" timeline csv.pause | grep pause
"$LODE" timeline --html page.html begin-end.one; echo "exit $?"
