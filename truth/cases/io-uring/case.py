"""io_uring: a scan waits for the disk, a block at a time."""
from case import Case


class Fault(Case):
    title = "a scan reads blocks by io_uring past the page cache, and waits for each of them"
    runtime = "C"
    packages = ("gcc", "liburing-dev")
    programs = ("gcc",)
    culprit = ("disk",)
    caller = ("await_block", "io_cqring_wait")

    def prepare(self):
        self.program = self.build("scan.c", "-luring")
        with open(self.scratch / "segment", "wb") as f:
            for i in range(64):
                f.write(bytes([i]) * (1 << 20))
        self.run("sync", self.scratch / "segment")

    def command(self, slow):
        return [self.program, self.scratch / "segment", "1" if slow else "0"]
