"""Writes a batch in one transaction, and hashes while it holds the writer's lock."""
import hashlib
import pathlib
import sys

import lmdb

environment = lmdb.open(sys.argv[1], map_size=1 << 26)
with environment.begin(write=True) as transaction:
    (pathlib.Path(sys.argv[1]) / "held").touch()
    for i in range(40):
        transaction.put(b"user%d" % i,
                        hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 60000))
