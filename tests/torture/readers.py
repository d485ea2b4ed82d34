"""What lode reads, and how the program is asked to read it: one Reader each, with its inputs from the tree (and from
../shared, where it is there) and those that lode itself makes of them."""
import dataclasses
import functools
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
import questions
import texts
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
    mix      (random, seed, another) -> parts of both
    outputs  beginnings of names of files that may be written
    """
    name: str
    seeds: list
    change: object
    file: str
    ask: list
    beside: dict = dataclasses.field(default_factory=dict)
    reached: tuple = ()
    codes: tuple = (0, 1, 3)
    mix: object = None
    outputs: tuple = ("out.",)


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


@functools.cache
def zeros(n):
    return zstd.pack(bytes(n))


def change_packed(r, data):
    """Damage behind the frame's first bytes, so that unpacking begins; or frames, in and behind each other."""
    if r.random() < 0.1:
        return mutate.damage(r, data)
    if r.random() < 0.2:
        more = r.choice((data, data[:r.randrange(len(data))], zstd.pack(b""), zstd.pack(data), gzip.compress(data),
                         lzma.compress(data), b"\x50\x2a\x4d\x18\xff\xff\xff\xff", b"\x50\x2a\x4d\x18\x04\0\0\0abcd",
                         zeros(1 << 26), bytes(512), b"x"))
        return r.choice((data + more, more + data, more))
    head = 18 if data[0] != 0xFD else 24
    return data[:head] + mutate.damage(r, data[head:], 2)


def bundle(recording):
    """What lode record leaves in a folder, but for the symbols."""
    titles = (b"1913400000000\t18500\tplughelper: pool 10.0.0.7(51234) idle\n"
              b"1913100000000\t18500\t/usr/bin/python3\\0-u\\0/srv/app.py\\0--port\\080\n")
    symptoms = (TOP / "samples/startup/symptoms.tsv").read_bytes().replace(b"startup-08.perf.data.zst", b"perf.data")
    return {"perf.data": recording, "symptoms.tsv": symptoms,
            "titles.tsv": titles, ".command": b"plugh\0--all\0", ".pids": b"18500,18501",
            "INCOMPLETE": b"lode record: this bundle is incomplete\nlacks symbols of 3 modules\n"}


def change_bundle(r, files):
    """One file of it, or one that is not there."""
    name = r.choice(sorted(files))
    if r.random() < 0.1:
        return {n: data for n, data in files.items() if n != name}
    change = perf_data.change if name == "perf.data" else texts.change
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
    make.put(other=perf_data.shrink(content(TOP / "samples/startup/startup-12.perf.data.zst")))
    make.run("digest", "--merge", "other.digest", *symptom, "other")
    digests = [p.read_bytes() for p in sorted((folder / "digests").iterdir()) if p.suffix == ".digest"]
    merged = make.get("merged.digest")
    digests += [merged] + corpus("fuzz_digest", "folded", "perf")
    digested = {name: make.get(name) for name in (names[0], names[2])}  # the others have no symptoms
    make.put(a_xray=xray[0], m_xray=mailroom, c_json=chrome[0], f_folded=folded[0])
    indices = []
    for i, name in enumerate(("a_xray", "m_xray", "c_json")):
        make.run("timeline", "--index", f"{i}.lodet", name)
        indices.append(make.get(f"{i}.lodet"))
    make.run("import", "--repo", "r.lode", *symptom, "--label", "release=1", *names[:2])
    make.run("import", "--repo", "r.lode", *symptom, "--label", "release=2", *names[2:])
    make.run("sign", "--repo", "r.lode", "--name", "known", "main;*")
    make.run("mine", "--repo", "r.lode")
    for i in range(40):  # 16 digests are a segment
        make.put(**{f"{i}.folded": b"main;work;step_%d %d\nmain;wait %d\n" % (i % 7, 900 + i, 80 + i % 9)})
    for release in range(2):
        make.run("import", "--repo", "m.lode", "--label", f"release={release + 1}",
                 *(f"{i}.folded" for i in range(20 * release, 20 * release + 20)))
    make.run("sign", "--repo", "m.lode", "--name", "known", "main;work;*")
    make.run("coverage", "--no-mining", "--repo", "m.lode")
    make.run("mine", "--repo", "m.lode")
    mined = make.run("mine", "--json", *symptom, names[0])
    make.run("sign", "--repo", "r.lode", "--export", "signatures.txt")
    signatures = make.get("signatures.txt")
    web, db, log = counters_csv(r, "web"), counters_csv(r, "db"), access_log(r)
    make.put(web=web, db=db, log=log)
    service = questions.SERVICE
    make.run("pio", "train", *service, "-o", "model")
    make.run("pio", "train", "--classic", *service, "-o", "classic")
    make.run("pio", "watch", "-m", "model", *service, "--from", "start", "--once", "--state", "state")
    make.run("mine", "--html", "mine.html", "merged.digest")
    make.run("timeline", "--html", "timeline.html", "1.lodet")
    make.run("pio", "analyse", "-m", "model", *service, "--html", "pio.html")
    pages = [kept.page_of(make.get(f"{name}.html")) for name in ("mine", "timeline", "pio")]
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
    stream = [["info", "IN"], ["mine", *symptom, "IN"], ["mine", "--scope", "graph", *symptom, "IN"],
              ["mine", "--folded", *symptom, "IN"], ["suspects", "IN"], ["timeline", "IN"],
              ["digest", "--merge", "out.digest", *symptom, "IN"], ["mine", "--json", "--detail", *symptom, "IN"],
              ["mine", "--join", "--clock-offset", "1ms", *symptom, "IN", "IN"]]
    everything = [
        Reader("perf.data", streams, perf_data.change, "in.data", stream,
               reached=("perf_sample.c:lode_perf_sample_parse",), codes=(0, 1, 2, 3)),
        Reader("bundle", [bundle(streams[2])], change_bundle, "in.lode",
               [["info", "IN"], ["mine", "IN"], ["mine", *symptom, "IN"],
                ["mine", "--join", "--clock-offset", "-1ms", *symptom, "IN", "IN"]], codes=(0, 1, 2, 3)),
        Reader("perf script", script, texts.change, "in.txt", stream, codes=(0, 1, 2, 3)),
        Reader("folded stacks", folded, texts.change, "in.folded",
               [["mine", "IN"], ["info", "IN"], ["diff", "IN", "b.folded"],
                ["mine", "--kind", "wait", "--unit", "ns", "IN"]],
               beside={"b.folded": b"main;work;read 70\nmain;idle 9\n"},
               codes=(0, 1, 2, 3)),
        Reader("compressed", packed(folded[0] * 40) + packed(streams[0]), change_packed, "in.data",
               [["info", "IN"], ["mine", *symptom, "IN"]], reached=("decompress.c:run_zstd", "decompress.c:run_gzip",
                                                                    "decompress.c:run_xz"), codes=(0, 1, 2, 3)),
        Reader("XRay", xray + [mailroom], calls.change_xray, "in.xray", timeline,
               reached=("xray_basic.c:take_record_xray_basic", "xray_fdr.c:metadata")),
        Reader("uftrace", [uftrace], calls.change_uftrace, "in.uftrace", timeline,
               reached=("uftrace_records.c:lode_uftrace_records_next",)),
        Reader("Chrome trace", chrome, texts.change_json, "in.json", timeline),
        Reader("function_graph", corpus("fuzz_ftrace"), texts.change, "in.txt", timeline),
        Reader("calls as text", corpus("fuzz_calltext"), texts.change, "in.txt", timeline),
        Reader("names of functions", [(TOP / "samples/mailroom/symbols.tsv").read_bytes()], texts.change, "in.tsv",
               [["timeline", "--symbols", "IN", "m.xray"], ["timeline", "--thread-names", "IN", "m.xray"]],
               beside={"m.xray": mailroom}),
        Reader("digest", digests, kept.change_digest, "in.digest",
               questions.questions(lode, "digest"),
               beside={"d.digest": make.get("other.digest"), "known.txt": signatures, **digested},
               reached=("digest_read.c:read_frames",), codes=(0, 1, 2, 3)),
        Reader("index (.lodet)", indices, kept.change_lodet, "in.lodet",
               questions.questions(lode, "index"),
               reached=("timeline_read.c:get_thread",), codes=(0, 1, 2, 3)),
        Reader("repository", [make.get("r.lode"), make.get("m.lode")], kept.change_repository, "in.lode",
               questions.questions(lode, "repository"),
               beside={"known.txt": signatures, **digested},
               reached=("repo_check.c:check_digest", "repo_read.c:work_slot", "repo_find.c:read_stream",
                        "repo_db.c:lode_repo_step"), codes=(0, 1, 2, 3)),
        Reader("symptoms", [(TOP / "samples/startup/symptoms.tsv").read_bytes()] + corpus("fuzz_symptoms"),
               texts.change, "in.tsv", [["mine", "--symptoms", "IN", "startup-08.perf.data"]],
               beside={"startup-08.perf.data": streams[2]}, codes=(0, 1, 2, 3)),
        Reader("signatures", [signatures] + corpus("fuzz_signatures"), texts.change, "in.txt",
               [["coverage", "-s", "IN", "d.digest"], ["sign", "-s", "IN", "--list"],
                ["triage", "-s", "IN", "d.digest"]], beside={"d.digest": digests[-1]}, codes=(0, 1, 2, 3)),
        Reader("mined clusters", [mined] + corpus("fuzz_mined"), texts.change_json, "in.json",
               [["sign", "-s", "out.txt", "--from", "IN", "-c", "1", "--name", "x"]], codes=(0, 2, 3)),
        Reader("pio model", [model, make.get("classic")] + corpus("fuzz_pio_model"), kept.change_model, "in.model",
               questions.questions(lode, "model"),
               beside={**beside_pio, "s2.data": streams[2]},
               reached=("model_file.c:read_settings",),
               codes=(0, 1, 2, 3)),
        Reader("counters", [web] + corpus("fuzz_counters"), texts.change, "web_in",
               [[*analyse, "-c", "web=IN", "-c", "db=db"], [*analyse, *service[:2], "-c", "web=IN", "-c", "db=db"]],
               beside=beside_pio, codes=(0, 1, 2, 3)),
        Reader("counters in JSON", corpus("fuzz_counters", "prometheus", "sadf-json"), texts.change_json, "web_in",
               [[*analyse, "-c", "IN", "-c", "db=db"]], beside=beside_pio, codes=(0, 1, 2, 3)),
        Reader("request log", [lines(log, 200)] + corpus("fuzz_log", "combined", "w3c", "csv", skip=1), texts.change,
               "in.log", [[*analyse, "--log", "IN", *service[2:]],
                          ["pio", "train", "--log", "IN", *service[2:], "-o", "out.model"]], beside=beside_pio,
               codes=(0, 1, 2, 3)),
        Reader("watch state", [state] + corpus("fuzz_pio_watch"), texts.change, "in.state",
               [["pio", "watch", "-m", "model", *service, "--from", "start", "--once", "--state", "IN"]],
               beside=beside_pio, codes=(0, 1, 2, 3)),
        Reader("ELF", [orderd], addresses.change_elf, elf_file,
               [["mine", "--folded", *symptom, "in.data"], ["mine", "--folded", "--inline", *symptom, "in.data"]],
               beside=asks_elf, reached=("elf_symbols.c:is_shown_by_perf",), codes=(0, 1)),
        Reader("kallsyms", [lines(kallsyms, 3000)], texts.change, "in.kallsyms",
               [["mine", "--folded", *symptom, "--kallsyms", "IN", "s.data"]], beside={"s.data": streams[0]},
               codes=(0, 1, 3, 4)),
        Reader("perf-PID.map", [addresses.perf_map()], texts.change, "perf-4242.map",
               [["mine", "--folded", *symptom, "in.data"]], beside=asks_map, codes=(0, 1)),
        Reader("jitdump", [addresses.jitdump()], addresses.change_jitdump, "jit-4242.dump",
               [["mine", "--folded", *symptom, "in.data"]], beside=asks_dump, reached=("jit.c:read_load",),
               codes=(0, 1)),
        Reader("page", pages + corpus("fuzz_html", "parted.html", "two.html"), kept.change_page, "in.html",
               questions.questions(lode, "page"), reached=("html_read.c:inflate_text",)),
    ]
    shutil.rmtree(folder / "digests")
    mixed = {texts.change: texts.mix, texts.change_json: texts.mix, perf_data.change: perf_data.mix,
             kept.change_digest: kept.mix_digests, kept.change_lodet: kept.mix_lodets, calls.change_xray: calls.mix_xray}
    for reader in everything:
        reader.mix = mixed.get(reader.change) if len(reader.seeds) > 1 else None
    return everything
