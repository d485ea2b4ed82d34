"""Node: a request waits while the event loop makes a report."""
from case import Case, free_port


class Fault(Case):
    title = "a request waits in Node's event loop behind one that makes a report"
    runtime = "Node"
    packages = ("nodejs",)
    programs = ("node",)
    culprit = ("renderReport",)

    def start(self, slow):
        self.port = free_port()
        self.serve("node", "--perf-basic-prof", "--interpreted-frames-native-stack", self.source / "server.js",
                   self.port, port=self.port)

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "client.py", self.port, "1" if slow else "0"]
