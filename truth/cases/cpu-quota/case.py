"""A container's CPU limit: a program is throttled by its cgroup, whether or not CPUs are free."""
import contextlib
import pathlib

from case import Case, Missing


class Fault(Case):
    title = "a program is throttled by the CPU limit of its cgroup"
    runtime = "C"
    packages = ("gzip",)
    programs = ("gzip",)
    culprit = ("CPU limit",)
    caller = ("gzip",)

    group = pathlib.Path("/sys/fs/cgroup/cpu/lode-truth")

    def prepare(self):
        try:
            self.group.mkdir(exist_ok=True)
            (self.group / "cpu.cfs_quota_us").read_text()
        except OSError as e:
            raise Missing(f"no cgroup (v1) with a CPU limit can be made: {e}") from e
        (self.scratch / "data").write_text(" ".join(str(i * 7919 % 99991) for i in range(500000)))

    def command(self, slow):
        group = self.group
        group.mkdir(exist_ok=True)
        (group / "cpu.cfs_quota_us").write_text("10000" if slow else "-1")
        throttled = f"$(grep throttled_time {group}/cpu.stat | cut -d' ' -f2)"
        return ["sh", "-c", f"echo $$ > {group}/cgroup.procs; before={throttled}; gzip -6 < data > /dev/null; "
                f"echo fault_ns $(({throttled} - before)); echo $$ > {group.parent}/cgroup.procs"]

    def stop(self):
        super().stop()
        with contextlib.suppress(OSError):
            self.group.rmdir()
