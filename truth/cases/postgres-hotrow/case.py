"""PostgreSQL: everybody updates one row, and each transaction goes on while it holds it."""
from postgres import Postgres


class Fault(Postgres):
    title = "updates of one row wait for other sessions, which compute their totals while they hold it"
    culprit = ("ExecScan", "ExecSeqScan", "heap_getnextslot", "ExecAgg", "ExecInterpExpr", "standard_ExecutorRun")
    caller = ("heap_lock_tuple", "heapam_tuple_lock", "XactLockTableWait", "ExecLockRows", "ProcSleep")

    def fill(self):
        self.sql("CREATE TABLE stock (id int PRIMARY KEY, n int)")
        self.sql("INSERT INTO stock SELECT i, 0 FROM generate_series(1, 100) i")
        self.sql("CREATE TABLE sale AS SELECT i AS id, i % 97 AS amount FROM generate_series(1, 20000) i")
        self.sql("ALTER SYSTEM SET jit = off")
        self.sql("ALTER SYSTEM SET synchronous_commit = off")
        self.sql("ALTER SYSTEM SET max_parallel_workers_per_gather = 0")
        # Waiting for the row alone, by the server's clock.
        self.sql("CREATE PROCEDURE sell(key int, OUT waited_ns bigint) LANGUAGE plpgsql AS $$ DECLARE asked timestamptz; BEGIN waited_ns := 0; "
                 "FOR i IN 1..40 LOOP asked := clock_timestamp(); PERFORM n FROM stock WHERE id = key FOR UPDATE; "
                 "waited_ns := waited_ns + extract(epoch FROM clock_timestamp() - asked) * 1000000000; "
                 "UPDATE stock SET n = n + 1 WHERE id = key; COMMIT; END LOOP; END $$")
        self.sql("CREATE PROCEDURE total(key int) LANGUAGE plpgsql AS $$ BEGIN LOOP UPDATE stock SET n = n + 1 WHERE id = key; "
                 "PERFORM sum(amount) FROM sale WHERE amount * 3 > id % 89; COMMIT; END LOOP; END $$")
        self.sql("ANALYZE")

    def start(self, slow):
        super().start(slow)
        for i in range(3):
            self.serve(*self.psql("-c", f"CALL total({1 if slow else 2 + i})"))

    def command(self, slow):
        return ["sh", "-c", "printf 'fault_ns '; exec \"$@\" -At -c 'CALL sell(1, NULL)'", "shop", *self.psql()]
