# What others write and lode does not read is refused with what it is, and what to do instead.
printf '\x17\x08\x44tracing6\0' >trace.dat
printf '\xc1\x1f\xfc\xc1\0\0\0\0\0\0\0\0' >stream_0
printf '\x0a\x05\x40\x01\x02\x03\x04\x0a\x03\x40\x01\x02\x0a\x03\x40\x01\x02\0\0\0\0' >trace.pftrace
printf 'execve("/bin/ls", ["ls"], 0x7f /* 9 vars */) = 0\nbrk(NULL) = 0x5589\n' >strace.txt
printf '1234  12:00:00.223456 read(3, "abc", 100)      = 3 <0.000345>\n' >strace-p.txt
printf 'main;a 5\n' >a.folded
"$LODE" mine --pprof profile.pb.gz a.folded >/dev/null
printf '{"traceEvents":[{"pid":7,"tid":7,"ts":1,"dur":5,"ph":"X","name":"a;b","args":{}},{"pid":7,"tid":7,"ts":9,"dur":5,"ph":"X","name":"c"}]}' >node.json
"$LODE" timeline node.json >/dev/null || echo "timeline does not read it"
mkdir uftrace.dir
: >uftrace.dir/task.txt
printf 'Ftrace!\0\4\0\0\0\50\0\0\0' >uftrace.dir/info
printf 'FLR\0\0\2\0\0\0\0' >rec.jfr
{ printf '\0\0\1\0'; head -c 68 /dev/zero; printf '\2\0\2\300'; head -c 40 /dev/zero; } >kernel.etl
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\76\0' >core
printf 'PK\3\4..........xl/workbook.xml' >book.xlsx
printf '{"$schema":"https://www.speedscope.app/file-format-schema.json"}' >speedscope.json
printf '# tracer: nop\n#\n' >ftrace.txt
mkdir -p ctf lttng/ust/uid/0/64-bit
printf '/* CTF 1.8 */\n' >ctf/metadata
printf '\x57\x1d\xd1\x75' >lttng/ust/uid/0/64-bit/metadata
for file in trace.dat stream_0 trace.pftrace strace.txt strace-p.txt profile.pb.gz node.json uftrace.dir rec.jfr kernel.etl core book.xlsx \
	speedscope.json ftrace.txt ctf lttng; do
	for command in mine suspects; do
		"$LODE" $command $file 2>&1 >/dev/null | head -n 1
	done
done
"$LODE" timeline lttng 2>&1
"$LODE" timeline a.folded 2>&1
printf 'Linux 6.1.0-18-amd64 (web1) \t11/27/2026 \t_x86_64_\t(2 CPU)\n\n' >sysstat.txt
{ cat sysstat.txt; printf '12:00:01 AM     CPU     %%user\n12:10:01 AM     all      3.21\n'; } >sar.txt
{ cat sysstat.txt; printf '12:00:01 AM   UID       PID    %%usr  Command\n12:00:02 AM  1000      1234    1.00  postgres\n'; } >pidstat.txt
printf '127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 23 0.003\n' >access.log
for file in sar.txt pidstat.txt rec.jfr; do
	"$LODE" pio train --log access.log -c $file -o shop.model 2>&1
done
"$LODE" pio train --log book.xlsx -c sar.txt -o shop.model 2>&1
"$LODE" mine sar.txt 2>&1
echo "== what lode stores, given to a command that does not read it"
"$LODE" digest -o digests a.folded >/dev/null
cp digests/*.digest a.digest
printf '17,enter,main,1000\n17,exit,main,2000\n' >calls.csv
mkdir indices
"$LODE" timeline --index indices/calls.lodet calls.csv >/dev/null
"$LODE" mine --html page.html a.folded >/dev/null
"$LODE" mine --json a.folded >report.json
printf '{\n "schema": "lode/pio-model/1"\n}\n' >shop.model
printf 'lode-pio-watch 1\n' >shop.state
printf 'format: lode/signatures/1\n' >signatures.txt
for file in digests a.digest indices indices/calls.lodet page.html report.json shop.model shop.state signatures.txt; do
	for command in suspects timeline; do
		[ $file/$command = indices/calls.lodet/timeline ] || "$LODE" $command $file 2>&1 >/dev/null | head -n 1
	done
done
