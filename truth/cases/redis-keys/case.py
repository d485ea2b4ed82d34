"""Redis: a client waits while KEYS of another runs through all keys."""
from case import Case, free_port


class Fault(Case):
    title = "a client's GETs wait while another client's KEYS runs"
    runtime = "C"
    packages = ("redis-server",)
    programs = ("redis-server", "redis-cli")
    culprit = ("keysCommand",)

    def start(self, slow):
        self.port = free_port()
        self.serve("redis-server", "--port", self.port, "--save", "", "--appendonly", "no",
                   "--enable-debug-command", "local", port=self.port)
        self.run("redis-cli", "-p", self.port, "DEBUG", "POPULATE", 400000)
        if slow:
            self.serve("redis-cli", "-p", self.port, "-r", 1000, "-i", "0.02", "KEYS", "none:*")

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "client.py", self.port]
