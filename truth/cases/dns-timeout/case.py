"""The resolver: a request waits for a name server that does not answer."""
import re

from case import Case, Failed


class Fault(Case):
    title = "a request waits for a name server that does not answer"
    runtime = "C"
    packages = ("curl", "util-linux")
    programs = ("curl", "unshare")
    culprit = ("getaddrinfo", "__res_context_send", "send_dg", "__res_context_query", "Curl_getaddrinfo_ex",
               "getaddrinfo_thread")

    def prepare(self):
        (self.scratch / "dead.conf").write_text("nameserver 127.0.0.2\noptions timeout:1 attempts:2\n")
        (self.scratch / "hosts").write_text("127.0.0.1 shop.example\n")

    def start(self, slow):
        import socket
        self.silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if slow:
            self.silent.bind(("127.0.0.2", 53))
        self.web = socket.create_server(("127.0.0.1", 0))

    def stop(self):
        self.silent.close()
        self.web.close()
        super().stop()

    def command(self, slow):
        return ["unshare", "-m", "sh", "-c", "mount --bind dead.conf /etc/resolv.conf; "
                + ("" if slow else "mount --bind hosts /etc/hosts; ")
                + "curl -s -m 4 -o /dev/null -w 'lookup %{time_namelookup} total %{time_total}\\n' http://shop.example:9/; true"]

    def truth_ns(self, printed):
        found = re.search(r"lookup ([0-9.]+) total ([0-9.]+)", printed)
        if not found:
            raise Failed(f"curl printed {printed[-200:]!r}")
        return int(max(map(float, found.groups())) * 1e9)
