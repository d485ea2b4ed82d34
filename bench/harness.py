"""What all benches share: where things are, inputs that are made once, and results."""
import contextlib
import json
import os
import subprocess

from measure import Missing, TooSlow, load_average

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("LODE_SHARED", os.path.join(os.path.dirname(TOP), "shared"))


def shared(*path):
    """A file or folder of ../shared, or Missing."""
    found = os.path.join(SHARED, *path)
    if not os.path.exists(found):
        raise Missing(f"{os.path.join(*path)} is not in {SHARED}")
    return found


class Bench:
    """Where things are, and what came out."""

    def __init__(self, build, runs, size_mb, is_quick=False):
        self.build = os.path.abspath(build)
        self.lode = os.path.join(self.build, "lode")
        self.is_quick = is_quick
        self.runs = 1 if is_quick else runs
        self.size_mb = self.scaled(size_mb, 20)
        self.runs_small = min(3, self.runs)
        self.data = os.path.join(self.build, "bench-data" + self.scaled("", "-quick"))
        self.results = []
        os.makedirs(self.data, exist_ok=True)

    def scaled(self, full, quick):
        """The size of an input: a small one when all that is asked is whether the benches work."""
        return quick if self.is_quick else full

    def tool(self, name):
        return os.path.join(self.build, "bench", name)

    def report(self, bench, name, text, **figures):
        print(f"{bench:9} {name}: {text}", flush=True)
        self.results.append({"bench": bench, "name": name, "text": text,
                             "load": load_average(), **figures})

    @contextlib.contextmanager
    def optional(self, bench, name):
        """For one row of a bench: what is missing or too slow is said in it, and does not end it."""
        try:
            yield name
        except (Missing, TooSlow) as e:
            self.report(bench, name, f"not measured: {e}")

    def generate(self, name, *options):
        """A folder with generated recordings; truth.json is written last, so it marks a complete one."""
        folder = os.path.join(self.data, name)
        truth = os.path.join(folder, "truth.json")
        if not os.path.exists(truth) or not os.path.getsize(truth):
            subprocess.run([self.tool("gen_stream"), *options, "-o", folder], check=True)
        return folder

    def folded(self, distinct, depth=34):
        path = os.path.join(self.data, f"stacks-{distinct}-{depth}.folded")
        if not os.path.exists(path):
            with open(path + ".part", "wb") as f:
                subprocess.run([self.tool("gen_stream"), "--depth", str(depth), "--folded",
                                str(distinct)], check=True, stdout=f)
            os.rename(path + ".part", path)
        return path

    def save(self, order):
        """Keeps the newest row of each name, of benches in `order`; gives them in that order."""
        path = os.path.join(self.build, "bench-quick.json" if self.is_quick else "bench.json")
        rows = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                rows = {(r["bench"], r["name"]): r for r in map(json.loads, f)}
        # What a bench did not report again is no row of it any more.
        again = {r["bench"] for r in self.results}
        rows = {key: r for key, r in rows.items() if key[0] in order and key[0] not in again}
        rows.update({(r["bench"], r["name"]): r for r in self.results})
        kept = sorted(rows.values(), key=lambda r: order.index(r["bench"]))
        with open(path + ".part", "w", encoding="utf-8") as f:
            for row in kept:
                f.write(json.dumps(row) + "\n")
        os.rename(path + ".part", path)
        return kept
