"""tar writes into a pipe, and waits for the zstd at its other end."""
from case import Case


class Fault(Case):
    title = "tar waits at a pipe for zstd, which was told to compress as well as it can"
    runtime = "C"
    packages = ("tar", "zstd")
    programs = ("tar", "zstd")
    culprit = ("zstd", "ZSTD_compressStream2", "ZSTD_compressStream")

    def prepare(self):
        import random
        folder, generator = self.scratch / "data", random.Random(3)
        folder.mkdir()
        words = [generator.randbytes(5).hex() for _ in range(4000)]
        for i in range(12):
            (folder / f"log.{i}").write_text(" ".join(generator.choices(words, k=40000)))

    def command(self, slow):
        return ["bash", "-c", "start=$(date +%s%N); tar -cf - data | zstd -q --single-thread $0 > out.zst; "
                "echo fault_ns $(($(date +%s%N) - start))", "-17" if slow else "-1"]
