# A Chrome trace of all kinds of events against a plain reader: times per name of its calls and asynchronous
# spans, its counters for lode pio, and what is left out, by kind.
cat >make.py <<'P'
import json, random
r = random.Random(5)
events, calls, counters = [{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "renderer"}}], {}, 0
def call(name, ts, us):
    n, total = calls.get(name, (0, 0))
    calls[name] = n + 1, total + us * 1000
for i in range(300):
    t = 1000 * i
    for name in "parse", "layout", "raster":      # one after the other, then one that overlaps the last
        us = r.randint(50, 250)
        events.append({"ph": "X", "name": name, "pid": 7, "tid": 1, "ts": t, "dur": us, "args": {"detail": f"page {i % 2}"}})
        call(name, t, us)
        t += us
    us = r.randint(900, 4000)                     # requests in flight, with a step and one within each
    ids = {"cat": "net", "id": hex(i), "pid": 7, "tid": 2}
    events.append({"ph": "b", "name": "request", "ts": t, **ids})
    events.append({"ph": "n", "name": "sent", "ts": t + 1, **ids})
    events.append({"ph": "b", "name": "connect", "ts": t + 2, **ids})
    events.append({"ph": "e", "name": "connect", "ts": t + 42, **ids})
    events.append({"ph": "e", "name": "request", "ts": t + us, **ids})
    call("request", t, us)
    call("connect", t, 40)
    us = r.randint(500, 3000)                     # device operations that overlap
    events.append({"ph": "X", "name": "all_to_all", "pid": 8, "tid": 5, "ts": t + 3, "dur": us})
    call("all_to_all", t, us)
    events.append({"ph": "s", "name": "flow", "id": i, "pid": 7, "tid": 1, "ts": t - 1})
    events.append({"ph": "f", "name": "flow", "id": i, "pid": 8, "tid": 5, "ts": t + 4, "bp": "e"})
    events.append({"ph": "i", "name": "vsync", "pid": 7, "tid": 1, "ts": t, "s": "t"})
    events.append({"ph": "C", "name": "queue", "pid": 7, "ts": 1000000 * i, "args": {"requests": (90 if i > 200 else 9) + i % 3, "tasks": i % 5}})
    counters += 2
end = max(e["ts"] + e.get("dur", 0) for e in events if e["ph"] in "Xbe")
events.append({"ph": "b", "name": "never answered", "ts": end - 700, "cat": "net", "id": "0xffff", "pid": 7, "tid": 2})
call("never answered", end - 700, 700)
r.shuffle(events)
json.dump({"traceEvents": events}, open("trace.json", "w"), separators=(",", ":"))
for name in sorted(calls):
    print(name, *calls[name])
P
python3 make.py >plain
"$LODE" timeline --functions --json --top 0 trace.json >profile.json
python3 - <<'P' | cmp - plain && echo "calls and times of all names are equal"
import json
for f in sorted(json.load(open("profile.json"))["functions"], key=lambda f: f["function"]):
    print(f["function"], f["spread"]["calls"], f["spread"]["total_ns"])
P
"$LODE" timeline trace.json | sed -n '/^trace.json/,/^$/p'
"$LODE" timeline --details --functions trace.json | grep -c 'page [01]'
"$LODE" pio compare --at 1970-01-01T00:03:21Z trace.json
{ head -c 200000 trace.json; printf 'x'; } >cut.json
"$LODE" pio compare --at 1970-01-01T00:03:21Z cut.json | grep 'not read'
printf '[{"ph":"X","name":"once","ts":1,"dur":2,"pid":1,"tid":1},{"ph":"C","name":"c","ts":"x","args":{"a":1}},{"ph":"C","name":"c","ts":1,"args":{"a":"many"}}' >none.json
"$LODE" pio compare --at 1970-01-01T00:03:21Z none.json
echo $?
