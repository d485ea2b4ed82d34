"""What lode reads, and how the program is asked to read it: one Reader each, with its inputs from the tree (and from
../shared, where it is there) and those that lode itself makes of them."""
import dataclasses
import gzip
import lzma
import pathlib
import random
import shutil
import subprocess

import addresses
import calls
import kept
import mutate
import perf_data
import zstd

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = TOP.parent / "shared"
ORDERD = "ef29462a23ff927fc456cf4d12d1497aec888d12"
JIT_BASE = 0x700000000000
MAX_SEED = 300_000  # bytes: what takes longer to read is cut before


@dataclasses.dataclass
class Reader:
    """One kind of input.

    seeds    sound inputs: bytes, or of a folder {name: bytes}
    change   (random, seed) -> damaged input
    file     where the input goes; of a folder its name
    ask      argument lists; one is chosen for each input
    beside   files that lie there, not damaged: {name: bytes}
    reached  functions of the decoder's inner loops, "file.c:function"; one of them is enough. Text formats have none
    codes    exit codes that are right for damaged inputs of this kind
    """
    name: str
    seeds: list
    change: object
    file: str
    ask: list
    beside: dict = dataclasses.field(default_factory=dict)
    reached: tuple = ()
    codes: tuple = (0, 1, 3)
    outputs: tuple = ()


def content(path):
    data = path.read_bytes()
    if path.suffix == ".zst":
        return zstd.unpack_stream(data)
    return data


def corpus(target, *names, skip=0):
    """Sound inputs of tests/fuzz/corpus, not what libFuzzer found; `skip` bytes choose there."""
    folder = TOP / "tests" / "fuzz" / "corpus" / target
    paths = [folder / n for n in names] if names else sorted(folder.glob("[!.]*"))
    return [p.read_bytes()[skip:] for p in paths
            if p.stat().st_size < MAX_SEED and not p.name.startswith("found-")]


def found(folder, pattern):
    return sorted(folder.glob(pattern)) if folder.is_dir() else []


def lines(data, n):
    return b"\n".join(data.split(b"\n")[:n]) + b"\n"


def recordings(is_full):
    paths = [TOP / "tests/data/clock.perf.data.zst", TOP / "samples/orders/orders.perf.data.zst",
             TOP / "samples/startup/startup-08.perf.data.zst"]
    if is_full:
        paths += found(SHARED / "traces/ledger", "statement-0[1-4].perf.data.zst")
        paths += found(SHARED / "traces/startup", "gitstatus-0[1-3].perf.data.zst")
    small = [perf_data.shrink(content(p)) for p in paths]
    return small + corpus("fuzz_perf", "all-fields.data", "file.data", "compressed.data")


def folder_of(path):
    return {p.name: p.read_bytes() for p in sorted(path.iterdir()) if p.is_file()}


def counters_csv(r, server, n=120):
    rows = [b"time,cpu,connections,memory"]
    for t in range(n):
        slow = 40 <= t % 80 < 55
        rows.append(b"%d.002,%d,%d,%d" % (1795230000 + t, 40 + r.randint(0, 9) + 60 * slow * (server == "web"),
                                         5 + r.randint(0, 3) + 40 * slow, 1000 + r.randint(-9, 9)))
    return b"\n".join(rows) + b"\n"


def access_log(r, n=120):
    rows = []
    for t in range(n):
        for k in range(6):
            took = r.lognormvariate(-4, 0.3) * (8 if 40 <= t % 80 < 55 else 1)
            rows.append(b'10.0.0.1 - u%d [21/Nov/2026:02:00:00 +0000] "GET /shop/%s?id=%d HTTP/1.1" 200 100 "-" "-" '
                        b'%.3f %.3f %.3f' % (k % 3, b"cart" if k % 2 else b"list", k, took + 0.001, took,
                                             1795230000 + t + k / 6 + took))
    return b"\n".join(rows) + b"\n"


class Maker:
    """Runs lode on sound inputs, for what only lode writes."""

    def __init__(self, lode, folder):
        self.lode, self.folder = lode, folder

    def put(self, **files):
        for name, data in files.items():
            (self.folder / name).write_bytes(data)

    def run(self, *arguments):
        done = subprocess.run([self.lode, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        if done.returncode > 1:
            raise RuntimeError(f"lode {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def get(self, name):
        return (self.folder / name).read_bytes()


def packed(data):
    return [gzip.compress(data, mtime=0), lzma.compress(data), zstd.pack(data)]


def change_packed(r, data):
    """Damage behind the frame's first bytes, so that unpacking begins."""
    if r.random() < 0.1:
        return mutate.damage(r, data)
    head = 18 if data[0] != 0xFD else 24
    return data[:head] + mutate.damage(r, data[head:], 2)


def bundle(recording):
    """What lode record leaves in a folder, but for the symbols."""
    titles = (b"1913400000000\t18500\tplughelper: pool 10.0.0.7(51234) idle\n"
              b"1913100000000\t18500\t/usr/bin/python3\\0-u\\0/srv/app.py\\0--port\\080\n")
    return {"perf.data": recording, "symptoms.tsv": (TOP / "samples/startup/symptoms.tsv").read_bytes(),
            "titles.tsv": titles, ".command": b"plugh\0--all\0", ".pids": b"18500,18501",
            "INCOMPLETE": b"lode record: this bundle is incomplete\nlacks symbols of 3 modules\n"}


def change_bundle(r, files):
    """One file of it, or one that is not there."""
    name = r.choice(sorted(files))
    if r.random() < 0.1:
        return {n: data for n, data in files.items() if n != name}
    change = perf_data.change if name == "perf.data" else mutate.text
    return {**files, name: change(r, files[name])}


def readers(lode, folder, is_full):
    """All of them. `lode` makes digests, indices, repositories, models and pages in `folder`."""
    make, r = Maker(lode, folder), random.Random(1)
    streams = recordings(is_full)
    symptom = ["--symptom", "comm=*"]
    xray = [p.read_bytes() for p in found(TOP / "tests/golden/xray", "*.log")] + corpus("fuzz_xray")
    uftrace = folder_of(TOP / "tests/golden/uftrace/data")
    chrome = [(TOP / "tests/golden/chrome/uftrace.json").read_bytes()] + corpus("fuzz_chrome")
    mailroom = content(TOP / "samples/mailroom/mailroom.xray.zst")[:60000]
    folded = corpus("fuzz_folded", "annotated", "offcpu")
    script = corpus("fuzz_script")
    if is_full:
        xray += [content(p)[:40000] for p in found(SHARED / "traces/function/xray-small", "*.log.zst")]
        folded += [lines(content(p), 300) for p in found(SHARED / "datasets/stacks", "*.folded.zst")]

    for i, stream in enumerate(streams[:4]):
        make.put(**{f"s{i}.data": stream})
    names = [f"s{i}.data" for i in range(min(4, len(streams)))]
    make.run("digest", "-o", "digests", *symptom, *names)
    make.run("digest", "--merge", "merged.digest", *symptom, *names)
    digests = [p.read_bytes() for p in sorted((folder / "digests").iterdir()) if p.suffix == ".digest"]
    digests += [make.get("merged.digest")] + corpus("fuzz_digest", "folded", "perf")
    make.put(a_xray=xray[0], m_xray=mailroom, c_json=chrome[0], f_folded=folded[0])
    indices = []
    for i, name in enumerate(("a_xray", "m_xray", "c_json")):
        make.run("timeline", "--index", f"{i}.lodet", name)
        indices.append(make.get(f"{i}.lodet"))
    make.run("import", "--repo", "r.lode", *symptom, "--label", "release=1", *names)
    make.run("sign", "--repo", "r.lode", "--name", "known", "main;*")
    make.run("mine", "--repo", "r.lode")
    mined = make.run("mine", "--json", *symptom, names[0])
    make.run("sign", "--repo", "r.lode", "--export", "signatures.txt")
    web, db, log = counters_csv(r, "web"), counters_csv(r, "db"), access_log(r)
    make.put(web=web, db=db, log=log)
    service = ["--log", "log", "-c", "web=web", "-c", "db=db"]
    make.run("pio", "train", *service, "-o", "model")
    make.run("pio", "train", "--classic", *service, "-o", "classic")
    make.run("pio", "watch", "-m", "model", *service, "--from", "start", "--once", "--state", "state")
    model, state = make.get("model"), make.get("state")
    beside_pio = {"model": model, "web": web, "db": db, "log": log}
    analyse = ["pio", "analyse", "-m", "model"]
    orderd = (TOP / f"samples/orders/symbols/.build-id/{ORDERD[:2]}/{ORDERD[2:]}/elf").read_bytes()
    elf_file = f"symbols/.build-id/{ORDERD[:2]}/{ORDERD[2:]}/elf"
    asks_elf = {"in.data": addresses.asking_for_elf(orderd, bytes.fromhex(ORDERD))}
    jit_addresses = [JIT_BASE + 37 * i for i in range(80)]
    asks_map = {"in.data": addresses.asking("//anon", JIT_BASE, 0x10000, jit_addresses)}
    asks_dump = {"in.data": addresses.asking("/tmp/jit-4242.dump", JIT_BASE, 0x10000, jit_addresses)}
    kallsyms = content(TOP / "samples/startup/symbols/.build-id/4a/5a9b0affb66c437abcd455d2738af879985fa9/kallsyms.zst")
    timeline = [["timeline", "IN"], ["timeline", "--json", "IN"], ["timeline", "--window", "+0,+1ms", "IN"],
                ["timeline", "--index", "out.lodet", "IN"], ["timeline", "--chrome-trace", "out.json", "IN"]]
    indexed = timeline + [["timeline", "--html", "out.html", "IN"], ["timeline", "--symptoms-out", "out.txt", "IN"],
                          ["timeline", "--json", "--page", "IN"], ["timeline", "--thread", "1001", "IN"],
                          ["timeline", "--at", "1001:+1us", "IN"], ["timeline", "-f", "main", "IN"]]
    stream = [["info", "IN"], ["mine", *symptom, "IN"], ["mine", "--scope", "graph", *symptom, "IN"],
              ["mine", "--folded", *symptom, "IN"], ["suspects", "IN"], ["timeline", "IN"],
              ["digest", "--merge", "out.digest", *symptom, "IN"], ["mine", "--json", "--detail", *symptom, "IN"],
              ["mine", "--join", "--clock-offset", "1ms", *symptom, "IN", "IN"]]
    lode_outputs = ("out.lodet", "out.json", "out.digest", "out.txt", "out.model", "out.html", "out.lode")
    everything = [
        Reader("perf.data", streams, perf_data.change, "in.data", stream,
               reached=("perf_sample.c:lode_perf_sample_parse",), codes=(0, 1, 2, 3)),
        Reader("bundle", [bundle(streams[2])], change_bundle, "in.lode",
               [["info", "IN"], ["mine", "IN"], ["mine", *symptom, "IN"],
                ["mine", "--join", "--clock-offset", "-1ms", *symptom, "IN", "IN"]], codes=(0, 1, 2, 3)),
        Reader("perf script", script, mutate.text, "in.txt", stream, codes=(0, 1, 2, 3)),
        Reader("folded stacks", folded, mutate.text, "in.folded",
               [["mine", "IN"], ["info", "IN"], ["mine", "--kind", "wait", "--unit", "ns", "IN"], ["diff", "IN", "IN"]],
               codes=(0, 1, 2, 3)),
        Reader("compressed", packed(folded[0] * 40) + packed(streams[0]), change_packed, "in.data",
               [["info", "IN"], ["mine", *symptom, "IN"]], reached=("decompress.c:run_zstd", "decompress.c:run_gzip",
                                                                    "decompress.c:run_xz"), codes=(0, 1, 2, 3)),
        Reader("XRay", xray + [mailroom], calls.change_xray, "in.xray", timeline,
               reached=("xray_basic.c:take_record_xray_basic", "xray_fdr.c:metadata")),
        Reader("uftrace", [uftrace], calls.change_uftrace, "in.uftrace", timeline,
               reached=("uftrace_records.c:lode_uftrace_records_next",)),
        Reader("Chrome trace", chrome, mutate.json_text, "in.json", timeline),
        Reader("function_graph", corpus("fuzz_ftrace"), mutate.text, "in.txt", timeline),
        Reader("calls as text", corpus("fuzz_calltext"), mutate.text, "in.txt", timeline),
        Reader("names of functions", [(TOP / "samples/mailroom/symbols.tsv").read_bytes()], mutate.text, "in.tsv",
               [["timeline", "--symbols", "IN", "m.xray"], ["timeline", "--thread-names", "IN", "m.xray"]],
               beside={"m.xray": mailroom}),
        Reader("digest", digests, kept.change_digest, "in.digest",
               [["mine", "IN"], ["mine", "--json", "--detail", "IN"],
                ["import", "--repo", "out.lode", "IN"], ["digest", "--merge", "out.digest", "IN"]],
               reached=("digest_read.c:read_frames",), codes=(0, 1, 2, 3)),
        Reader("index (.lodet)", indices, kept.change_lodet, "in.lodet", indexed,
               reached=("timeline_read.c:get_thread",), codes=(0, 1, 2, 3)),
        Reader("repository", [make.get("r.lode")], kept.change_repository, "in.lode",
               [["repo", "check", "--repo", "IN"], ["repo", "list", "--repo", "IN"], ["mine", "--repo", "IN"],
                ["coverage", "--repo", "IN"], ["repo", "forget", "--repo", "IN", "--where", "host~*", "--yes"],
                ["repo", "compact", "--rebuild", "--repo", "IN"], ["repo", "labels", "--repo", "IN"],
                ["diff", "--repo", "IN", "release=1", "release!=1"], ["sign", "--repo", "IN", "--list"],
                ["import", "--repo", "IN", "s.data"]],
               beside={"s.data": streams[0]},
               reached=("repo_check.c:check_digest", "repo_read.c:work_slot", "repo_find.c:read_stream",
                        "repo_db.c:lode_repo_step"), codes=(0, 1, 2, 3)),
        Reader("symptoms", [(TOP / "samples/startup/symptoms.tsv").read_bytes()] + corpus("fuzz_symptoms"),
               mutate.text, "in.tsv", [["mine", "--symptoms", "IN", "startup-08.perf.data"]],
               beside={"startup-08.perf.data": streams[2]}, codes=(0, 1, 2, 3)),
        Reader("signatures", [make.get("signatures.txt")] + corpus("fuzz_signatures"), mutate.text, "in.txt",
               [["coverage", "-s", "IN", "d.digest"], ["sign", "-s", "IN", "--list"],
                ["triage", "-s", "IN", "d.digest"]], beside={"d.digest": digests[-1]}, codes=(0, 1, 2, 3)),
        Reader("mined clusters", [mined] + corpus("fuzz_mined"), mutate.json_text, "in.json",
               [["sign", "-s", "out.txt", "--from", "IN", "-c", "1", "--name", "x"]], codes=(0, 2, 3)),
        Reader("pio model", [model, make.get("classic")] + corpus("fuzz_pio_model"), mutate.json_text, "in.model",
               [["pio", "show", "IN"], ["pio", "analyse", "-m", "IN", *service]], beside=beside_pio,
               codes=(0, 1, 2, 3)),
        Reader("counters", [web] + corpus("fuzz_counters"), mutate.text, "web_in",
               [[*analyse, "-c", "web=IN", "-c", "db=db"], [*analyse, *service[:2], "-c", "web=IN", "-c", "db=db"]],
               beside=beside_pio, codes=(0, 1, 2, 3)),
        Reader("counters in JSON", corpus("fuzz_counters", "prometheus", "sadf-json"), mutate.json_text, "web_in",
               [[*analyse, "-c", "IN", "-c", "db=db"]], beside=beside_pio, codes=(0, 1, 2, 3)),
        Reader("request log", [lines(log, 200)] + corpus("fuzz_log", "combined", "w3c", "csv", skip=1), mutate.text,
               "in.log", [[*analyse, "--log", "IN", *service[2:]],
                          ["pio", "train", "--log", "IN", *service[2:], "-o", "out.model"]], beside=beside_pio,
               codes=(0, 1, 2, 3)),
        Reader("watch state", [state] + corpus("fuzz_pio_watch"), mutate.text, "in.state",
               [["pio", "watch", "-m", "model", *service, "--from", "start", "--once", "--state", "IN"]],
               beside=beside_pio, codes=(0, 1, 2, 3)),
        Reader("ELF", [orderd], addresses.change_elf, elf_file,
               [["mine", "--folded", *symptom, "in.data"], ["mine", "--folded", "--inline", *symptom, "in.data"]],
               beside=asks_elf, reached=("elf_symbols.c:is_shown_by_perf",), codes=(0, 1)),
        Reader("kallsyms", [lines(kallsyms, 3000)], mutate.text, "in.kallsyms",
               [["mine", "--folded", *symptom, "--kallsyms", "IN", "s.data"]], beside={"s.data": streams[0]},
               codes=(0, 1, 3, 4)),
        Reader("perf-PID.map", [addresses.perf_map()], mutate.text, "perf-4242.map",
               [["mine", "--folded", *symptom, "in.data"]], beside=asks_map, codes=(0, 1)),
        Reader("jitdump", [addresses.jitdump()], addresses.change_jitdump, "jit-4242.dump",
               [["mine", "--folded", *symptom, "in.data"]], beside=asks_dump, reached=("jit.c:read_load",),
               codes=(0, 1)),
        Reader("page", corpus("fuzz_html", "parted.html", "two.html"), kept.change_page, "in.html",
               [["analyze", "IN", "-o", "out.html"]], reached=("html_read.c:inflate_text",)),
    ]
    shutil.rmtree(folder / "digests")
    for reader in everything:
        reader.outputs = lode_outputs
    return everything
