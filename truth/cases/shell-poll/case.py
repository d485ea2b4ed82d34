"""A script polls for a lock file that another script holds while it compresses."""
from case import Case


class Fault(Case):
    title = "a script sleeps and looks until the lock file of another one is gone, which compresses"
    runtime = "sh"
    packages = ("gzip",)
    programs = ("gzip", "sh")
    culprit = ("gzip", "gzip -9")

    def prepare(self):
        import random
        generator = random.Random(5)
        words = [generator.randbytes(3).hex() for _ in range(900)]
        (self.scratch / "data").write_text(" ".join(generator.choice(words) for _ in range(1400000)))

    def command(self, slow):
        holder = "sh -c 'gzip -9 < data > data.gz; rm held' & touch held; " if slow else ""
        return ["sh", "-c", f"rm -f held; {holder}start=$(date +%s%N); while [ -e held ]; do sleep 0.1; done; "
                "echo fault_ns $(($(date +%s%N) - start))"]
