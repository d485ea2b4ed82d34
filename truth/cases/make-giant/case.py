"""make -j2: the build waits for one huge file."""
from case import Case


class Fault(Case):
    title = "a parallel build waits for one huge file"
    runtime = "C"
    packages = ("make", "gcc")
    programs = ("make", "gcc")
    culprit = ("cc1 giant.c",)

    def prepare(self):
        for kind, functions in (("slow", 400), ("fast", 20)):
            folder = self.scratch / kind
            folder.mkdir()
            for name in ("one", "two", "three", "giant"):
                with open(folder / f"{name}.c", "w", encoding="ascii") as f:
                    for i in range(functions if name == "giant" else 10):
                        f.write(f"int {name}_{i}(int a, int b)\n{{\n\tint s = {i};\n"
                                f"\tfor (int k = a; k < b; k++)\n\t\ts += k * {i % 17 + 1} + (s >> {i % 5 + 1});\n"
                                f"\treturn s ^ a;\n}}\n")
            (folder / "Makefile").write_text(
                "all: one.o two.o three.o giant.o\n%.o: %.c\n"
                "\t@start=$$(date +%s%N); gcc -O2 -c -o $@ $<; "
                "echo $< $$(($$(date +%s%N) - start))\n")

    def command(self, slow):
        return ["sh", "-c", f"cd {self.scratch / ('slow' if slow else 'fast')} && rm -f *.o && make -s -j2"]

    def truth_ns(self, printed):
        return next(int(line.split()[1]) for line in printed.splitlines() if line.startswith("giant.c"))
