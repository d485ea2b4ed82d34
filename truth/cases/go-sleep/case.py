"""A Go service: handlers wait for a mutex whose holder sleeps. No thread waits for that mutex: goroutines do."""
import os

from case import Case, free_port


class Fault(Case):
    title = "a client waits for a handler, which waits for a mutex whose holder sleeps"
    runtime = "Go"
    packages = ("golang-go",)
    programs = ("go",)
    culprit = ("no goroutine to run",)  # what a recording of the kernel's can know; Go's execution trace has the rest
    caller = ("service",)

    def prepare(self):
        self.program = self.scratch / "service"
        self.run("go", "build", "-o", self.program, self.source / "service.go",
                 env={**os.environ, "GOCACHE": str(self.scratch / "go"), "GO111MODULE": "off", "GOFLAGS": ""})

    def start(self, slow):
        self.port = free_port()
        self.serve(self.program, self.port, int(slow), port=self.port)

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "client.py", self.port]
