"""What the drivers' command lines have in common."""
import argparse
import os
import sys
import time

from . import stores, work


def parser(name, text):
    made = argparse.ArgumentParser(
        prog=name, description=text.split("\n\n")[0],
        usage=f"{name} [OPTION]... MANIFEST -o DIGEST [-- OPTION OF lode digest...]",
        epilog="Exit codes as in lode: 0 done; 1 done, but recordings were skipped or are incomplete; 2 wrong usage; "
               "4 a part failed. Finished parts are kept: run the same command again to continue.")
    made.add_argument("manifest", metavar="MANIFEST", help="recordings, one per line: paths valid on all workers, or URLs")
    made.add_argument("-o", "--output", required=True, metavar="DIGEST", help="path or URL of the merged digest")
    made.add_argument("--work", metavar="DIR", help="folder or URL for digests of parts, reachable by all workers (default: DIGEST.work)")
    made.add_argument("--parts", metavar="N", help="split the recordings into N parts")
    made.add_argument("--part-size", metavar="SIZE", help="or into parts of about SIZE, such as 1G")
    return made


def plan(args, options):
    split = [f"--{name}={value}" for name, value in (("parts", args.parts), ("part-size", args.part_size)) if value]
    stores.make_folder(args.work)
    return work.plan(args.manifest, args.work, options, split)


class _Said:
    last = 0.0


def say(text, is_last=False):
    """A line that is written over on a terminal; elsewhere one each ten seconds."""
    is_terminal = sys.stderr.isatty()
    now = time.monotonic()
    if not is_last and now - _Said.last < (0.5 if is_terminal else 10):
        return
    _Said.last = now
    end = "\r" if is_terminal and not is_last else "\n"
    print(f"{text}\033[K" if is_terminal else text, end=end, file=sys.stderr, flush=True)


def main(made, run):
    words = sys.argv[1:]
    options = words[words.index("--") + 1:] if "--" in words else []
    args = made.parse_args(words[:words.index("--")] if "--" in words else words)
    try:
        if not stores.is_url(args.output):
            args.output = os.path.abspath(args.output)
        args.work = args.work or args.output + ".work"
        if not stores.is_url(args.work):
            args.work = os.path.abspath(args.work)
        work.check_output(args.output)
        stores.check(args.work)
        return run(args, options)
    except (work.Failure, stores.StoreError, OSError) as error:
        print(f"{made.prog}: {error}", file=sys.stderr)
        return 4
    except KeyboardInterrupt:
        print(f"{made.prog}: interrupted; finished parts are kept, run again to continue", file=sys.stderr)
        return 130
