"""Puts one key, and prints how long that took."""
import sys
import time

import lmdb

environment = lmdb.open(sys.argv[1], map_size=1 << 26)
started = time.monotonic_ns()
with environment.begin(write=True) as transaction:
    transaction.put(b"order", b"1")
print(f"fault_ns {time.monotonic_ns() - started}")
