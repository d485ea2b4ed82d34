"""A C++ store: requests wait for a lock under which the flusher waits for the disk."""
from case import Case


class Fault(Case):
    title = "requests wait for a lock under which the flusher thread syncs the log to the disk"
    runtime = "C++"
    packages = ("g++",)
    programs = ("g++",)
    culprit = ("fdatasync", "sync_log")
    caller = ("flush", "_M_run")

    def prepare(self):
        self.program = self.build("store.cc", "-pthread", compiler="g++")

    def command(self, slow):
        return [self.program, "1" if slow else "0"]
