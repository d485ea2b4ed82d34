"""A container's memory limit: the pages of a file are dropped and read again, as the cgroup may not keep them."""
import contextlib
import os
import pathlib

from case import Case, Missing


class Fault(Case):
    title = "a look-up reads pages of its index from the disk again and again, as its cgroup may not keep them"
    runtime = "C"
    packages = ("gcc",)
    programs = ("gcc",)
    culprit = ("disk",)
    caller = ("look_up",)

    group = pathlib.Path("/sys/fs/cgroup/memory/lode-truth")

    def prepare(self):
        try:
            self.group.mkdir(exist_ok=True)
            (self.group / "memory.limit_in_bytes").read_text()
        except OSError as e:
            raise Missing(f"no cgroup (v1) with a memory limit can be made: {e}") from e
        self.program = self.build("index.c")
        with open(self.scratch / "pages", "wb") as f:
            for i in range(96):
                f.write(bytes([i]) * (1 << 20))
        self.run("sync", self.scratch / "pages")

    def command(self, slow):
        self.group.mkdir(exist_ok=True)
        (self.group / "memory.limit_in_bytes").write_text("32M" if slow else "-1")
        # Pages belong to the cgroup that reads them first.
        with open(self.scratch / "pages", "rb") as f:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return [self.program, self.group / "cgroup.procs", self.scratch / "pages"]

    def stop(self):
        super().stop()
        with contextlib.suppress(OSError):
            self.group.rmdir()
