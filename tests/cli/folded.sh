# Any profiler's folded stacks: table, one cluster, folded again; names are made harmless.
printf 'main;load;parse;read 60\nmain;load;scan;read 30\nmain;draw;blit 9\nmain 1\n' >a.folded
"$LODE" mine --min-cost 5% a.folded
echo
"$LODE" mine --min-cost 5 --show 1 a.folded
echo
"$LODE" mine --folded a.folded | sort | cmp - <(sort a.folded) && echo same
gzip -k a.folded
"$LODE" mine --min-cost 5% - <a.folded | head -n 1
"$LODE" mine --min-cost 5% a.folded.gz | head -n 1
printf 'a\033[2Jb;c\xff 10\n' >evil.folded
"$LODE" mine evil.folded | grep 'x1b'

echo "== a line of more than 4 MiB is lost alone, in a file of its own and among others"
python3 - <<'P'
long = "main;" + "x" * 5000000 + " 7\n"
open("long.folded", "w").write("main;a 5\n" + long + "main;b 6\n")
sample = "app 1/1 [000] %d.0: 1000 cpu-clock:\n\t%x %s (app)\n\n"
open("long.script", "w").write(sample % (1, 4096, "main") + "app " + "x" * 5000000 + "\n" + sample % (2, 8192, "work"))
P
for file in long.folded long.script; do
	"$LODE" mine --json $file 2>&1 >out; echo "exit $?"
	python3 -c 'import json; d = json.load(open("out")); print(d["streams"], d["rows"] if "rows" in d else len(d["clusters"]))'
done

echo "== no stack passes the filters"
"$LODE" mine --include nosuch a.folded | head -n 3

echo "== other texts whose lines end in numbers: strace, strace -r, vmstat, perf sched timehist"
printf 'execve("/bin/ls", ["ls"], 0x7f /* 9 vars */) = 0\nbrk(NULL) = 0x5589\nread(3, "a;b"..., 832) = 832\nclose(3) = 0\n' >strace.txt
sed 's/^/     0.000024 /' strace.txt >strace-r.txt
printf 'procs memory cpu\n12  0      0 20311420  1 2\n10  1      0 20311420  0 1\n11  0      0 20311420  0 3\n' >vmstat.txt
printf '   time    cpu  run time\n  1.000054 [0000]  perf[5779]  0.000\n  1.000061 [0001]  sh[5780]  0.012\n' >timehist.txt
for file in strace.txt strace-r.txt vmstat.txt timehist.txt; do
	"$LODE" mine $file 2>&1 | head -n 1 | cut -c 1-70
done
