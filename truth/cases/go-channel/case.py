"""Go: producers wait at a channel for its only slow consumer."""
import os

from case import Case


class Fault(Case):
    title = "a pipeline of goroutines waits at a channel for the stage that matches a regular expression"
    runtime = "Go"
    packages = ("golang-go",)
    programs = ("go",)
    culprit = ("main.redactLine", "main.redact")

    def prepare(self):
        self.program = self.scratch / "pipeline"
        self.run("go", "build", "-o", self.program, self.source / "pipeline.go",
                 env={**os.environ, "GOCACHE": str(self.scratch / "go"), "GO111MODULE": "off", "GOFLAGS": ""})

    def command(self, slow):
        return [self.program, str(int(slow))]
