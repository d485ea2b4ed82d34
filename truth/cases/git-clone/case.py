"""git: a clone waits for a server whose objects were never packed."""
import json

from case import Case, Failed


class Fault(Case):
    title = "a clone waits for pack-objects, as the repository that it is made of was never packed"
    runtime = "C"
    packages = ("git",)
    programs = ("git",)
    culprit = ("git pack-objects", "pack-objects")
    caller = ("git upload-pack", "git-upload-pack", "upload-pack", "git clone")

    def prepare(self):
        import random
        generator, commits = random.Random(5), []
        lines = [generator.randbytes(20).hex() for _ in range(2500)]
        for i in range(220):
            for _ in range(40):
                lines[generator.randrange(len(lines))] = generator.randbytes(20).hex()
            text = "\n".join(lines)
            commits.append(f"commit refs/heads/main\ncommitter A <a@b> {1600000000 + i} +0000\ndata 1\n.\n"
                           f"M 100644 inline table\ndata {len(text)}\n{text}\n")
        for kind in ("slow", "fast"):
            self.run("git", "init", "-q", "--bare", "-b", "main", kind)
        # Objects of their own files, as pushes of a few commits leave them.
        self.run("git", "-C", "slow", "-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet",
                 "--depth=0", input="".join(commits))
        self.run("git", "-C", "fast", "fetch", "-q", "../slow", "main:main")
        self.run("git", "-C", "fast", "repack", "-q", "-a", "-d")

    def command(self, slow):
        # git's own clock: when each of its processes began and ended.
        return ["sh", "-c", "rm -rf copy trace; GIT_TRACE2_EVENT=$PWD/trace git clone -q --bare --no-local $0 copy; "
                "cat trace", "slow" if slow else "fast"]

    def truth_ns(self, printed):
        events = [json.loads(line) for line in printed.splitlines()]
        packers = [e["sid"] for e in events if e["event"] == "cmd_name" and e["name"] == "pack-objects"]
        ends = [e["t_abs"] for e in events if e["event"] == "atexit" and e["sid"] in packers]
        if len(ends) != 1:
            raise Failed(f"git traced {len(ends)} ends of pack-objects: {printed[-200:]!r}")
        return int(ends[0] * 1e9)
