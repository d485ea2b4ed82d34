"""Asks 100 times on each of four connections, from four threads; prints how long the first one waited for late answers."""
import socket
import sys
import threading
import time


def ask(number, late_ns):
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    for i in range(100):
        asked = time.monotonic_ns()
        connection.sendall(b"key%d-%d\n" % (number, i))
        connection.recv(4096)
        took = time.monotonic_ns() - asked
        late_ns[number] += took if took > 2_000_000 else 0


late = [0] * 4
others = [threading.Thread(target=ask, args=(number, late)) for number in (1, 2, 3)]
for thread in others:
    thread.start()
ask(0, late)
print(f"fault_ns {late[0]}", flush=True)
for thread in others:
    thread.join()
