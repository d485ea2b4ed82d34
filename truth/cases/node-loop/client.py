"""Asks 100 times for a small page; with argument 1, another client asks for reports meanwhile."""
import http.client
import subprocess
import sys
import time

port = sys.argv[1]
other = None
if sys.argv[2] == "1":
    other = subprocess.Popen(["curl", "-s", *[f"http://127.0.0.1:{port}/report"] * 8], stdout=subprocess.DEVNULL)
late_ns = 0
connection = http.client.HTTPConnection("127.0.0.1", int(port))
for _ in range(100):
    asked = time.monotonic_ns()
    connection.request("GET", "/")
    connection.getresponse().read()
    took = time.monotonic_ns() - asked
    late_ns += took if took > 5_000_000 else 0
    time.sleep(0.004)
if other:
    other.wait()
print(f"fault_ns {late_ns}")
