"""PostgreSQL: one commit per row."""
from postgres import Postgres


class Fault(Postgres):
    title = "rows are inserted with a commit each, which waits for the log to reach the disk"
    culprit = ("XLogFlush", "issue_xlog_fsync", "XLogWrite", "pg_fdatasync")
    settings = ("track_wal_io_timing=on",)

    def fill(self):
        self.sql("CREATE TABLE entry (id int, text text)")

    def start(self, slow):
        super().start(slow)
        self.sql("SELECT pg_stat_reset_shared('wal')")
        script = self.scratch / "insert.sql"
        rows = [f"INSERT INTO entry VALUES ({i}, 'row');\n" for i in range(400)]
        script.write_text("".join(rows if slow else ["BEGIN;\n", *rows, "COMMIT;\n"]))
        script.chmod(0o644)

    def command(self, slow):
        # The server's own statistics: how long it synced. They arrive when a session ends.
        return ["sh", "-c", "\"$@\" -f insert.sql; sleep 0.1; \"$@\" -At -c \"SELECT 'fault_ns ' || "
                "((SELECT wal_sync_time FROM pg_stat_wal) * 1000000)::bigint\"", "shop", *self.psql()]
