# A hostile client: requests that a proxy may read in another way, that lie about their length, that
# never end, and questions that nobody waits for. Each has its answer, and the server goes on.
"$LODE" serve 2>&1 | grep -q 'built without its server' && { echo "this lode has no server"; exit 77; }
printf 'main;load;find_icon;stat 60\nmain;draw;blit 50\n' >a.folded
"$LODE" import --repo r.lode -l release=1 a.folded >/dev/null
echo 0123456789abcdef >token
chmod 600 token
cat >attack.py <<'P'
import atexit, os, resource, signal, socket, subprocess, sys, threading, time
LODE = os.environ["LODE"]
M = b"/api/reports/mine"
class Server:
    def __init__(self, **limits):
        with open("url", "w") as url, open("log", "w") as log:
            self.process = subprocess.Popen([LODE, "serve", "--port", "0", "--token-file", "token", "--repo", "r.lode"],
                                            stdout=url, stderr=log, **limits)
        atexit.register(self.process.kill) # if a check fails
        until = time.monotonic() + 60
        while not (url := open("url").read().strip()):
            assert time.monotonic() < until and self.process.poll() is None, open("log").read()
            time.sleep(0.05)
        self.port = int(url.split(":")[2].split("/")[0])
        self.host = b"Host: 127.0.0.1:%d\r\n" % self.port
    def request(self, path=M, *headers, method=b"GET", version=b"HTTP/1.1", host=None, close=b"Connection: close\r\n", body=b""):
        return (method + b" " + path + b" " + version + b"\r\n" + (self.host if host is None else host) + close +
                b"".join(h + b"\r\n" for h in headers) + b"\r\n" + body)
    def post(self, *headers, body=b"", **how):
        return self.request(M + b"/sign", b"Authorization: Bearer 0123456789abcdef", b"X-Lode-Change: 1",
                            b"Content-Type: application/json", *headers, method=b"POST", body=body, **how)
    def send(self, data, half=False):
        s = socket.create_connection(("127.0.0.1", self.port))
        s.settimeout(60)
        got = b""
        try:
            s.sendall(data)
            if half:
                s.shutdown(socket.SHUT_WR)
            while piece := s.recv(65536):
                got += piece
        except (ConnectionError, BrokenPipeError):
            pass
        s.close()
        return got
    def statuses(self, data, **how):
        lines = self.send(data, **how).replace(b"\r\n", b"\n").split(b"\n")
        return [int(line.split()[1]) for line in lines if line.startswith(b"HTTP/1.")]
    def children_of(self, process):
        found = set()
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children") as f:
                found.update(int(p) for p in f.read().split())
        return found
    def miner(self):
        return self.children_of(self.process.pid).pop()
    def children(self): # of the process that mined: those that answer
        return self.children_of(self.miner())
    def end(self):
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        return code, time.monotonic() - start < 20

s = Server()
smuggled = s.request(b"/smuggled")
for name, data in {
    "plain": s.request(),
    "CL and TE": s.post(b"Content-Length: 4", b"Transfer-Encoding: chunked", close=b"", body=b"0\r\n\r\n" + smuggled),
    "TE twice": s.post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", close=b"", body=b"0\r\n\r\n" + smuggled),
    "TE unknown": s.post(b"Transfer-Encoding: xchunked", close=b"", body=b"0\r\n\r\n" + smuggled),
    "TE with a blank": s.post(b"Transfer-Encoding : chunked", close=b"", body=b"0\r\n\r\n" + smuggled),
    "CL twice": s.post(b"Content-Length: 2", b"Content-Length: 2", body=b"{}"),
    "CL of two": s.post(b"Content-Length: 2, 2", body=b"{}"),
    "CL negative": s.post(b"Content-Length: -1", body=b"{}"),
    "CL beyond 64 bits": s.post(b"Content-Length: 99999999999999999999", body=b"{}"),
    "chunk negative": s.post(b"Transfer-Encoding: chunked", body=b"-2\r\n{}\r\n0\r\n\r\n"),
    "folded Host": s.request(host=b"Host:\r\n 127.0.0.1\r\n"),
    "Host with a NUL": s.request(host=s.host[:-2] + b"\0.example\r\n"),
    "Host twice": s.request(host=s.host * 2),
    "no Host": s.request(host=b""),
    "another Host": s.request(host=b"Host: 127.0.0.1.example\r\n"),
    "user@Host": s.request(host=b"Host: x@127.0.0.1:%d\r\n" % s.port),
    "decimal Host": s.request(host=b"Host: 2130706433:%d\r\n" % s.port),
    "absolute address": s.request(b"http://example" + M),
    "Origin null": s.request(M, b"Origin: null"),
    "Origin https": s.request(M, b"Origin: https://127.0.0.1:%d" % s.port),
    "CONNECT": s.request(b"example:80", method=b"CONNECT"),
    "TRACE": s.request(method=b"TRACE"),
    "OPTIONS *": s.request(b"*", method=b"OPTIONS"),
    "long method": s.request(method=b"G" * 5000),
    "override": s.request(M + b"/sign", b"X-HTTP-Method-Override: POST"),
    "HTTP/1.0": s.request(version=b"HTTP/1.0"),
    "HTTP/2": s.request(version=b"HTTP/2.0"),
    "websocket": s.request(M, b"Upgrade: websocket", b"Sec-WebSocket-Key: x"),
    "ranges": s.request(M, b"Range: bytes=" + b"0-," * 1000 + b"0-"),
    "tags": s.request(M, b"If-None-Match: " + b'"x", ' * 2000),
    "long address": s.request(M + b"?a=" + b"x" * 40000),
    "long header": s.request(M, b"X: " + b"x" * 100000),
    "NUL in an address": s.request(M + b"%00/trend"),
    "escaped slash": s.request(b"/api/reports/..%2f..%2fetc"),
    "bad escape": s.request(M + b"/trend?by=%zz%"),
    "not UTF-8": s.request(M + b"/trend?by=%c0%af%ff"),
    "nonsense numbers": s.request(M + b"/streams?cluster=%00&top=-9223372036854775809"),
    "brackets": s.post(b"Content-Length: 100000", body=b"[" * 100000),
    "long number": s.post(b"Content-Length: 100010", body=b'{"name": ' + b"9" * 100001),
    "half of a surrogate": s.post(b"Content-Length: 18", body=b'{"name": "\\ud800"}'),
    "stars": s.post(b"Content-Length: 1043", body=b'{"name": "stars", "patterns": ["' + b"*a" * 503 + b'b"]} '),
    "large body": s.post(b"Content-Length: 1048577", body=b" " * 1048577),
    "basic": s.request(M + b"/sign", b"Authorization: Basic x", b"X-Lode-Change: 1", b"Content-Type: application/json",
                       method=b"POST"),
    "garbage": bytes(range(1, 255)) + b"\r\n\r\n",
}.items():
    print(f"{name}:", *s.statuses(data))
# libmicrohttpd takes such a client for gone, unless the answer was quicker.
print("half closed:", s.statuses(s.request(M + b"/trend?by=day", close=b""), half=True) in ([], [400]))
print("pipelined:", s.statuses(s.request(close=b"") * 99 + s.request()).count(200))
print("session:", b'"may_change": false' in s.send(s.request(b"/api/session", b"Cookie: lode-%d=x" % s.port)))

# Questions that are asked and left alone leave nothing.
for _ in range(40):
    c = socket.create_connection(("127.0.0.1", s.port))
    c.sendall(s.request(M + b"/trend?by=day", close=b""))
    c.close()
idle, until = 0, time.monotonic() + 60
while idle < 20 and time.monotonic() < until: # one after the other, so there may be none for a moment
    idle = 0 if s.children() else idle + 1
    time.sleep(0.05)
print("left alone:", len(s.children()), *s.statuses(s.request()))

# At most two processes, however many ask; some are asked to come again.
codes, most = [], 0
ask = lambda: codes.extend(s.statuses(s.request(M + b"/trend?by=day")))
threads = [threading.Thread(target=ask) for _ in range(150)]
for t in threads:
    t.start()
while any(t.is_alive() for t in threads):
    most = max(most, len(s.children()))
    time.sleep(0.005)
print("150 at once:", len(codes), set(codes) <= {400, 503}, most <= 2)

# No process can be started: no descriptors for its pipes.
miner = s.miner()
resource.prlimit(miner, resource.RLIMIT_NOFILE, (3, 1000))
print("no descriptors:", *s.statuses(s.request(M + b"/trend?by=day")), *s.statuses(s.request()))
resource.prlimit(miner, resource.RLIMIT_NOFILE, (1000, 1000))
print("again:", *s.statuses(s.request(M + b"/trend?by=day")))
print("end:", *s.end())

# Who keeps connections open does not keep others out, however few there may be.
s = Server(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
kept = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(60)]
print("few descriptors:", *s.statuses(s.request()), *s.statuses(s.request(M + b"/trend?by=day")))
print("end:", *s.end())
P
python3 attack.py
