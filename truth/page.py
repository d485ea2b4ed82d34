"""The table of docs/truth.md, and the paragraph below it."""
import datetime
import os
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "truth.md"
MARKS = ("<!-- figures: written by truth/run.py --doc -->\n", "<!-- end of figures -->\n")
HEADINGS = ("case", "runtime", "rank", "first line names it", "own cost / truth", "without a name", "false alarms",
            "5 % and the same", "found by diff", "off-CPU flame graph", "perf report", "CPU flame graph")
PEERS = HEADINGS[-3:]


def percent(row):
    return 100 * row["own_ns"] / row["truth_ns"] if row["own_ns"] and row["truth_ns"] else None


def cell(value, text="{}"):
    return "-" if value is None else text.format(value)


def cells(row):
    if "failed" in row:
        return [f"{row['case']}: {row['title']}", row["runtime"],
                "not run: " + re.sub(r"[|\s]+", " ", row["failed"])[:120]] + [""] * (len(HEADINGS) - 3)
    return [f"{row['case']}: {row['title']}", row["runtime"], cell(row["rank"]), "yes" if row["in_first_line"] else "no",
            cell(percent(row), "{:.0f} %"), f"{row['unnamed_pct']:.1f} %", row["false_alarms"], row["n_same"],
            cell(row["rank_in_diff"]), *(cell(place) for place in row["peers"].values())]


def line(words):
    return "| " + " | ".join(str(word) for word in words) + " |\n"


def counts(rows):
    """How often what was found, in words."""
    top3 = sum(row["rank"] in (1, 2, 3) for row in rows)
    named = sum(row["in_first_line"] for row in rows)
    close = sum(percent(row) is not None and 85 <= percent(row) <= 115 for row in rows)
    alarms = sum(row["false_alarms"] > 0 for row in rows)
    found = sum(row["rank_in_diff"] is not None for row in rows)
    peers = (f"{name}: {sum(place is not None for place in places)}"
             for name, places in zip(PEERS, zip(*(row["peers"].values() for row in rows))))
    return (f"{len(rows)} cases: the first line names the cause in {named}, the first three clusters hold it in {top3}, "
            f"own cost is within 15 % of the truth in {close}. `lode diff` of healthy and slow runs names it in {found}; "
            f"of healthy and healthy runs it reports a change in {alarms}. "
            f"Cases whose culprit is among the first ten: {', '.join(peers)}.")


def summary(rows, slow, healthy):
    done = [row for row in rows if "failed" not in row]
    if not done:
        return ""
    days = sorted({datetime.date.fromtimestamp(row["recorded"]).isoformat() for row in done})
    loads = sorted(row["load"] for row in done)
    return (f"\n{counts(done)}\n\n"
            f"{slow} slow and {healthy} healthy runs of each case, recorded on {' and '.join(days)} on {os.cpu_count()} CPUs. "
            f"{sum(row['seconds'] for row in done) / 60:.0f} minutes in all; the longest case took "
            f"{max(row['seconds'] for row in done):.0f} s. Load of the machine when cases began (1-minute average, with the case "
            f"before): {loads[len(loads) // 2]:.1f} in the median, {loads[-1]:.1f} at most.\n")


def write_page(rows, slow, healthy):
    text = PAGE.read_text(encoding="utf-8")
    if any(text.count(mark) != 1 for mark in MARKS):
        raise OSError(f"{PAGE}: expected each of these lines once: {' '.join(MARKS)}")
    before, rest = text.split(MARKS[0])
    figures = line(HEADINGS) + "|" + "---|" * len(HEADINGS) + "\n" + "".join(line(cells(row)) for row in rows)
    PAGE.write_text(before + MARKS[0] + figures + summary(rows, slow, healthy) + MARKS[1] + rest.split(MARKS[1])[1],
                    encoding="utf-8")
