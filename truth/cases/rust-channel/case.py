"""A Rust program: requests wait in a channel while the store compacts its log."""
from case import Case


class Fault(Case):
    title = "requests wait in a channel while the thread behind it compacts its log"
    runtime = "Rust"
    packages = ("rustc",)
    programs = ("rustc",)
    culprit = ("compact_log",)
    caller = ("serve", "store")

    def prepare(self):
        self.program = self.scratch / "shop"
        self.run("rustc", "-O", "-g", "-C", "force-frame-pointers=yes", "-o", self.program, self.source / "shop.rs")

    def command(self, slow):
        return [self.program, "1" if slow else "0"]
