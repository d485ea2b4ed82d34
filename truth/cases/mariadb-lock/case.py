"""MariaDB: an update waits for a row that a long transaction holds."""
import os
import pathlib
import pwd
import subprocess
import time

from case import Case, Failed, free_port


class Fault(Case):
    title = "an update waits for a row of InnoDB whose holder joins tables in its transaction"
    runtime = "C++"
    packages = ("mariadb-server", "mariadb-client")
    programs = ("mariadbd", "mariadb", "mariadb-install-db")
    culprit = ("do_select", "sub_select", "sub_select_cache", "evaluate_join_record", "JOIN_CACHE::join_records",
               "JOIN_CACHE::generate_full_extensions", "JOIN::exec", "mysql_select")

    def prepare(self):
        os.chmod(self.scratch, 0o755)
        self.data = self.scratch / "data"
        self.user = ("--user=mysql",) if os.geteuid() == 0 else ()
        self.data.mkdir()
        if self.user:
            entry = pwd.getpwnam("mysql")
            os.chown(self.data, entry.pw_uid, entry.pw_gid)
        self.run("mariadb-install-db", "--no-defaults", f"--datadir={self.data}", *self.user,
                 f"--tmpdir={self.data}", "--auth-root-authentication-method=normal", "--skip-test-db")
        self.start(False)
        try:
            self.sql("CREATE DATABASE shop; USE shop; CREATE TABLE account (id int PRIMARY KEY, balance int) ENGINE=InnoDB;"
                     "INSERT INTO account SELECT seq, 0 FROM seq_1_to_1000;"
                     "CREATE TABLE billing ENGINE=InnoDB AS SELECT seq AS id, seq % 97 AS amount FROM seq_1_to_40000")
        finally:
            self.stop()

    def client(self, *options):
        return ["mariadb", "--no-defaults", "-S", str(self.data / "s"), "-u", "root", *options]

    def sql(self, text):
        return self.run(*self.client("-N", "-e", text)).strip()

    def start(self, slow):
        self.port = free_port()
        self.serve("mariadbd", "--no-defaults", f"--datadir={self.data}", f"--socket={self.data}/s", f"--tmpdir={self.data}", *self.user,
                   "--bind-address=127.0.0.1", f"--port={self.port}", port=self.port)
        if not slow:
            return
        log = pathlib.Path(self.scratch / "billing.log").open("wb")  # pylint: disable=consider-using-with
        self.servers.append((subprocess.Popen(self.client(
            "shop", "-e", "BEGIN; UPDATE account SET balance = 1 WHERE id = 1; SELECT count(*) FROM billing a, billing b "
            "WHERE a.id < 700 AND a.amount * 2 > b.amount + b.id % 7; COMMIT"), stdout=log, stderr=log,
            start_new_session=True), 15))
        for _ in range(40):
            if self.sql("SELECT count(*) FROM information_schema.innodb_trx WHERE trx_rows_modified > 0") == "1":
                return
            time.sleep(0.15)  # InnoDB renews this table only for one who has not asked for 0.1 s
        raise Failed("the billing transaction did not take its row")

    def command(self, slow):
        return ["sh", "-c", "start=$(date +%s%N); \"$@\"; echo fault_ns $(($(date +%s%N) - start))", "shop",
                *self.client("shop", "-e", "UPDATE account SET balance = balance + 1 WHERE id = 1")]
