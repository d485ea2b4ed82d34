"""Asks for a key 400 times over one connection; prints how long the slow answers took."""
import socket
import sys
import time

connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
late_ns = 0
for i in range(400):
    asked = time.monotonic_ns()
    connection.sendall(b"GET key:%d\r\n" % i)
    connection.recv(4096)
    took = time.monotonic_ns() - asked
    late_ns += took if took > 3_000_000 else 0
    time.sleep(0.0005)
print(f"fault_ns {late_ns}")
