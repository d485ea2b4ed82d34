"""Which questions are put to a file that lode itself writes: each command that reads it, plainly and with each export.

Commands and exports are those of the program's own help, so that a new one is asked from the day it is there.
"""
import functools
import re
import subprocess

# Values of options, by the word that the help has for them.
VALUES = {"FILE": "out.file", "N": "1", "RANK": "1", "LABEL": "host", "CLASSES": "new,worse", "WHICH": "all",
          "FUNCTION": "libpython3.11.so.1.0!PyLong_FromLong"}
# No exports: they change a file's owner or run a program, or are among the questions of readers.py already.
SKIPPED = {"force", "group", "exec", "again", "output", "merge", "source-dir"}
# Options that write files, but are not under Output.
ELSEWHERE = {"triage": ["--rest out.txt"]}
# Commands that read none of these files, or have tests of their own.
OTHERS = {"serve", "shard", "record", "help", "completion"}
SERVICE = ["--log", "log", "-c", "web=web", "-c", "db=db"]
SIGNED = ["-s", "known.txt"]
# What each command is asked of each kind of file, IN: argument lists.
ASKS = {
    "index": {
        "timeline": [["IN"], ["--window", "+0,+1ms", "IN"], ["--thread", "32389", "IN"], ["--functions", "IN"],
                     ["--at", "32389:+1ms", "IN"], ["-f", "#2", "IN"], ["--during", "32389:idle", "IN"],
                     ["--functions", "--json", "IN"], ["--during", "32389:#2", "--json", "IN"],
                     ["--symptoms-out", "out.txt", "-f", "#2", "IN"],
                     ["--chrome-trace", "-", "--window", "+0,+1ms", "IN"]],
        "analyze": [["-o", "out.html", "IN"]],
    },
    "digest": {
        "mine": [["IN"], ["--scope", "critical", "IN"], ["--include", "*", "IN"]],
        "import": [["--repo", "out.lode", "IN"]],
        "digest": [["--merge", "out.digest", "IN"]],
        "diff": [["IN", "d.digest"], ["d.digest", "IN"]],
        "next": [["IN", "d.digest"], [*SIGNED, "IN"]],
        "coverage": [[*SIGNED, "IN"]],
        "triage": [[*SIGNED, "IN"]],
        "analyze": [["-o", "out.html", "IN"]],
    },
    "repository": {
        "mine": [["--repo", "IN"], ["--where", "release=1", "--repo", "IN"]],
        "coverage": [["--repo", "IN"]],
        "diff": [["--repo", "IN", "release=1", "release!=1"]],
        "triage": [["--repo", "IN", "s2.data"]],
        "next": [["--repo", "IN"]],
        "sign": [["--repo", "IN", "--list"], ["--repo", "IN", "--show", "known"], ["--repo", "IN", "-c", "1", "--name", "x"],
                 ["--repo", "IN", "--export", "out.txt"], ["--repo", "IN", "--import", "known.txt"]],
        "import": [["--repo", "IN", "s2.data"], ["--again", "--repo", "IN", "s2.data"]],
        "analyze": [["-o", "out.html", "--repo", "IN", "s2.data"]],
        "repo list": [["--repo", "IN"]],
        "repo show": [["--repo", "IN"]],
        "repo labels": [["--repo", "IN"]],
        "repo label": [["--where", "host~*", "--repo", "IN", "a=b"]],
        "repo forget": [["--where", "host~*", "--yes", "--repo", "IN"]],
        "repo prune": [["--max-age", "1d", "--dry-run", "--repo", "IN"]],
        "repo check": [["--repo", "IN"]],
        "repo compact": [["--repo", "IN"], ["--rebuild", "--repo", "IN"]],
    },
    "model": {
        "pio show": [["IN"]],
        "pio analyse": [["-m", "IN", *SERVICE],
                        ["-m", "IN", *SERVICE, "--stream", "s2.data", "--symptoms-out", "out.txt"]],
        "pio watch": [["-m", "IN", *SERVICE, "--from", "start", "--once"]],
    },
    "page": {"analyze": [["IN", "-o", "out.html"]]},
}
# Commands that do not read this kind of file, whether or not they name one that does.
OF_RECORDINGS = {"mine", "suspects", "digest", "import", "repo", "sign", "coverage", "triage", "diff", "next", "info"}
REFUSED = {
    "index": {"pio", *OF_RECORDINGS},
    "digest": {"suspects", "timeline", "pio", "repo", "sign", "info"},
    "repository": {"suspects", "timeline", "pio", "digest", "info"},
    "model": {"pio train", "pio compare", "analyze", "timeline", *OF_RECORDINGS},
    "page": {"pio", "timeline", *OF_RECORDINGS},
}
OPTION = re.compile(r"^  (?:-\w, )?--([a-z-]+)(?: ([A-Z]+))? *(.*(?:\n {10}.*)*)", re.M)


@functools.cache
def help_of(lode, command=""):
    return subprocess.run([lode, *command.split(), "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=True).stdout


def commands(lode):
    """Of commands with verbs ("Usage: lode repo list|show ..."), each verb is one."""
    out = []
    for name in re.findall(r"^  ([a-z]+) {2,}", help_of(lode).split("Commands:\n")[1].split("\n\n")[0], re.M):
        verbs = re.search(rf"^Usage: lode {name} ([a-z]+(?:\|[a-z]+)+)", help_of(lode, name), re.M)
        out += [f"{name} {verb}" for verb in verbs.group(1).split("|")] if verbs else [name]
    return out


def exports(lode, command):
    """Argument lists, one for each option under "Output" of the command's help."""
    text = re.split(r"^Output:\n", help_of(lode, command), maxsplit=1, flags=re.M)
    out = [words.split() for words in ELSEWHERE.get(command, [])]
    for name, value, says in OPTION.findall(text[1].split("\n\n")[0]) if len(text) > 1 else []:
        if name in SKIPPED or (command == "analyze" and name == "json"):  # analyze says how long it took
            continue
        # "own (default), total (inclusive), ...": the second.
        values = VALUES | {"BY": re.split(r"[,(]\s*", says + ",")[2].split(maxsplit=1)[0] if value == "BY" else ""}
        if value and value not in values:
            raise SystemExit(f"torture: lode {command} --{name} {value}: add {value} to VALUES in "
                             "tests/torture/questions.py")
        needs = re.match(r"with --(\w+)", says)
        before = {"json": ["--json"], "detail": ["--json", "--detail"], "html": ["--html", "out.html"],
                  None: []}[needs and needs.group(1)]
        out.append(before + [f"--{name}"] + ([values[value]] if value else []))
    return out


def questions(lode, kind):
    """Argument lists: those of ASKS, and the first of each command with every export of the command.

    A command that neither asks this kind of file nor refuses it ends the run.
    """
    asks = ASKS[kind]
    known = {*OTHERS, *REFUSED[kind], *asks}
    missing = [c for c in commands(lode) if c not in known and c.split()[0] not in known]
    if missing:
        raise SystemExit(f"torture: lode {missing[0]} is not asked about a {kind}: add it to tests/torture/questions.py")
    out = []
    for command, lists in asks.items():
        out += [[*command.split(), *arguments] for arguments in lists]
        out += [[*command.split(), *export, *lists[0]] for export in exports(lode, command)]
    return out
