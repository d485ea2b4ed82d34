#!/usr/bin/env python3
"""truth/run.py without recordings: a case that fails costs the others nothing, nothing is left running, and the page
says what was found."""
import argparse
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(os.environ["LODE_TOP"]) / "truth"))
import page  # pylint: disable=wrong-import-position
import peers  # pylint: disable=wrong-import-position
import run  # pylint: disable=wrong-import-position
import runs  # pylint: disable=wrong-import-position
import score  # pylint: disable=wrong-import-position
from case import Case, Failed, Missing  # pylint: disable=wrong-import-position

TABLE = """
#   share      own    total  why           who waits → for whom
1  60.3 %   1.64 s   1.64 s  network 73 %  client  read
           → gateway → auth
           → store  serve › rehash_index
           ┆ rehash_index 1.20 s
2  <0.1 %   807 ms   807 ms  timer 79 %    client  clock_nanosleep

1 more cluster
"""
FIGURES = {"rank": 1, "line": "", "in_first_line": True, "own_ns": 97, "truth_ns": 100, "unnamed_pct": 0.5,
           "false_alarms": 0, "n_same": 1, "rank_in_diff": 1, "largest": []}
PLACES = {"off-CPU flame graph": None, "perf report --children": 5, "CPU flame graph": 1}


def arguments(folder, **values):
    return argparse.Namespace(**{"keep": folder, "reuse": None, "resume": False, "only_record": False, "doc": True, "slow": 5,
                                 "healthy": 10, "seconds": 5, "lode": None, "lode_hash": "a", "perf": "perf", **values})


class Scoring(unittest.TestCase):
    def test_first_lines_are_without_variants(self):
        self.assertEqual(score.first_lines(TABLE), {1: "client  read\n→ gateway → auth\n→ store  serve › rehash_index",
                                                    2: "client  clock_nanosleep"})

    def test_names_are_whole(self):
        line = "→ php-fpm: pool www  zend_sort › Ledger::sum"
        self.assertTrue(score.names_one(line, ("sum",)))
        self.assertTrue(score.names_one(line, ("php-fpm: pool www",)))
        self.assertFalse(score.names_one(line, ("sort", "Led")))
        self.assertTrue(score.names_one("node\nJS:*renderReport server.js:4", ("renderReport",)))
        self.assertTrue(score.names_one("Index::rebuild(std::string, int)", ("rebuild",)))

    def test_peers_count_stacks_of_all_recordings(self):
        profiles = [([[["a", "wait"], 5]], [[["a", "main", "hot"], 2], [["b", "main"], 3]]),
                    ([[["a", "wait"], 5], [["c", "lock"], 8]], [[["a", "main", "hot"], 2]])]
        self.assertEqual(peers.places(profiles, ("lock",)), {"off-CPU flame graph": 2, "perf report --children": None,
                                                             "CPU flame graph": None})
        self.assertEqual(peers.places(profiles, ("hot",))["CPU flame graph"], 1)
        self.assertEqual(peers.places(profiles, ("hot",))["perf report --children"], 2)


class Running(unittest.TestCase):
    def test_what_takes_too_long_fails(self):
        with self.assertRaisesRegex(Failed, "longer than 1 s"), runs.within(1):
            time.sleep(5)

    def test_no_process_is_left(self):
        """Also one in a session of its own whose parent ended."""
        runs.adopt_orphans()
        subprocess.run(["sh", "-c", "setsid sleep 100 & sleep 200 &"], check=True)
        self.assertTrue(runs.children())
        runs.end_children()
        self.assertFalse(runs.children())

    def test_own_symptoms_take_the_place_of_the_commands_life(self):
        with tempfile.TemporaryDirectory() as folder:
            bundle = pathlib.Path(folder)
            table = bundle / "symptoms.tsv"
            table.write_text("stream\tpid\ttid\tt0_ns\tt1_ns\nperf.data.zst\t7\t7\t100\t900\n")
            runs.write_symptoms(bundle, [(8, 200, 300), (8, 500, 700)])
            self.assertEqual(table.read_text(), "stream\ttid\tt0_ns\tt1_ns\n"
                             "perf.data.zst\t8\t200\t300\nperf.data.zst\t8\t500\t700\n")

    def test_a_failing_case_is_tried_again_and_stops_nobody(self):
        tried, saved = [], []

        def measure(_args, name, folder, _scratch):
            tried.append(name)
            folder.mkdir(parents=True, exist_ok=True)
            if name == "a" or (name == "c" and tried.count("c") == 1):
                raise Failed("broken")
            if name == "b":
                raise Missing("not installed")
            (folder / "truth.json").write_text('{"slow": 5, "healthy": 10}')
            return {"case": name, "title": "", "runtime": "C", "lode": "a", "peers": PLACES, "seconds": 1, "load": 0,
                    "recorded": 0, **FIGURES}

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(run, "measure", measure), \
                mock.patch.object(run, "load_case", lambda *_: Case("", "")), \
                mock.patch.object(run, "write_page", lambda rows, *_: saved.append([r["case"] for r in rows])), \
                contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            args = arguments(pathlib.Path(folder))
            rows = run.run_all(args, list("abcd"), list("abcd"))
            self.assertEqual(tried, list("abcdac"))
            self.assertEqual([("failed" in r) for r in rows], [True, True, False, False])
            self.assertEqual(saved[-1], list("abcd"))
            # What was found is found there; with another program it is scored again.
            args.resume = True
            run.run_all(args, list("cd"), list("abcd"))
            self.assertEqual(len(tried), 6)
            args.lode_hash = "b"
            run.run_all(args, ["d"], list("abcd"))
            self.assertEqual(tried[6:], ["d"])


class Page(unittest.TestCase):
    def test_only_figures_change(self):
        rows = [{"case": "a", "title": "it waits", "runtime": "C", "peers": PLACES, "seconds": 60, "load": 0.5, "recorded": 0,
                 **FIGURES},
                {"case": "b", "title": "it waits", "runtime": "C", "failed": "no\n| port", "is_missing": False}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "truth.md"
            path.write_text("# Truth\n" + page.MARKS[0] + "old\n" + page.MARKS[1] + "rest\n")
            with mock.patch.object(page, "PAGE", path):
                page.write_page(rows, 5, 10)
                page.write_page(rows, 5, 10)
            text = path.read_text()
        self.assertTrue(text.startswith("# Truth\n") and text.endswith("rest\n"))
        self.assertIn("| a: it waits | C | 1 | yes | 97 % | 0.5 % | 0 | 1 | 1 | - | 5 | 1 |\n", text)
        self.assertIn("| not run: no port |", text)
        self.assertIn("1 cases: the first line names the cause in 1", text)
        self.assertEqual({row.count(" |") for row in text.splitlines() if row.startswith("| ")}, {len(page.HEADINGS)})


if __name__ == "__main__":
    unittest.main()
