"""LMDB: a writer waits for the lock between processes, which another process's long transaction holds."""
import subprocess

from case import Case, Missing


class Fault(Case):
    title = "a write to LMDB waits for another process, which hashes inside its write transaction"
    runtime = "Python"
    packages = ("python3-lmdb",)
    programs = ("/usr/bin/python3",)
    culprit = ("python3 import.py",)

    def need(self):
        super().need()
        if subprocess.run(["/usr/bin/python3", "-c", "import lmdb"], stderr=subprocess.DEVNULL, check=False).returncode:
            raise Missing("python3-lmdb is not installed (Debian: python3-lmdb)")

    def command(self, slow):
        python, database = "/usr/bin/python3", self.scratch / "db"
        other = f"{python} {self.source}/import.py {database} & while [ ! -e {database}/held ]; do sleep 0.01; done; "
        return ["sh", "-c", f"rm -f {database}/held; {other if slow else ''}exec {python} {self.source}/put.py {database}"]
