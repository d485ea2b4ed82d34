"""lode serve: requests for a cluster page's data on one core, plain and gzipped, beside other servers of
the same bytes; and memory while 100,000 requests of all kinds are answered.

The server is bound to the first CPU, who asks to the last one. Peers: nginx with one worker, from a file
(and from one that is packed already), and Python's http.server.
"""
import contextlib
import gzip
import json
import os
import random
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

from bench_sites import mine_page, timeline_index
from measure import Missing, peer, run

CONNECTIONS, SECONDS = 16, 5
LOOKS = (1_000, 50_000, 100_000)  # requests after which memory is looked at


def first_cpu():
    return str(min(os.sched_getaffinity(0)))


def last_cpu():
    return str(max(os.sched_getaffinity(0)))


class Running:
    """A server: where it is, and what its processes took so far."""

    def __init__(self, url, pids):
        self.url, self.pids = url.rstrip("/"), pids

    def cpu(self):
        ticks = 0
        for pid in self.pids:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                ticks += sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory_mb(self):
        with open(f"/proc/{self.pids[0]}/status", encoding="utf-8") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1)) / 1024

    def get(self, path, **headers):
        with urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers)) as answer:
            return answer.read()


@contextlib.contextmanager
def lode_serve(bench, *inputs):
    with subprocess.Popen(["taskset", "-c", first_cpu(), bench.lode, "serve", "--port", "0", *inputs],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            yield Running(process.stdout.readline().decode().strip(), [process.pid])
        finally:
            process.terminate()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise Missing("the peer does not answer")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(p) for p in f.read().split()]


@contextlib.contextmanager
def nginx(folder):
    """One worker, as lode is given one core."""
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin") or peer("nginx")
    port = free_port()
    conf = os.path.join(folder, "nginx.conf")
    with open(conf, "w", encoding="ascii") as f:
        f.write(f"daemon off; worker_processes 1; pid {folder}/pid; error_log /dev/null;\n"
                "events {}\n"
                f"http {{ access_log off; gzip_static on; keepalive_requests 1000000000;\n"
                f"client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2;\n"
                f"fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4;\n"
                f"scgi_temp_path {folder}/t5;\n"
                f"server {{ listen 127.0.0.1:{port}; root {folder}; }} }}\n")
    with subprocess.Popen(["taskset", "-c", first_cpu(), program, "-c", conf, "-p", folder],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(port)
            yield Running(f"http://127.0.0.1:{port}", [process.pid, *children(process.pid)])
        finally:
            process.terminate()


@contextlib.contextmanager
def python_server(folder):
    port = free_port()
    with subprocess.Popen(["taskset", "-c", first_cpu(), peer("python3"), "-m", "http.server",
                           "--protocol", "HTTP/1.1", "--bind", "127.0.0.1", "-d", folder, str(port)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(port)
            yield Running(f"http://127.0.0.1:{port}", [process.pid])
        finally:
            process.terminate()


# ---- Requests per second ----

def milliseconds(text):
    """wrk's "1.25ms"."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def load(bench, server, path, packed):
    """{per_s, per_cpu_s, p99_ms}; the best of some runs, as the machine may have other users."""
    best = None
    for _ in range(bench.runs_small):
        command = ["taskset", "-c", last_cpu(), peer("wrk"), "-t", "1", "-c", str(CONNECTIONS), "-d",
                   f"{bench.scaled(SECONDS, 1)}s", "--latency", server.url + path]
        if packed:
            command += ["-H", "Accept-Encoding: gzip"]
        before = server.cpu()
        text = run(command).out.decode()
        cpu = server.cpu() - before
        n = int(re.search(r"(\d+) requests in", text).group(1))
        if "Non-2xx" in text or "Socket errors" in text:
            raise Missing(f"not all requests were answered: {text}")
        found = {"per_s": float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)),
                 "per_cpu_s": n / max(cpu, 0.01),
                 "p99_ms": milliseconds(re.search(r"^ +99%\s+(\S+)", text, re.MULTILINE).group(1))}
        if not best or found["per_s"] > best["per_s"]:
            best = found
    return best


def rate(found):
    return (f"{found['per_s']:,.0f} requests/s ({found['per_cpu_s']:,.0f} per CPU second of the "
            f"server), 99 % within {found['p99_ms']:.1f} ms")


def clusters_of(server):
    """Ids of all clusters, each of which it answers for."""
    ids = [c["id"] for c in json.loads(server.get("/api/reports/mine"))["clusters"]]
    try:
        server.get(cluster_path(ids[0]))
    except urllib.error.HTTPError as e:
        raise Missing(f"{cluster_path(ids[0])}: {e}") from e
    return ids


def cluster_path(cluster):
    return f"/api/reports/mine/cluster?id={cluster}"


def throughput(bench, site):
    with lode_serve(bench, *site) as server:
        ids = clusters_of(server)
        sizes = [len(server.get(cluster_path(c))) for c in ids[:100]]
        # The largest of the first: what people look at.
        path = cluster_path(ids[sizes.index(max(sizes))])
        body = server.get(path)
        packed = server.get(path, **{"Accept-Encoding": "gzip"})
        ours = {}
        for name, is_packed, size in (("plain", False, len(body)), ("gzip", True, len(packed))):
            ours[name] = load(bench, server, path, is_packed)
            bench.report("serve", f"a cluster's data, {name}", f"{size / 1e3:.1f} KB, one core: "
                         f"{rate(ours[name])}, {CONNECTIONS} connections", bytes=size, **ours[name])
    folder = os.path.join(bench.data, "peer-site")
    os.makedirs(folder, exist_ok=True)
    for name, content in (("cluster.json", body), ("cluster.json.gz", gzip.compress(body, 6))):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)
    for title, start, kinds in (("nginx, one worker, the same bytes", nginx, ("plain", "gzip")),
                                ("Python's http.server, the same bytes", python_server, ("plain",))):
        with bench.optional("serve", title) as row, start(folder) as server:
            found = {kind: load(bench, server, "/cluster.json", kind == "gzip") for kind in kinds}
            bench.report("serve", row, "; ".join(
                f"{kind}: {rate(f)}; lode answers {ours[kind]['per_cpu_s'] / f['per_cpu_s']:.2f} times as "
                "many per CPU second" for kind, f in found.items()),
                **{f"{kind}_{key}": value for kind, f in found.items() for key, value in f.items()})


# ---- Memory ----

class Client:
    """One connection, over and over: requests of all kinds, good and bad."""

    def __init__(self, server, ids, length_ns):
        self.place = ("127.0.0.1", int(server.url.rsplit(":", 1)[1]))
        self.host = f"Host: 127.0.0.1:{self.place[1]}\r\n"
        self.ids, self.length_ns = ids, length_ns
        self.random = random.Random(1)
        self.socket, self.file = None, None
        self.n = {}

    def connect(self):
        self.close()
        self.socket = socket.create_connection(self.place, 30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def close(self):
        if self.socket:
            self.file.close()
            self.socket.close()
            self.socket = None

    def span(self):
        length = self.length_ns >> self.random.randrange(2, 20)
        t0 = self.random.randrange(self.length_ns - length)
        return f"?t0={t0}&t1={t0 + max(1, length)}"

    def request(self):
        """(kind, bytes to send)."""
        get = lambda path, more="": f"GET {path} HTTP/1.1\r\n{self.host}{more}\r\n".encode()
        pick = self.random.randrange(1000)
        packed = "Accept-Encoding: gzip\r\n" if pick % 2 else ""
        cluster = cluster_path(self.random.choice(self.ids))
        if pick < 500:
            return "cluster", get(cluster, packed)
        if pick < 600:
            return "list", get("/api/reports", packed)
        if pick < 640:
            return "page", get("/", packed)
        if pick < 660:
            return "document", get("/api/reports/mine", "Accept-Encoding: gzip\r\n")
        if pick < 700:
            return "session", get("/api/session")
        if pick < 720:
            return "window", get("/api/reports/timeline/window" + self.span())
        if pick < 740:
            return "meanwhile", get("/api/reports/timeline/meanwhile" + self.span())
        if pick < 745:
            return "streams", get(f"/api/reports/mine/streams?cluster={self.random.choice(self.ids)}", packed)
        if pick < 750:
            return "trend", get(f"/api/reports/mine/trend?cluster={self.random.choice(self.ids)}&by=day")
        if pick < 780:
            return "not there", get(f"/api/reports/mine/{pick}/../../etc/passwd")
        if pick < 820:
            return "bad question", get(f"/api/reports/timeline/window?t0={pick}x&t1=" + "9" * 200)
        if pick < 850:
            return "no cluster", get(cluster_path("0" * 16))
        if pick < 880:
            return "another host", b"GET /api/reports HTTP/1.1\r\nHost: evil.example\r\n\r\n"
        if pick < 910:
            return "another origin", get("/api/reports", "Origin: http://evil.example\r\n")
        if pick < 950:
            return "change", (f"POST /api/reports/mine HTTP/1.1\r\n{self.host}Content-Length: 2\r\n\r\n"
                              "{}").encode()
        if pick < 955:
            return "large header", get("/", f"X-A: {'a' * 100_000}\r\n")
        if pick < 980:
            return "no HTTP", b"\x16\x03\x01 hello\r\n\r\n"
        return "goes away", get(cluster, packed)[:30]

    def answer(self):
        """Reads one whole; false: the connection ends."""
        head = {}
        if not self.file.readline():
            return False
        while (line := self.file.readline().strip()):
            key, _, value = line.partition(b":")
            head[key.lower()] = value.strip()
        if head.get(b"transfer-encoding") == b"chunked":
            while (size := int(self.file.readline(), 16)):
                self.file.read(size + 2)
            self.file.readline()
        else:
            left = int(head.get(b"content-length", 0))
            if len(self.file.read(left)) != left:
                return False
        return head.get(b"connection", b"").lower() != b"close"

    def once(self):
        kind, data = self.request()
        self.n[kind] = self.n.get(kind, 0) + 1
        if not self.socket or self.random.randrange(20) == 0:
            self.connect()
        goes_on = False
        with contextlib.suppress(ConnectionError):
            self.socket.sendall(data)
            goes_on = kind != "goes away" and self.answer()
        if not goes_on:
            self.close()


def memory(bench, site, index):
    with lode_serve(bench, *site, index) as server:
        length = json.loads(server.get("/api/reports/timeline"))["trace"]["length_ns"]
        ids = clusters_of(server)
        client = Client(server, ids, length)
        # Answers that never change are kept, once they were asked for: that is no growth.
        for cluster in ids:
            server.get(cluster_path(cluster))
            server.get(f"/api/reports/mine/streams?cluster={cluster}")
        looks, n = [], 0
        for look in LOOKS:
            for _ in range(bench.scaled(look, look // 50) - n):
                client.once()
                n += 1
            looks.append((n, server.memory_mb()))
        client.close()
        server.get("/")  # it still answers
    grown = looks[-1][1] - looks[0][1]
    bench.report("serve", "memory", "all answers that are kept were asked for once; after " + ", ".join(f"{n:,} requests {mb:.1f} MB" for n, mb in looks)
                 + f" ({grown:+.1f}); of {len(client.n)} kinds, one in twenty on a new connection: "
                 + ", ".join(f"{k} {v:,}" for k, v in client.n.items()),
                 looks=looks, grown_mb=grown, kinds=client.n)


def bench_serve(bench):
    _, _, site = mine_page(bench)
    with bench.optional("serve", "a cluster's data"):
        peer("wrk")
        throughput(bench, site)
    memory(bench, site, timeline_index(bench, 1_000_000))


BENCHES = {"serve": bench_serve}
