"""A Go service: handlers wait for a mutex that a refresh holds, and so do its clients."""
import os

from case import Case, free_port


class Fault(Case):
    title = "a client waits for a handler, which waits for a mutex while the cache is rebuilt under it"
    runtime = "Go"
    packages = ("golang-go",)
    programs = ("go",)
    culprit = ("rebuildCache", "main.rebuildCache")
    caller = ("refresh", "main.refresh", "service")

    def prepare(self):
        self.program = self.scratch / "service"
        self.run("go", "build", "-o", self.program, self.source / "service.go",
                 env={**os.environ, "GOCACHE": str(self.scratch / "go"), "GO111MODULE": "off", "GOFLAGS": ""})

    def start(self, slow):
        self.port = free_port()
        self.serve(self.program, self.port, int(slow), port=self.port)

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "client.py", self.port]
