"""Asks for a key 2,000 times over one connection; prints the slowest 1 % of its requests, by its own clock."""
import socket
import sys
import threading
import time

connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
requests = []
for i in range(2000):
    asked = time.monotonic_ns()
    connection.sendall(b"GET key:%d\r\n" % i)
    connection.recv(4096)
    requests.append((asked, time.monotonic_ns()))
    time.sleep(0.0005)
requests.sort(key=lambda request: request[0] - request[1])
median = requests[len(requests) // 2][1] - requests[len(requests) // 2][0]
slowest = requests[:len(requests) // 100]
for begin, end in sorted(slowest):
    print(f"request {threading.get_native_id()} {begin} {end}")
print(f"fault_ns {sum(end - begin - median for begin, end in slowest)}")
