# What comes first is what the extra time goes with, and stacks of two kinds are not compared.
awk='function at(us) { return sprintf("%d.%06d", 100 + us / 1000000, us % 1000000) }
function line(us, event, text) {
	printf "%-16s %d/%d [000] %s: %s: %s\n", "git", 7, 7, at(us), event, text
}
function call(name, us, length_us, caller) {
	line(us, "syscalls:sys_enter_" name, "fd: 0x3")
	if (stacks)
		printf "\t    10 %s+0x1 (/libc.so)\n\t    20 %s+0x10 (/git)\n\t    30 main+0x10 (/git)\n",
			name, caller
	print ""
	line(us + length_us, "syscalls:sys_exit_" name, "0x0")
	print ""
}'
recording() { awk -v stacks="$1" -v read_us="$2" -v n_close="$3" "$awk"'
BEGIN {
	for (i = 0; i < 100; i++) call("read", i * 20000, read_us + i % 7, "load")
	for (i = 0; i < n_close; i++) call("close", 3000000 + i * 1000, 50 + i % 5, "done")
}'; }
recording 1 10000 200 >cold.txt
recording 1 20 2 >warm.txt
recording 0 20 2 >bare.txt

"$LODE" suspects cold.txt --versus warm.txt | sed '/^What was measured/,$d'
echo "--- two recordings of each: calls and times are those of one"
"$LODE" suspects cold.txt cold.txt --versus warm.txt | sed -n 1,2p
cp cold.txt cold-2.txt; echo >>cold-2.txt
"$LODE" suspects cold.txt cold-2.txt --versus warm.txt | sed '/^Next/,$d'
echo "--- by excess"
"$LODE" suspects --sort excess cold.txt --versus warm.txt | sed -n '/^ *#/,/^ *3/p'
echo "--- the other has no stacks"
"$LODE" suspects cold.txt --versus bare.txt | sed '/^What was measured/,$d'

echo "--- a few very long calls hide the slow ones from mean + 2σ"
awk -v stacks=1 "$awk"'
BEGIN {
	for (i = 0; i < 2000; i++) call("fsync", i * 1000, 100 + i % 9, "log")
	for (i = 0; i < 75; i++) call("fsync", 10000000 + i * 100000, 19700 + i % 9, "commit")
	call("fsync", 100000000, 30000000, "exit")
}' >tail.txt
"$LODE" suspects tail.txt | sed -n '1,/^Which/p; /^Slow ("/,/slow call/p'
