"""A read-write lock: a writer starves behind readers whose turns overlap."""
from case import Case


class Fault(Case):
    title = "an update waits for a read-write lock, as the turns of two threads that scan a table overlap"
    runtime = "C"
    packages = ("gcc",)
    programs = ("gcc",)
    culprit = ("scan_table",)

    def prepare(self):
        self.program = self.build("table.c", "-pthread")

    def command(self, slow):
        return [self.program, str(int(slow))]
