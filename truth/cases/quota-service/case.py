"""A container's CPU limit: a client waits for a service whose threads are throttled by their cgroup."""
import contextlib
import pathlib

from case import Case, Missing, free_port


class Fault(Case):
    title = "a client waits for a service whose threads are throttled by the CPU limit of their cgroup"
    runtime = "C"
    packages = ("gcc",)
    programs = ("gcc",)
    culprit = ("CPU limit",)
    caller = ("render", "service")

    group = pathlib.Path("/sys/fs/cgroup/cpu/lode-truth")

    def prepare(self):
        try:
            self.group.mkdir(exist_ok=True)
            (self.group / "cpu.cfs_quota_us").read_text()
        except OSError as e:
            raise Missing(f"no cgroup (v1) with a CPU limit can be made: {e}") from e
        self.program = self.build("service.c", "-pthread")

    def start(self, slow):
        self.group.mkdir(exist_ok=True)
        (self.group / "cpu.cfs_quota_us").write_text("8000" if slow else "-1")
        self.port = free_port()
        service = self.serve(self.program, self.port, port=self.port)
        (self.group / "cgroup.procs").write_text(str(service.pid))

    def command(self, slow):
        stat = self.group / "cpu.stat"
        throttled = f"$(grep throttled_time {stat} | cut -d' ' -f2)"
        return ["sh", "-c", f"before={throttled}; /usr/bin/python3 {self.source}/client.py {self.port}; "
                f"echo fault_ns $(({throttled} - before))"]

    def stop(self):
        super().stop()
        with contextlib.suppress(OSError):
            self.group.rmdir()
