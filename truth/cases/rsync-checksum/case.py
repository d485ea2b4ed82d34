"""rsync: a copy that changes nothing waits for the checksums of all files."""
import os

from case import Case


class Fault(Case):
    title = "rsync compares files by checksum, though their sizes and times would do"
    runtime = "C"
    packages = ("rsync",)
    programs = ("rsync",)
    culprit = ("md5_process", "file_checksum", "get_checksum2", "XXH3_64bits_update", "XXH3_128bits_update", "MD5_Update",
               "rsync", "rsync --server")

    def prepare(self):
        for i in range(40):
            (self.scratch / "from").mkdir(exist_ok=True)
            (self.scratch / "from" / f"f{i}").write_bytes(os.urandom(1 << 20) * 12)
        self.run("rsync", "-a", "from/", "to/")

    def command(self, slow):
        how = "--checksum --checksum-choice=md5" if slow else ""
        return ["sh", "-c", f"start=$(date +%s%N); rsync -a {how} from/ to/; echo fault_ns $(($(date +%s%N) - start))"]
