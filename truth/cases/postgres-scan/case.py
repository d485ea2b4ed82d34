"""PostgreSQL: a query without an index."""
from postgres import Postgres


class Fault(Postgres):
    title = "a query reads a table from one end to the other, as its index is missing"
    culprit = ("ExecScan", "ExecSeqScan", "heap_getnextslot")

    def fill(self):
        self.sql("CREATE TABLE entry AS SELECT i AS id, md5(i::text) AS hash FROM generate_series(1, 400000) i")
        self.sql("CREATE INDEX ON entry (id)")
        self.sql("ANALYZE")

    def command(self, slow):
        column, value = ("hash", "md5('77')") if slow else ("id", "77")
        return ["sh", "-c", "start=$(date +%s%N); \"$@\"; echo fault_ns $(($(date +%s%N) - start))", "shop",
                *self.psql("-c", "SET max_parallel_workers_per_gather = 0",
                           *[w for _ in range(12) for w in ("-c", f"SELECT count(*) FROM entry WHERE {column} = {value}")])]
