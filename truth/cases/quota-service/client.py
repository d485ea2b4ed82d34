"""Asks 40 times over one connection."""
import socket
import sys

connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
for i in range(40):
    connection.sendall(b"%d\n" % i)
    connection.recv(4096)
