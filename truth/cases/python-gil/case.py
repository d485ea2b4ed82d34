"""CPython: a thread that serves requests waits for the GIL, which another holds in a C function."""
from case import Case


class Fault(Case):
    title = "a thread waits for the GIL, which another holds while it sorts"
    runtime = "Python"
    packages = ("python3",)
    programs = ("/usr/bin/python3",)
    culprit = ("sorter", "PyList_Sort", "list_sort", "list.sort")

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "requests.py", "1" if slow else "0"]
