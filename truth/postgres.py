"""A PostgreSQL cluster of a case's own, in its scratch folder."""
import glob
import os
import pwd
import signal
import subprocess
import time

from case import Case, Failed, Missing, free_port


class Postgres(Case):
    """Starts a server of its own for each run; `sql` asks it."""

    runtime = "C"
    packages = ("postgresql",)
    settings = ()

    def prepare(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not found:
            raise Missing("PostgreSQL is not installed (Debian: postgresql)")
        self.bin = found[-1]
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.data = self.scratch / "data"
        os.chmod(self.scratch, 0o755)
        self.data.mkdir()
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.data, entry.pw_uid, entry.pw_gid)
        self.run(*self.as_user(), f"{self.bin}/initdb", "-A", "trust", "-U", "postgres", "-D", self.data)
        self.port = free_port()
        self.start(False)
        try:
            self.fill()
        finally:
            self.stop()

    def fill(self):
        """Makes tables."""

    def as_user(self):
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups"] \
            if os.geteuid() == 0 else []

    def start(self, slow):
        options = [word for setting in self.settings for word in ("-c", setting)]
        self.serve(*self.as_user(), f"{self.bin}/postgres", "-D", self.data, "-p", self.port, "-k", self.data,
                   "-c", "listen_addresses=127.0.0.1", *options, port=self.port,
                   stopped_by=signal.SIGINT)  # without waiting for sessions to end
        while subprocess.run([str(w) for w in self.psql("-c", "SELECT 1")], capture_output=True, check=False).returncode:
            time.sleep(0.05)

    def psql(self, *options):
        return ["psql", "-X", "-q", "-h", self.data, "-p", self.port, "-U", "postgres", *options]

    def sql(self, text):
        printed = self.run(*self.psql("-At", "-c", text)).strip()
        if "ERROR" in printed:
            raise Failed(printed)
        return printed
