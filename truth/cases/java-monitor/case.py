"""A Java program: requests wait for a monitor that a report holds."""
from case import Case


class Fault(Case):
    title = "requests wait for a monitor while a report is made in it"
    runtime = "Java"
    packages = ("openjdk-17-jdk-headless",)
    programs = ("java", "javac")
    culprit = ("reporter", "sumLedger", "Ledger::sumLedger", "Ledger.sumLedger")

    def prepare(self):
        self.run("javac", "-d", self.scratch, self.source / "Ledger.java")

    def command(self, slow):
        return ["java", "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit",
                "-cp", self.scratch, "Ledger", "1" if slow else "0"]
