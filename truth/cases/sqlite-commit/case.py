"""SQLite: one transaction per row."""
from case import Case


class Fault(Case):
    title = "rows are inserted with a transaction each, which waits for the disk"
    runtime = "C"
    packages = ("sqlite3",)
    programs = ("sqlite3",)
    culprit = ("fsync", "fdatasync", "__x64_sys_fsync", "__x64_sys_fdatasync")
    caller = ("sqlite3_step", "sqlite3_exec", "sqlite3")

    def prepare(self):
        rows = [f"INSERT INTO entry VALUES ({i}, 'row {i}');\n" for i in range(150)]
        table = "DROP TABLE IF EXISTS entry; CREATE TABLE entry (id INTEGER, text TEXT);\n"
        (self.scratch / "slow.sql").write_text(table + "".join(rows))
        (self.scratch / "fast.sql").write_text(table + "BEGIN;\n" + "".join(rows) + "COMMIT;\n")

    def command(self, slow):
        return ["sh", "-c", "start=$(date +%s%N); sqlite3 data.db < $0; echo fault_ns $(($(date +%s%N) - start))",
                "slow.sql" if slow else "fast.sql"]
