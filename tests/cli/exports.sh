# Files for other tools have the numbers of --json; they are there whole or not at all.
cat >read.py <<'P'
"""Reads exports with nothing of lode's: pprof by the wire format's rules, the rest as JSON."""
import collections, gzip, json, re, sys

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at

def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        assert key & 7 in (0, 2), key
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value

def numbers(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out

def message(data, names):
    """Fields by name; the last one counts."""
    return {names[k]: v for k, v in fields(data) if k in names}

class Pprof:
    def __init__(self, path):
        parts = collections.defaultdict(list)
        for number, value in fields(gzip.open(path).read()):
            parts[number].append(value)
        self.text = [s.decode() for s in parts[6]]
        assert self.text[0] == ""
        types = [message(t, {1: "type", 2: "unit"}) for t in parts[1]]
        self.types = [(self.text[t["type"]], self.text[t["unit"]]) for t in types]
        self.default = self.text[parts[14][0]]
        self.duration = parts[10][0] if parts[10] else 0
        names = [message(f, {1: "id", 2: "name"}) for f in parts[5]]
        self.functions = {f["id"]: self.text[f["name"]] for f in names}
        self.mappings = [self.text[message(m, {5: "file"})["file"]] for m in parts[3]]
        self.locations = {}
        for location in parts[4]:
            lines = [message(v, {1: "function"})["function"] for k, v in fields(location) if k == 4]
            self.locations[message(location, {1: "id"})["id"]] = [self.functions[f] for f in lines]
        self.samples = [self.sample(s) for s in parts[2]]

    def sample(self, data):
        stack, values, labels = [], [], {}
        for number, value in fields(data):
            if number == 1:
                stack = [f for i in numbers(value) for f in self.locations[i]]
            elif number == 2:
                values = [v - (v >> 63 << 64) for v in numbers(value)]
            else:
                label = message(value, {1: "key", 2: "text", 3: "number"})
                labels[self.text[label["key"]]] = self.text[label["text"]] if "text" in label \
                    else label["number"]
        return tuple(reversed(stack)), values, labels

    def program(self):
        """Without what the recording itself took."""
        self.samples = [s for s in self.samples if "[recording]" not in "".join(map(str, s[0]))]
        return self

    def by(self, label, value=1):
        sums = collections.Counter()
        for stack, values, labels in self.samples:
            sums[labels.get(label)] += values[value]
        return sums

    def stacks(self, value=1):
        sums = collections.Counter()
        for stack, values, labels in self.samples:
            sums[stack] += values[value]
        return +sums

class Speedscope:
    def __init__(self, path):
        self.document = document = json.load(open(path))
        frames = [f["name"] for f in document["shared"]["frames"]]
        assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
        assert 0 <= document["activeProfileIndex"] < len(document["profiles"])
        self.profiles = []
        for p in document["profiles"]:
            assert p["type"] == "sampled" and p["unit"] in ("nanoseconds", "none")
            assert len(p["samples"]) == len(p["weights"]) and p["startValue"] == 0
            assert p["endValue"] == sum(p["weights"])
            sums = collections.Counter()
            for stack, weight in zip(p["samples"], p["weights"]):
                sums[tuple(frames[i] for i in stack)] += weight
            self.profiles.append((p["name"], +sums))

def folded(path):
    sums = collections.Counter()
    for line in open(path):
        stack, cost = line.rstrip("\n").rsplit(" ", 1)
        sums[tuple(stack.split(";"))] += int(cost)
    return sums

def folded_two(path):
    """As flamegraph.pl parts the lines: by their last two numbers."""
    lines = [re.fullmatch(r"(.*)\s+?(\d+)\s+?(\d+)", line).groups() for line in open(path).read().splitlines()]
    return {tuple(stack.split(";")): (int(a), int(b)) for stack, a, b in lines}

def ns(text):
    """Microseconds with three decimals, as they stand in the file."""
    assert re.fullmatch(r"-?\d+\.\d\d\d", text), text
    return int(text.replace(".", ""))

class Trace:
    def __init__(self, path):
        self.document = json.load(open(path), parse_float=ns)
        self.events = self.document["traceEvents"]
        self.names = {}
        self.tracks = collections.defaultdict(list)
        for e in self.events:
            if e["ph"] == "X":
                self.tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"], e))
            elif e["ph"] == "M" and e["name"].endswith("_name"):
                self.names[e["name"], e["pid"], e["tid"]] = e["args"]["name"]
        for track in self.tracks.values():
            self.check_nested(track)

    @staticmethod
    def check_nested(track):
        open_until = []
        for start, end, _ in sorted(track, key=lambda s: (s[0], -s[1])):
            while open_until and open_until[-1] <= start:
                open_until.pop()
            assert not open_until or end <= open_until[-1], (start, end)
            open_until.append(end)

def kinds(sums):
    return {k: v for k, v in sums.items() if v}

globals().update({n: json.load(open(n + ".json")) for n in sys.argv[2:]})
print(*eval("(" + sys.argv[1] + "\n,)"))
P
check() { python3 read.py "$@"; }

printf 'main;a\xff;"b" 60\nmain;<script>;d\033[2J 30\nmain;e 9\nlone 1\n' >a.folded
"$LODE" mine --min-cost 5 --json a.folded >m.json
"$LODE" mine --min-cost 5 --speedscope s --pprof p a.folded
"$LODE" mine --min-cost 5 --folded a.folded >f
check 'Pprof("p").types, Pprof("p").default, Pprof("p").duration'
check 'Pprof("p").by("cluster") == {**{c["id"]: c["own_ns"] for c in m["clusters"]}, "none": m["other_ns"]},
	[(n, sum(v.values())) for n, v in Speedscope("s").profiles]' m
check 'sorted(Pprof("p").stacks().items()), sum((v for _, v in Speedscope("s").profiles), collections.Counter()) == Pprof("p").stacks()'
check 'set(Pprof("p").by("stream")), set(Pprof("p").by("kind"))'
"$LODE" mine --min-cost 5 --show 2 --speedscope - a.folded | cmp - <("$LODE" mine --min-cost 5 --show 2 \
	--speedscope s2 a.folded; cat s2) && check 'Speedscope("s2").profiles'
"$LODE" mine --min-cost 5 --show 2 --folded a.folded
"$LODE" mine --min-cost 5 --threads 1 --pprof p1 a.folded && cmp p p1 && echo "same for 1 and N threads"
"$LODE" mine --chrome-trace t.json a.folded; echo "exit $?, $(ls t.json 2>&1)"
echo old >kept; "$LODE" mine --pprof no/such/folder a.folded; echo "exit $?"
"$LODE" mine --pprof kept --json a.folded; "$LODE" mine --pprof x --speedscope x a.folded
"$LODE" suspects --pprof x --folded a.folded; "$LODE" timeline --chrome-trace x --json a.folded
cat kept

# A comparison: B's costs, and A's as if it had as many symptoms.
mkdir before after
printf 'main;load;read 1000\nmain;draw 300\nmain;old;"x" 70\n' >before/1.folded
for i in 1 2 3; do
	printf 'main;load;read 210%s\nmain;draw 29%s\nmain;new;sync 50\nmain;new;<script> 3\n' "$i" "$i" >"after/$i.folded"
done
"$LODE" diff --unit ns --json --top 0 before after >d.json
"$LODE" diff --unit ns --folded before after >f && cat f
"$LODE" diff --unit ns --pprof p --fail-on new before after; echo "exit $?"
check 'sorted(folded_two("f").items()) == sorted(
	(s, (-sum(v[1] for t, v, l in Pprof("p").samples if t == s and l["set"] == "A"),
	sum(v[1] for t, v, l in Pprof("p").samples if t == s and l["set"] == "B"))) for s in Pprof("p").stacks() | folded_two("f"))'
check 'Pprof("p").types, Pprof("p").duration == d["b"]["symptom_ns"],
	Pprof("p").by("set") == {"A": -3 * d["a"]["symptom_ns"], "B": d["b"]["symptom_ns"]},
	{l["set"] for _, _, l in Pprof("p").samples if l.get("pprof::base") == "true"},
	all(l.get("change", c["class"]) == c["class"] for c in d["clusters"] for _, _, l in Pprof("p").samples
	if l["cluster"] == c["id"])' d
"$LODE" diff --unit ns --folded after before | head -n 2
"$LODE" diff --folded --json before after; "$LODE" diff --pprof x --folded before after; ls x 2>&1

samples=$LODE_TOP/samples/startup
if [ -d "$samples" ]; then
	two="$samples/startup-22.perf.data.zst $samples/startup-12.perf.data.zst"
	"$LODE" mine --json --top 0 --detail --paths 1 $two >m.json
	"$LODE" mine --speedscope s --pprof p --chrome-trace t $two
	"$LODE" mine --folded $two >f
	check 'sum(v[1] for _, v, _ in Pprof("p").samples) == m["symptom_ns"] == Pprof("p").duration,
		Pprof("p").by("cluster") == {**{c["id"]: c["own_ns"] for c in m["clusters"]}, "none": m["other_ns"] + m["recording_ns"]},
		sum(v[0] for _, v, _ in Pprof("p").program().samples) == m["aoi"]["events"]' m
	check '{k + "_ns": v for k, v in Pprof("p").program().by("kind").items()} == {k: v for k, v in m["aoi"].items() if k[-3:] == "_ns" and k != "contended_ns"},
		[sum(v[i] for _, v, _ in Pprof("p").program().samples) for i in (2, 3, 4)] ==
		[m["aoi"][k] for k in ("run_ns", "wait_ns", "ready_ns")], sorted(Pprof("p").mappings)' m
	check '[sum(v.values()) for _, v in Speedscope("s").profiles] ==
		[c["own_ns"] for c in m["clusters"]] + [m["other_ns"] + m["recording_ns"]],
		Pprof("p").stacks() == folded("f") == sum((v for _, v in Speedscope("s").profiles), collections.Counter())' m
	check 'any(f.startswith("→ ") for s, _, _ in Pprof("p").samples for f in s)'
	# The window: the path tiles the symptom; each thread has of it what the page says.
	check '(lambda t, p: (sum(e - s for s, e, _ in t.tracks[4194305, 4194305]) == p["t1_ns"] - p["t0_ns"],
		all(a[1] == b[0] for a, b in zip(t.tracks[4194305, 4194305], t.tracks[4194305, 4194305][1:])),
		[sum(e - s for s, e, x in t.tracks[4194305, 4194305] if x["args"]["tid"] == l["tid"]) for l in p["lanes"]] ==
		[l["path_ns"] for l in p["lanes"]],
		all(sum(e - s for s, e, _ in t.tracks[l["pid"], l["tid"]]) == sum(l["duration_ns"]) for l in p["lanes"]),
		t.document["otherData"]["t0_ns"] == str(p["t0_ns"])))(Trace("t"), m["paths"][0])' m
	# Arrows come in pairs, both ends in a slice of their track.
	check '(lambda t, ends: (len(ends), sum(len(e) for e in ends.values()) == 2 * len(ends),
		all(any(s <= e["ts"] < x for s, x, _ in t.tracks[e["pid"], e["tid"]]) for v in ends.values() for e in v)))(
		Trace("t"), (lambda d: [d[e["id"]].append(e) for e in Trace("t").events if e["ph"] in "sf"] and d)(collections.defaultdict(list)))'
	"$LODE" timeline --json t >x.json
	check 'sum(o["calls"] for o in x["threads"]) == sum(e["ph"] == "X" for e in Trace("t").events), {l["kind"] for l in x["losses"]} <= {"events left out"}' x
	# From digests and repositories as well; the window needs the recording.
	"$LODE" digest -o d $two >/dev/null
	cp "$samples"/startup-12* . && "$LODE" digest -o gone startup-12* >/dev/null && rm startup-12*
	"$LODE" mine --pprof pg --chrome-trace tg gone; echo "exit $?, $(ls pg tg 2>/dev/null)"
	"$LODE" mine --pprof pd d && check 'Pprof("pd").stacks() == Pprof("p").stacks(), Pprof("pd").by("cluster") == Pprof("p").by("cluster")'
	"$LODE" import --repo r.lode d >/dev/null
	"$LODE" mine --repo r.lode --speedscope sr && check 'Speedscope("sr").profiles == Speedscope("s").profiles'
fi

mailroom=$LODE_TOP/samples/mailroom
if [ -d "$mailroom" ]; then
	names="--symbols $mailroom/symbols.tsv --thread-names $mailroom/threads.tsv"
	"$LODE" timeline $names --json "$mailroom/mailroom.xray.zst" >x.json
	"$LODE" timeline $names --chrome-trace t "$mailroom/mailroom.xray.zst"
	"$LODE" timeline --json t >y.json
	check '[[(o["tid"], o["name"], o["calls"], o["kept_calls"], o["expressions"]) for o in d["threads"]] for d in (x, y)],
		[(o["tid"], o["function"], o["duration_ns"], o["depth"]) for o in x["outliers"]] ==
		[(o["tid"], o["function"], o["duration_ns"], o["depth"]) for o in y["outliers"]]' x y
	"$LODE" timeline $names --window +0.43s,+0.5s --thread archivist --chrome-trace - "$mailroom/mailroom.xray.zst" >w
	check '{(Trace("w").names["thread_name", p, t], len(s)) for (p, t), s in Trace("w").tracks.items()},
		max(s for v in Trace("w").tracks.values() for s, _, _ in v) < 500000000'
fi

orders=$LODE_TOP/samples/orders/orders.perf.data.zst
if [ -e "$orders" ]; then
	"$LODE" suspects --json --top 0 "$orders" >o.json
	"$LODE" suspects --folded "$orders" >f
	"$LODE" suspects --speedscope s --pprof p "$orders"
	check 'Speedscope("s").profiles[0][0], Speedscope("s").profiles[0][1] == folded("f") == Pprof("p").stacks(3),
		dict(Pprof("p").by("metric", 0)) == {k["metric"]: k["n"] for k in o["metrics"] if k["n"]},
		dict(+Pprof("p").by("metric", 2)) == {k["metric"]: k["failed"] for k in o["metrics"] if k["failed"]}' o
	"$LODE" suspects --versus "$orders" --speedscope s "$orders"
	check '[n for n, _ in Speedscope("s").profiles], Speedscope("s").profiles[0][1] == Speedscope("s").profiles[1][1]'
fi
