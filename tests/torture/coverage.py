"""Which functions a run entered, where the program was built with -fsanitize=fuzzer-no-link (tools/run-fuzz): of
each edge it has a counter and an address, in two sections."""
import collections
import struct
import subprocess

COUNTERS, ADDRESSES = "__sancov_cntrs", "__sancov_pcs"


def sections(path):
    listing = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in listing.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] in (COUNTERS, ADDRESSES):
            found[words[1]] = (int(words[3], 16), int(words[5], 16))
    return found


class Coverage:
    def __init__(self, path, folder, wanted):
        place = sections(path)
        if len(place) != 2:
            raise LookupError(path)
        self.file = folder / "counters"
        self.place = ":".join(f"{n:x}" for n in (*place[COUNTERS], *place[ADDRESSES])) + f":{self.file}"
        self.path, self.wanted, self.edges = path, wanted, None

    def resolve(self):
        """Edges of the wanted functions, also where they were inlined."""
        raw = self.file.with_name(self.file.name + ".addresses").read_bytes()
        base, = struct.unpack_from("<Q", raw)
        addresses = [a - base for a, _ in struct.iter_unpack("<QQ", raw[8:])]
        text = "".join(f"0x{a:x}\n" for a in addresses)
        said = subprocess.run(["llvm-symbolizer", "--obj", self.path, "--inlines"], input=text, capture_output=True,
                              text=True, check=True).stdout
        self.edges = collections.defaultdict(list)
        for edge, block in enumerate(said.split("\n\n")):
            rows = block.strip().split("\n")
            for function, place in zip(rows[::2], rows[1::2]):
                key = f"{place.rsplit('/', 1)[-1].split(':')[0]}:{function}"
                if key in self.wanted and (not self.edges[key] or self.edges[key][-1] != edge):
                    self.edges[key].append(edge)
        missing = [w for w in self.wanted if not self.edges[w]]
        if missing:
            raise LookupError(f"{self.path} has no {', '.join(missing)}")

    def is_reached(self, reader):
        """None: it did not get to its end, where the counters are written."""
        if self.edges is None:
            self.resolve()
        try:
            raw = self.file.read_bytes()
        except FileNotFoundError:
            return None
        self.file.unlink()
        return any(raw[edge] for function in reader.reached for edge in self.edges[function])
