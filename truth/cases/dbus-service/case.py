"""D-Bus: a call waits for a service that is at another client's call."""
import subprocess

from case import Case, Missing


class Fault(Case):
    title = "a D-Bus call waits for a service that verifies a checksum for another client"
    runtime = "Python"
    packages = ("dbus", "python3-dbus", "python3-gi")
    programs = ("dbus-daemon", "dbus-send", "/usr/bin/python3")
    culprit = ("PKCS5_PBKDF2_HMAC",)
    caller = ("python3 service.py",)

    def need(self):
        super().need()
        if subprocess.run(["/usr/bin/python3", "-c", "import dbus, gi"], stderr=subprocess.DEVNULL, check=False).returncode:
            raise Missing("python3-dbus or python3-gi is not installed (Debian: python3-dbus, python3-gi)")

    def start(self, slow):
        address = f"unix:path={self.scratch}/bus"
        (self.scratch / "bus").unlink(missing_ok=True)
        self.serve("dbus-daemon", "--session", "--nofork", f"--address={address}", path=self.scratch / "bus")
        ready = self.scratch / "ready"
        ready.unlink(missing_ok=True)
        self.address = address
        self.serve("/usr/bin/python3", self.source / "service.py", address, ready, path=ready)

    def command(self, slow):
        send = f"dbus-send --bus={self.address} --print-reply --dest=org.example.Shop /shop org.example.Shop."
        other = f"{send}Verify >/dev/null & sleep 0.05; " if slow else ""
        return ["sh", "-c", f"{other}start=$(date +%s%N); {send}Price > /dev/null; echo fault_ns $(($(date +%s%N) - start))"]
