"""PostgreSQL: an update waits for a row that a long transaction holds."""
import time

from postgres import Postgres


class Fault(Postgres):
    title = "an update waits for a row lock whose holder joins tables in its transaction"
    culprit = ("ExecScan", "ExecSeqScan", "heap_getnextslot", "ExecNestLoop", "standard_ExecutorRun")

    def fill(self):
        self.sql("CREATE TABLE account (id int PRIMARY KEY, balance int)")
        self.sql("INSERT INTO account SELECT i, 0 FROM generate_series(1, 1000) i")
        self.sql("CREATE TABLE billing AS SELECT i AS id, i % 97 AS amount FROM generate_series(1, 40000) i")
        self.sql("ANALYZE")

    def start(self, slow):
        super().start(slow)
        if slow:
            self.serve(*self.psql("-c", "BEGIN; UPDATE account SET balance = 1 WHERE id = 1; "
                                  "SELECT count(*) FROM billing a, billing b WHERE a.id < 500 "
                                  "AND a.amount * 2 > b.amount + b.id % 7; COMMIT"),
                       env={"PGAPPNAME": "billing", "PATH": "/usr/bin:/bin", "PGOPTIONS": "-c jit=off"})
            while self.sql("SELECT count(*) FROM pg_locks WHERE mode = 'RowExclusiveLock'") == "0":
                time.sleep(0.01)

    def command(self, slow):
        return ["sh", "-c", "start=$(date +%s%N); \"$@\"; echo fault_ns $(($(date +%s%N) - start))", "shop",
                *self.psql("-c", "UPDATE account SET balance = balance + 1 WHERE id = 1")]
