"""Four servers in a row over TCP; the last one rebuilds an index in some look-ups."""
from case import Case, free_port


class Fault(Case):
    title = "a request goes through four servers over TCP, the last of which rebuilds an index"
    runtime = "C"
    packages = ("gcc",)
    programs = ("gcc",)
    culprit = ("rehash_index",)
    caller = ("lookup_row", "serve")  # leaf functions may have no frame, so that their caller is missing

    def prepare(self):
        self.program = self.build("chain.c")

    def start(self, slow):
        ports = [free_port() for _ in range(4)]
        self.port = ports[0]
        for i in reversed(range(4)):
            name = ("gateway", "auth", "pricing", "store")[i]
            self.serve(self.program, name, ports[i], ports[i + 1] if i < 3 else 0, int(slow), port=ports[i])

    def command(self, slow):
        return [self.program, "client", 0, self.port, 0]
