# One thread polls for SQLite's lock, which another one holds while it exports: no wake-up links the two.
import ctypes
import os
import sqlite3
import sys
import threading

prctl = ctypes.CDLL(None).prctl
held = threading.Event()
path = os.path.join(sys.argv[1], "accounts.db")


def hold():
    prctl(15, b"exporter", 0, 0, 0)
    db = sqlite3.connect(path)
    db.execute("begin immediate")
    held.set()
    with open(path + ".export", "wb") as out:
        for _ in range(150):
            out.write(bytes(1 << 16))
            out.flush()
            os.fsync(out.fileno())
    db.commit()
    db.close()


def want():
    prctl(15, b"poller", 0, 0, 0)
    held.wait()
    db = sqlite3.connect(path, timeout=60)
    db.execute("update account set n = n + 1")
    db.commit()


with sqlite3.connect(path) as db:
    db.execute("create table account (n int)")
threads = [threading.Thread(target=hold), threading.Thread(target=want)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
