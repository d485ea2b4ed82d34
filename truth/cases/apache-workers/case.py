"""Apache: requests wait until one of its processes is free, which all run a slow CGI program."""
import os

from case import Case, free_port


class Fault(Case):
    title = "requests wait for Apache, whose processes all wait for a CGI program that sorts"
    runtime = "C"
    packages = ("apache2", "curl")
    programs = ("apache2", "curl")
    culprit = ("report.cgi", "sort", "sort table")
    caller = ("apache2", "apache2 -X")

    def prepare(self):
        os.chmod(self.scratch, 0o755)
        import random
        generator = random.Random(3)
        (self.scratch / "table").write_text("".join(f"{generator.randbytes(12).hex()}\n" for _ in range(700000)))
        (self.scratch / "report.cgi").write_text(
            "#!/bin/sh\nprintf 'Content-Type: text/plain\\n\\n'\nLC_ALL=en_US.UTF-8 sort --parallel=1 "
            f"{self.scratch}/table | tail -1\n")
        os.chmod(self.scratch / "report.cgi", 0o755)
        (self.scratch / "quick.html").write_text("ok\n")

    def start(self, slow):
        self.port = free_port()
        modules = "/usr/lib/apache2/modules"
        user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 else ""
        (self.scratch / "apache.conf").write_text(
            f"LoadModule mpm_prefork_module {modules}/mod_mpm_prefork.so\nLoadModule cgi_module {modules}/mod_cgi.so\n"
            f"LoadModule alias_module {modules}/mod_alias.so\n"
            f"LoadModule authz_core_module {modules}/mod_authz_core.so\n"
            f"ServerName localhost\nListen 127.0.0.1:{self.port}\nPidFile {self.scratch}/apache.pid\n"
            f"ErrorLog {self.scratch}/apache.log\nDefaultRuntimeDir {self.scratch}\n{user}"
            "StartServers 2\nMinSpareServers 1\nMaxSpareServers 2\nMaxRequestWorkers 2\nServerLimit 2\n"
            f"DocumentRoot {self.scratch}\n<Directory {self.scratch}>\nRequire all granted\nOptions +ExecCGI\n</Directory>\n"
            f"ScriptAlias /report {self.scratch}/report.cgi\n")
        self.serve("apache2", "-f", self.scratch / "apache.conf", "-DFOREGROUND", port=self.port)

    def command(self, slow):
        url = f"http://127.0.0.1:{self.port}"
        reports = f"curl -s {url}/report & curl -s {url}/report & sleep 0.05; " if slow else ""
        return ["sh", "-c", f"{reports}start=$(date +%s%N); curl -s {url}/quick.html; wait; "
                "echo fault_ns $(($(date +%s%N) - start))"]
