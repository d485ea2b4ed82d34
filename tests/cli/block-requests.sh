# Requests of a real disk (tests/data/README.md) are paired as sectors say, also where events are missing.
recording=$LODE_TOP/tests/data/block-requests.txt.zst
cat >by_sector.py <<'P'
import json, re, subprocess, sys

line = re.compile(r"task \d+ \[\d+\] (\d+)\.(\d+): block:block_rq_(\w+): \S+ (\w+) (?:\d+ )?\(\) (\d+) \+ (\d+)")
every, kind = int(sys.argv[2]), sys.argv[3]
queue, device, kept, n = {}, {}, [], 0
queued, served = [], []
for text in subprocess.run(["zstd", "-dc", sys.argv[1]], capture_output=True, text=True).stdout.splitlines():
    sec, usec, what, flags, sector, sectors = line.match(text).groups()
    at = int(sec) * 1000000000 + int(usec) * 1000
    if what == kind and flags != "FF":
        n += 1
        if every and n % every == 0:
            continue
    kept.append(text + "\n\n")
    # A flush has no sectors, and only one is under way.
    request = flags if flags == "FF" else (flags, sector, sectors)
    if what == "insert":
        queue[request] = at
    elif what == "issue":
        device[request] = at
        if request in queue:
            queued.append(at - queue.pop(request))
    elif request in device:
        served.append(at - device.pop(request))
open("kept.txt", "w").write("".join(kept))
out = subprocess.run([sys.argv[4], "suspects", "--json", "--metric", "block:[dq]*", "kept.txt"], capture_output=True)
metrics = {m["metric"]: m for m in json.loads(out.stdout)["metrics"]}
for name, expected in ("block:device", served), ("block:queue", queued):
    m = metrics[name]
    ok = (m["n"], m["total_ns"]) == (len(expected), sum(expected))
    print(f"every {every or 'no'} {kind} missing: {name} {m['n']} requests, {m['total_ns'] / 1e6:.3f} ms,",
          "as sectors say" if ok else f"not {len(expected)}, {sum(expected) / 1e6:.3f} ms")
    print("  left out:", {k: v for k, v in m["losses"].items() if v and k != "no_stack"} or "none")
P
for missing in '0 none' '9 complete' '7 issue' '5 insert'; do
	python3 by_sector.py "$recording" $missing "$LODE"
done
