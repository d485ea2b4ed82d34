"""asyncio: a request waits while another one's handler compresses in the event loop."""
from case import Case, free_port


class Fault(Case):
    title = "a request waits in asyncio's event loop behind one whose handler compresses without a thread"
    runtime = "Python"
    packages = ("python3",)
    programs = ("/usr/bin/python3",)
    culprit = ("lzma_code",)
    caller = ("python3 server.py",)

    def start(self, slow):
        self.port = free_port()
        self.serve("/usr/bin/python3", self.source / "server.py", self.port, port=self.port)

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "client.py", self.port, str(int(slow))]
