"""Holds what lode says of a case's recordings against the truth."""
import json
import pathlib
import random
import re
import subprocess

WORD = re.compile(r"[^\s›…→,]+")


def run(*argv):
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(str(a) for a in argv[:6])} ...: exit {done.returncode}: "
                           f"{done.stderr[-500:]}")
    return done.stdout


def names_one(text, names):
    """Whether the text names one of them: a function, with or without what qualifies it, or a thread.

    Of `JS:*renderReport`, as Node's maps have it for perf, and `Index::rebuild(int)` the names are meant.
    """
    words = {part for word in WORD.findall(text)
             for part in (word, re.split(r"!|::|^\w+:[*~^+]?(?!:)", word.partition("(")[0])[-1])}
    return any(name in words or (" " in name and name in text) for name in names)


def first_lines(text):
    """What the first screen says of each cluster, by rank, without the variants."""
    lines, rank, column = {}, 0, 0
    for line in text.splitlines():
        row = re.match(r" *(\d+) +<?[\d.]+ % ", line)
        if not column:
            column = max(0, line.find("who waits → for whom"))
        elif row:
            rank = int(row[1])
            lines[rank] = line[column:]
        elif not line.strip():
            rank = 0
        elif rank and not line.lstrip().startswith("┆"):
            lines[rank] += "\n" + line.strip()
    return lines


def digests(lode, folder, recordings):
    """Each recording is read once: what digests say is what their recordings say."""
    run(lode, "digest", "-o", folder, *recordings)
    return folder


def diff(lode, a, b):
    options = [word for folder in a for word in ("-a", folder)] + [word for folder in b for word in ("-b", folder)]
    return json.loads(run(lode, "diff", "--json", "--top", 0, *options))


def drawn_halves(runs, seed):
    """Two sets by chance: what drifts while a case is recorded is then in both, as `lode diff` assumes."""
    runs = sorted(runs)
    random.Random(seed).shuffle(runs)
    return sorted(runs[:len(runs) // 2]), sorted(runs[len(runs) // 2:])


def headline(change):
    return "\n".join(hop["thread"] + "  " + " › ".join(hop["functions"] + hop.get("branch", []))
                     for hop in change["headline"])


def score(lode, case, slow, healthy, truth_ns, scratch):
    """The figures of one case: of `slow` and `healthy` recordings, and what the fault cost in the slow ones."""
    scratch = pathlib.Path(scratch)
    bad = digests(lode, scratch / "slow.digests", slow)
    good = [digests(lode, scratch / f"healthy-{i}.digests", part)
            for i, part in enumerate(drawn_halves(healthy, case.title))]
    mined = json.loads(run(lode, "mine", "--json", "--top", 50, bad))
    text = run(lode, "mine", "--top", 50, bad)
    lines = first_lines(text)
    cause = next((c for c in mined["clusters"] if names_one(lines.get(c["rank"], ""), case.culprit)), None)
    unnamed = re.search(r"<?([\d.]+) % of the cost has no symbol", text)
    alike = diff(lode, good[:1], good[1:])
    changed = diff(lode, good, [bad])
    more = [c for c in changed["clusters"] if c["class"] in ("new", "worse")]
    return {
        "rank": cause and cause["rank"],
        "line": lines.get(1, ""),
        "in_first_line": names_one(lines.get(1, ""), case.culprit) and
                         (not case.caller or names_one(lines.get(1, ""), case.caller)),
        "own_ns": cause and cause["own_ns"],
        "truth_ns": truth_ns,
        "symptom_ns": mined["symptom_ns"],
        "unnamed_pct": float(unnamed[1]) if unnamed else 0.0,
        "false_alarms": alike["counts"]["new"] + alike["counts"]["worse"],
        "n_same": sum(c["class"] == "same" and 20 * c["a"]["cost_ns"] > changed["a"]["symptom_ns"]
                      for c in changed["clusters"]),
        "rank_in_diff": next((i for i, c in enumerate(more, 1) if names_one(headline(c), case.culprit)), None),
        "largest": [{"rank": c["rank"], "own_ns": c["own_ns"], "line": lines.get(c["rank"], "")}
                    for c in mined["clusters"][:5]],
    }
