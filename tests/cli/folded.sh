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
