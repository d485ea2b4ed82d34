"""OpenMP: threads wait at a barrier for the one with the largest part of the work."""
from case import Case


class Fault(Case):
    title = "threads of OpenMP wait at a barrier for the one whose rows are all full"
    runtime = "C"
    packages = ("gcc",)
    programs = ("gcc",)
    culprit = ("multiply_row",)

    def prepare(self):
        self.program = self.build("rows.c", "-fopenmp")

    def command(self, slow):
        return [self.program, str(int(slow))]
