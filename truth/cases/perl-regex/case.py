"""Perl: a regular expression that backtracks."""
from case import Case


class Fault(Case):
    title = "a regular expression backtracks on some lines of a log"
    runtime = "Perl"
    packages = ("perl",)
    programs = ("perl",)
    culprit = ("Perl_regexec_flags", "S_regmatch", "S_regtry")

    def command(self, slow):
        return ["perl", self.source / "grep.pl", "1" if slow else "0"]
