"""A Go service: handlers wait for a mutex that a refresh holds."""
from case import Case


class Fault(Case):
    title = "handlers wait for a mutex while the cache is rebuilt under it"
    runtime = "Go"
    packages = ("golang-go",)
    programs = ("go",)
    culprit = ("rebuildCache", "main.rebuildCache", "main.(*Cache).rebuild")
    only_trend = "goroutines wait without a thread"

    def prepare(self):
        import os
        self.program = self.scratch / "service"
        self.run("go", "build", "-o", self.program, self.source / "service.go",
                 env={**os.environ, "GOCACHE": str(self.scratch / "go"), "GO111MODULE": "off", "GOFLAGS": ""})

    def command(self, slow):
        return [self.program, "1" if slow else "0"]
