"""Stores of which every third answer is a 503, or a connection that is cut; or all, while a store is down."""
import http.client
import http.server
import os
import shutil
import subprocess
import threading

import harness

S3RVER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "node_modules", ".bin", "s3rver")


class Failing(http.server.BaseHTTPRequestHandler):
    """What all of them do; `found` gives status, headers and body of what was asked for."""
    protocol_version = "HTTP/1.1"
    is_down = False
    n = 0

    def log_message(self, *args):
        pass

    def answer(self):
        Failing.n += 1
        trouble = 3 if Failing.is_down else Failing.n % 6
        self.close_connection = True
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)) // (2 if trouble == 0 else 1))
        if trouble == 3:
            self.send_error(503)
            return
        if trouble == 0 and body:
            return  # cut while it was written
        status, headers, data = self.found(body)
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[:len(data) // 2] if trouble == 0 else data)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer


class Files(Failing):
    """The files of this folder, with ranges."""

    def found(self, _):
        try:
            with open(os.path.basename(self.path), "rb") as file:
                data = file.read()
        except OSError:
            return 404, {"Content-Length": 0}, b""
        size, ranges = len(data), self.headers.get("Range")
        headers = {"Accept-Ranges": "bytes"}
        if ranges:
            first, last = ranges.split("=")[1].split("-")
            data = data[int(first):int(last) + 1]
            headers["Content-Range"] = f"bytes {first}-{int(first) + len(data) - 1}/{size}"
        return 206 if ranges else 200, dict(headers, **{"Content-Length": len(data)}), data


class Proxy(Failing):
    """Another store, at `port`."""
    port = 0

    def found(self, body):
        there = http.client.HTTPConnection("127.0.0.1", Proxy.port, timeout=60)
        there.request(self.command, self.path, body, dict(self.headers))
        answer = there.getresponse()
        data = answer.read()
        headers = {key: value for key, value in answer.getheaders()
                   if key.lower() not in ("connection", "keep-alive", "transfer-encoding", "content-length")}
        length = answer.getheader("Content-Length") if self.command == "HEAD" else len(data)
        there.close()
        return answer.status, dict(headers, **({} if length is None else {"Content-Length": length})), data


def serve(handler):
    """In a thread; gives the server, whose address is server_address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def serve_s3(test, bucket):
    """An S3 server with a bucket, behind a proxy that fails."""
    Proxy.port = harness.free_port()
    test.start("s3rver", shutil.which("node"), S3RVER, "--directory", os.path.abspath("s3"), "--address", "127.0.0.1", "--port",
               str(Proxy.port), "--no-vhost-buckets", "--configure-bucket", bucket)

    def answers():
        try:
            there = http.client.HTTPConnection("127.0.0.1", Proxy.port, timeout=5)
            there.request("GET", "/")
            return there.getresponse().status
        except OSError:
            return 0
    harness.until("the S3 server", answers)
    return serve(Proxy)
