"""nginx and php-fpm: requests wait until a worker of the pool is free."""
import os

from case import Case, free_port


class Fault(Case):
    title = "requests wait in nginx for php-fpm, whose workers all sort"
    runtime = "PHP"
    packages = ("nginx-light", "php-fpm", "curl")
    programs = ("nginx", "curl")
    culprit = ("zend_sort", "zend_hash_sort_ex", "zend_insert_sort")
    caller = ("php-fpm", "php-fpm: pool www")

    def prepare(self):
        import glob
        from case import Missing
        found = sorted(glob.glob("/usr/sbin/php-fpm*"))
        if not found:
            raise Missing("php-fpm is not installed (Debian: php-fpm)")
        self.fpm = found[-1]
        (self.scratch / "slow.php").write_text(
            "<?php $a = range(1, 60000); mt_srand(7); shuffle($a); $s = hrtime(true);\n"
            "while (hrtime(true) - $s < 400e6) { $b = $a; sort($b); } echo count($b);\n")
        (self.scratch / "quick.php").write_text("<?php echo 'ok';\n")
        os.chmod(self.scratch, 0o755)

    def start(self, slow):
        self.port, fpm_port = free_port(), free_port()
        user = "user = www-data\ngroup = www-data\n" if os.geteuid() == 0 else ""
        (self.scratch / "fpm.conf").write_text(
            f"[global]\nerror_log = {self.scratch}/fpm.log\ndaemonize = no\n[www]\n{user}listen = 127.0.0.1:{fpm_port}\n"
            "pm = static\npm.max_children = 2\nlisten.backlog = 64\n")
        (self.scratch / "nginx.conf").write_text(
            f"daemon off; pid {self.scratch}/nginx.pid; error_log {self.scratch}/nginx.log;\nevents {{}}\n"
            f"http {{ access_log off; server {{ listen 127.0.0.1:{self.port}; root {self.scratch};\n"
            f"location ~ \\.php$ {{ include /etc/nginx/fastcgi_params;\n"
            f"fastcgi_param SCRIPT_FILENAME {self.scratch}$fastcgi_script_name; fastcgi_pass 127.0.0.1:{fpm_port}; }} }} }}\n")
        options = ["-R"] if os.geteuid() == 0 else []
        self.serve(self.fpm, "-F", "-y", self.scratch / "fpm.conf", *options, port=fpm_port)
        self.serve("nginx", "-c", self.scratch / "nginx.conf", "-p", self.scratch, port=self.port)

    def command(self, slow):
        return ["/usr/bin/python3", self.source / "client.py", self.port, "4" if slow else "0"]
