"""What the benches of the pages and of their server show: the report of a thousand recordings, and a
timeline. Made once, kept."""
import base64
import glob
import json
import os
import re
import subprocess
import zlib

from bench_startup import startup_set
from bench_timeline import generated
from measure import run

# As many streams and patterns as the paper has (StackMine, section VI), whose 2,239 patterns made 1,215
# clusters; at this similarity they make as many here.
STREAMS, PATTERNS, SIMILARITY = 1000, 2239, 0.8


def report_in(page, name):
    """The document of that name that is packed into a page."""
    with open(page, encoding="utf-8") as f:
        packed = re.search(f'data-name="{name}"[^>]*>([^<]*)<', f.read()).group(1)
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def mine_page(bench):
    """(page, facts, what lode serve takes to show the same): a thousand digests varied from the startup
    set, mined for five hundred patterns."""
    n_streams, n_patterns = bench.scaled((STREAMS, PATTERNS), (50, 150))
    page = os.path.join(bench.data, f"mine-{n_streams}-{n_patterns}.html")
    facts = page + ".json"
    base, folder = (os.path.join(bench.data, n) for n in ("site-base", f"site-{n_streams}"))
    if not os.path.exists(folder):
        table, files = startup_set(bench)
        run([bench.lode, "digest", "-o", base, "--symptoms", table, *files])
        subprocess.run([bench.tool("gen_digests"), str(n_streams), folder,
                        *sorted(glob.glob(os.path.join(base, "*.digest")))], check=True)
    # A page is of the program that made it: an older one is not what is measured.
    if not os.path.exists(facts) or os.path.getmtime(facts) < os.path.getmtime(bench.lode):
        made = run([bench.lode, "mine", "--patterns", str(n_patterns), "--similarity", str(SIMILARITY),
                    "--html", page, folder], limit=900)
        report = report_in(page, "mine")
        with open(facts, "w", encoding="utf-8") as f:
            json.dump({"clusters": len(report["clusters"]), "streams": n_streams,
                       "make_cpu_s": made.cpu, "lambda_ns": report["lambda_ns"], "folder": folder}, f)
    with open(facts, encoding="utf-8") as f:
        made = json.load(f)
    serve = ["--min-cost", f"{made.pop('lambda_ns')}ns", "--similarity", str(SIMILARITY), made.pop("folder")]
    return page, made, serve


def timeline_index(bench, calls):
    """A trace of so many calls of 28 threads, as an index."""
    trace, symbols = generated(bench, calls)
    index = trace + ".lodet"
    if not os.path.exists(index):
        subprocess.run([bench.lode, "timeline", "--symbols", symbols, "--index", index + ".part", trace],
                       check=True, stdout=subprocess.DEVNULL)
        os.rename(index + ".part", index)
    return index
