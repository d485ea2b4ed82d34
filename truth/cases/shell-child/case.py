"""A shell script waits for a child that sorts more than it needs to."""
from case import Case


class Fault(Case):
    title = "a script waits for sort, which is given all lines in place of the new ones"
    runtime = "sh"
    packages = ("coreutils",)
    culprit = ("sort",)

    def prepare(self):
        with open(self.scratch / "all", "w", encoding="ascii") as f:
            f.writelines(f"{i * 2654435761 % 4294967296:08x} entry {i}\n" for i in range(900000))
        with open(self.scratch / "new", "w", encoding="ascii") as f:
            f.writelines(f"{i * 40503 % 65536:08x} entry {i}\n" for i in range(2000))

    def command(self, slow):
        return ["bash", self.source / "report.sh", "all" if slow else "new"]
