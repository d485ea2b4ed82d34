# A line of NULs, as a crash or a truncated log leaves them, is one bad line: the rest of the file is read.
python3 - <<'P'
import random
r = random.Random(1)
with open("good.log", "w") as log, open("good.csv", "w") as table:
    table.write("time,cpu\n")
    for t in range(60):
        for k in range(10):
            log.write(f'10.0.0.1 - u [21/Nov/2026:02:00:00 +0000] "GET /shop HTTP/1.1" 200 1 "-" "-" '
                      f'{r.random():.3f} 0.001 {1795258196 + t + k / 10:.3f}\n')
        table.write(f"{1795258197 + t}.004,{40 + r.randint(0, 9)}\n")
def with_nuls(source, target, line):
    lines = open(source).read().splitlines(True)
    open(target, "w").write("".join(lines[:line] + ["\0" * 20 + "\n"] + lines[line:]))
with_nuls("good.log", "nul.log", 5)
with_nuls("good.csv", "nul.csv", 5)
open("hole.log", "w").write("\0" * 100 + open("good.log").read())
open("good.folded", "w").write("main;a 5\nmain;b 3\nmain;c 4\n")
with_nuls("good.folded", "nul.folded", 1)
sample = "app 7 [000] %d.500000: 250000 cpu-clock: \n\t1139 work+0x2 (/bin/app)\n\n"
open("good.script", "w").write(sample % 1 + sample % 2)
with_nuls("good.script", "nul.script", 3)
P
for inputs in "good.log good.csv" "nul.log good.csv" "hole.log good.csv" "good.log nul.csv"; do
	set -- $inputs
	"$LODE" pio train --log $1 -c web=$2 --rulesets 1 -o model 2>&1 >out | grep -a 'bad record' | tr -d '\0'
	grep -o '[0-9]* requests, [0-9]* intervals' out | head -n 1
done
for file in nul.folded nul.script; do
	"$LODE" mine --folded $file 2>err
	tr -d '\0' <err
done
