#!/usr/bin/env python3
"""tools/test-summary: what failed is printed, wherever it stands in the output."""
import json
import os
import subprocess
import sys
import tempfile

TOP = os.environ["LODE_TOP"]


def summary(tests):
    with tempfile.TemporaryDirectory() as folder:
        log, results = os.path.join(folder, "log.json"), os.path.join(folder, "results")
        with open(log, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(test) + "\n" for test in tests)
        done = subprocess.run([os.path.join(TOP, "tools", "test-summary"), "gcc", log, results],
                              capture_output=True, text=True, check=False)
        with open(results, encoding="utf-8") as lines:
            return done.returncode, done.stdout, lines.read()


def tap(n_passed, *failed):
    lines = [f"1..{n_passed + len(failed)}", *failed]
    return "\n".join(lines + [f"ok {i} case-{i}\n# of case {i}" for i in range(n_passed)]) + "\n"


def main():
    long = "not ok 2 long\n" + "\n".join(f"# line {i}" for i in range(300))
    code, text, results = summary([
        {"name": "cli", "result": "FAIL", "stdout": tap(200, "not ok 1 short\n# why", long), "stderr": "end\n"},
        {"name": "unit", "result": "OK", "stdout": "[       OK ] a\n"},
        {"name": "crash", "result": "FAIL", "stdout": "\n".join(f"said {i}" for i in range(99))},
    ])
    assert code == 1, code
    assert results == "200 2 gcc: cli\n1 0 gcc: unit\n0 1 gcc: crash\n", results
    lines = text.splitlines()
    assert lines[:4] == ["FAILED: gcc: cli (FAIL)", "not ok 1 short", "# why", "not ok 2 long"], lines[:4]
    assert "# line 118" in lines and "# line 119" not in lines and "end" in lines
    assert not [line for line in lines if line.startswith("ok ") or "of case" in line]
    assert "said 98" in lines and "said 38" not in lines
    code, text, _ = summary([{"name": "cli", "result": "OK", "stdout": tap(3)}])
    assert (code, text) == (0, ""), (code, text)


if __name__ == "__main__":
    sys.exit(main())
