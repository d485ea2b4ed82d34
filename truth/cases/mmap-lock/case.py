"""The address space's lock: a thread that maps memory waits for one that populates a large mapping."""
from case import Case


class Fault(Case):
    title = "requests that allocate wait for mmap_lock while another thread populates a large mapping"
    runtime = "C"
    packages = ("gcc",)
    programs = ("gcc",)
    culprit = ("refresh_cache", "cache")

    def prepare(self):
        self.program = self.build("serve.c", "-pthread")

    def command(self, slow):
        return [self.program, str(int(slow))]
