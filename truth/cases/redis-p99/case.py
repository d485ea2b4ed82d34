"""Redis: the slowest 1 % of a client's requests meet another client's intersection of large sets."""
import re

from case import Case, free_port


class Fault(Case):
    title = "the slowest 1 % of a client's requests wait while another client's sets are intersected"
    runtime = "C"
    packages = ("redis-server",)
    programs = ("redis-server", "redis-cli")
    culprit = ("sinterGenericCommand", "sinterstoreCommand", "busy with redis-cli")

    def start(self, slow):
        self.port = free_port()
        self.serve("redis-server", "--port", self.port, "--save", "", "--appendonly", "no", port=self.port)
        for name in "ab":
            self.run("redis-cli", "-p", self.port, "EVAL",
                     "for i = 1, 20000 do redis.call('SADD', KEYS[1], 'member:' .. i) end", 1, name)
        if slow:
            self.serve("redis-cli", "-p", self.port, "-r", 1000, "-i", "0.1", "SINTERSTORE", "both", "a", "b")

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "client.py", self.port]

    def symptoms(self, printed):
        return [tuple(map(int, row)) for row in re.findall(r"^request (\d+) (\d+) (\d+)$", printed, re.MULTILINE)]
