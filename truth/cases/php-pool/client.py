"""Asks for a quick page 60 times, while others ask for slow ones; prints how long the slow answers took."""
import http.client
import subprocess
import sys
import time

port = sys.argv[1]
others = [subprocess.Popen(["curl", "-s", *[f"http://127.0.0.1:{port}/slow.php"] * 2], stdout=subprocess.DEVNULL)
          for _ in range(int(sys.argv[2]))]
time.sleep(0.1)
late_ns = 0
for _ in range(60):
    asked = time.monotonic_ns()
    connection = http.client.HTTPConnection("127.0.0.1", int(port))
    connection.request("GET", "/quick.php")
    connection.getresponse().read()
    took = time.monotonic_ns() - asked
    late_ns += took if took > 10_000_000 else 0
    time.sleep(0.004)
print(f"fault_ns {late_ns}")
sys.stdout.flush()
for other in others:
    other.wait()
