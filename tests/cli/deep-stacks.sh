# Stacks of 3,000 to 600,000 functions, in an address space of 1.5 GB: a table of the square of
# their length would not fit, and time that grows with it would not end. Every output holds all.
# (Sanitizers take terabytes of it for themselves.)
grep -q __asan_init "$LODE" || ulimit -v 1500000

python3 - <<'END'
def stack(n, distinct, end=""):
    return ";".join("f%d" % (i % distinct) for i in range(n)) + end

def write(name, *lines):
    with open(name, "w") as out:
        out.writelines(line + "\n" for line in lines)

write("one.folded", stack(20000, 20000) + " 5")
write("recursion.folded", stack(300000, 50) + " 5")
# Others beside it, and two that differ in their middle.
write("mixed.folded", stack(6000, 1000) + " 5", "main;read;wait 7", "main;write;wait 8",
      "main;" + stack(1000, 700) + ";x;" + stack(900, 300) + " 3",
      "main;" + stack(1000, 700) + ";y;" + stack(900, 300) + " 4")
# Every other function is the other's, too.
write("woven.folded", ";".join("s%d;a%d" % (i, i) for i in range(1500)) + " 5",
      ";".join("s%d;b%d" % (i, i) for i in range(1500)) + " 6")
END

for file in one recursion mixed woven; do
	echo "== $file"
	"$LODE" mine --threads 2 --json $file.folded | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["patterns"], "patterns", d.get("patterns_not_compared", 0), "not compared")
for c in d["clusters"]:
    print(c["own_ns"], "own", len(c["common"]), "common", [len(p["functions"]) for p in c["patterns"]])'
done

# All of them different, and as many as a line has room for.
echo "== distinct"
python3 -c 'print(";".join("%x" % (i + 65536) for i in range(600000)), 5)' >distinct.folded
timeout 60 "$LODE" mine distinct.folded | head -n 1

echo "== outputs"
"$LODE" mine --html page.html mixed.folded && "$LODE" mine --speedscope out.json mixed.folded &&
	"$LODE" mine --pprof out.pprof mixed.folded &&
	python3 -c 'import os; print(all(os.path.getsize(f) > 10000 for f in ("page.html", "out.json", "out.pprof")))'
"$LODE" mine --folded mixed.folded | awk '{ print (length($0) > 20000), $NF }'
"$LODE" digest -o mixed.lode mixed.folded > /dev/null && "$LODE" mine mixed.lode | grep -c '^ *[0-9]'
"$LODE" mine --show 1 recursion.folded | head -c 3000 | tail -n +2 | head -n 5
