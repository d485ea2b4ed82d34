# CPU samples of a whole machine, recorded while sleep ran: every thread counts, in CPU time.
sample() { # COMM TID TIME PERIOD FUNCTION...: a sample of it, root first
	printf '%s %d/%d [000] %s: %d cpu-clock:\n' "$1" "$2" "$2" "$3" "$4"
	shift 4
	stack=
	for f; do stack="	    1000 $f
$stack"; done
	printf '%s\n' "$stack"
}
machine() { # N: so many samples of the server
	echo '# cmdline : /usr/bin/perf record -a -g -F 999 -e cpu-clock -- sleep 6'
	sample perf-exec 70 1.000000 1000000 'do_exec+0x1 ([kernel.kallsyms])'
	sample sleep 70 1.001000 1000000 'main+0x1 (/usr/bin/sleep)'
	for i in $(seq "$1"); do
		sample server 80 "$(printf '1.%03d500' "$((i % 900 + 10))")" 1000000 \
			'main+0x1 (/usr/bin/server)' "$([ $((i % 4)) = 0 ] &&
			echo 'parse+0x1 (/usr/bin/server)' || echo 'encode+0x1 (/usr/bin/server)')"
		# Without frame pointers: a caller that is not code.
		[ $((i % 2)) = 0 ] || sample packer 81 "$(printf '1.%03d600' "$((i % 900 + 10))")" \
			1000000 '[unknown] ([unknown])' '[unknown] (/usr/lib/libpack.so)'
	done
	sample swapper 0 1.950000 9000000000 'default_idle+0x1 ([kernel.kallsyms])'
	sample kworker 5 1.960000 4000000 'kthread+0x1 ([kernel.kallsyms])'
}
machine 80 >a.txt
machine 120 >b.txt
echo '== the programs, then the call paths'
"$LODE" mine a.txt
echo '== the same from its digest, and merged'
"$LODE" digest -o d a.txt b.txt | sed '/Next/d; s/[0-9.]* kB, [0-9.]* %/SIZE/'
"$LODE" digest --merge all.digest d | sed '/Next/d; s/[0-9.]* kB, [0-9.]* %/SIZE/'
for i in 'd/a.txt*' d all.digest; do
	"$LODE" mine --json $i | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["symptom_ns"], d["symptom_cpu_ns"], d["options"]["symptoms"])
for p in d["cpu"]["programs"]: print(p["name"], p["cost_ns"], p["threads"])'
done
echo '== of one program, and left out'
"$LODE" mine --symptom comm=server a.txt | head -2
"$LODE" mine --exclude encode a.txt | grep -E '^CPU time|exclude'
echo '== compared by recordings, however many threads they had'
"$LODE" diff a.txt b.txt | sed -n '1,/^B:/p'
echo '== what was recorded'
"$LODE" info a.txt | grep -E '^A recording|^threads|counts|machine  '
