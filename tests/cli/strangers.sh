# What others write and lode does not read is refused with what to do instead.
printf '\x17\x08\x44tracing6\0' >trace.dat
printf '\xc1\x1f\xfc\xc1\0\0\0\0\0\0\0\0' >stream_0
printf '\x0a\x05\x40\x01\x02\x03\x04\x0a\x03\x40\x01\x02\x0a\x03\x40\x01\x02\0\0\0\0' >trace.pftrace
printf 'execve("/bin/ls", ["ls"], 0x7f /* 9 vars */) = 0\nbrk(NULL) = 0x5589\n' >strace.txt
printf 'main;a 5\n' >a.folded
"$LODE" mine --pprof profile.pb.gz a.folded >/dev/null
printf '{"traceEvents":[{"pid":7,"tid":7,"ts":1,"dur":5,"ph":"X","name":"a;b","args":{}},{"pid":7,"tid":7,"ts":9,"dur":5,"ph":"X","name":"c"}]}' >node.json
"$LODE" timeline node.json >/dev/null || echo "timeline does not read it"
mkdir uftrace.dir
: >uftrace.dir/task.txt
printf 'Ftrace!\0\4\0\0\0\50\0\0\0' >uftrace.dir/info
for file in trace.dat stream_0 trace.pftrace strace.txt profile.pb.gz node.json uftrace.dir; do
	for command in mine suspects; do
		"$LODE" $command $file 2>&1 >/dev/null | head -n 1
	done
done
