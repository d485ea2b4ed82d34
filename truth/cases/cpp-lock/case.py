"""A C++ program: requests wait for a lock under which another thread rebuilds an index."""
from case import Case


class Fault(Case):
    title = "requests wait for a lock under which the maintenance thread rebuilds an index"
    runtime = "C++"
    packages = ("g++",)
    programs = ("g++",)
    culprit = ("rebuild_index",)
    caller = ("maintain", "_M_run")

    def prepare(self):
        self.program = self.build("catalogue.cc", "-pthread", compiler="g++")

    def command(self, slow):
        return [self.program, "1" if slow else "0"]
