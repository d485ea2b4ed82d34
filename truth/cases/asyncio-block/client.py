"""Asks 20 times; with argument 1, another client has the server make archives meanwhile."""
import socket
import subprocess
import sys
import time


def connect(port):
    connection = socket.create_connection(("127.0.0.1", int(port)))
    return connection, connection.makefile("rb")


def main():
    if sys.argv[2] == "archive":
        connection, answers = connect(sys.argv[1])
        for _ in range(6):
            connection.sendall(b"archive\n")
            answers.readline()
            time.sleep(0.02)
        return
    other = sys.argv[2] == "1" and subprocess.Popen([sys.executable, __file__, sys.argv[1], "archive"])
    connection, answers = connect(sys.argv[1])
    late_ns = 0
    for _ in range(100):
        asked = time.monotonic_ns()
        connection.sendall(b"get\n")
        answers.readline()
        late_ns += max(0, time.monotonic_ns() - asked - 1_000_000)
        time.sleep(0.01)
    if other:
        other.wait()
    print(f"fault_ns {late_ns}")


main()
