"""A Java program with too small a heap: requests wait for the garbage collector."""
from case import Case


class Fault(Case):
    title = "requests wait for full garbage collections, as the heap is too small for the cache"
    runtime = "Java"
    packages = ("openjdk-17-jdk-headless",)
    programs = ("java", "javac")
    culprit = ("VM Thread",)

    def prepare(self):
        self.run("javac", "-d", self.scratch, self.source / "Shop.java")

    def command(self, slow):
        return ["java", "-XX:+UseSerialGC", "-Xmx72m" if slow else "-Xmx400m", "-cp", self.scratch, "Shop"]
