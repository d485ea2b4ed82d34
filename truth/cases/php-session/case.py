"""PHP: a request waits for the lock of its session's file, which another request of the session holds."""
import os

from case import Case, free_port


class Fault(Case):
    title = "a request waits for the file of its PHP session while another one of the session makes an export"
    runtime = "PHP"
    packages = ("php-cli", "curl")
    programs = ("php", "curl")
    culprit = ("zend_sort", "zif_sort")
    caller = ("php", "php sessions")

    def start(self, slow):
        (self.scratch / "sessions").mkdir(exist_ok=True)
        self.port = free_port()
        self.serve("php", "-d", f"session.save_path={self.scratch}/sessions", "-S", f"127.0.0.1:{self.port}", "-t", self.source,
                   port=self.port, env={**os.environ, "PHP_CLI_SERVER_WORKERS": "3"})

    def command(self, slow):
        url, cookie = f"http://127.0.0.1:{self.port}/shop.php", "PHPSESSID=abcdef0123456789abcdef0123"
        export = f"curl -s -b {cookie} {url}?export=1 >/dev/null & sleep 0.1; " if slow else ""
        return ["sh", "-c", f"{export}start=$(date +%s%N); curl -s -b {cookie} {url}; echo; "
                "echo fault_ns $(($(date +%s%N) - start)); wait"]
