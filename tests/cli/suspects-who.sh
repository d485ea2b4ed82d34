# Calls of one process in a recording of system calls, block requests and softirqs without switches.
awk 'function at(us) { return sprintf("%d.%06d", 100 + us / 1000000, us % 1000000) }
function line(comm, tid, us, event, text) {
	printf "%-16s %d/%d [000] %s: %s: %s\n", comm, comm == "shop" ? 7 : 90, tid, at(us), event, text
	if (comm == "shop")
		print "\t    55d0 main+0x10 (/bin/shop)"
	print ""
}
BEGIN {
	for (i = 0; i < 20; i++) {
		t = i * 10000
		line("shop", 7 + i % 2, t + 100, "syscalls:sys_enter_fdatasync", "fd: 0x3")
		line("shop", 7 + i % 2, t + 200, "block:block_rq_insert",
		     "8,0 WS 4096 () " (i * 8) " + 8 [shop]")
		line("kworker/0:1", 90, t + 300, "block:block_rq_issue",
		     "8,0 WS 4096 () " (i * 8) " + 8 [kworker/0:1]")
		line("kworker/0:1", 90, t + 400, "block:block_rq_insert",
		     "8,0 W 4096 () " (9000 + i * 8) " + 8 [kworker/0:1]")
		line("kworker/0:1", 90, t + 500, "block:block_rq_issue",
		     "8,0 W 4096 () " (9000 + i * 8) " + 8 [kworker/0:1]")
		line("shop", 7 + i % 2, t + 600, "irq:softirq_entry", "vec=4 [action=BLOCK]")
		line("shop", 7 + i % 2, t + 700, "block:block_rq_complete",
		     "8,0 WS () " (i * 8) " + 8 [0]")
		line("shop", 7 + i % 2, t + 800, "block:block_rq_complete",
		     "8,0 W () " (9000 + i * 8) " + 8 [0]")
		line("shop", 7 + i % 2, t + 900, "irq:softirq_exit", "vec=4 [action=BLOCK]")
		line("shop", 7 + i % 2, t + 1000, "syscalls:sys_exit_fdatasync", "0x0")
	}
}' >calls.txt
metrics() { "$LODE" suspects "$@" calls.txt | grep -E '^metric|^[a-z]*:|^Only|^Note' | cut -c 1-60; }
echo "--- all"
metrics
for who in '--comm shop' '--pid 7' '--symptom comm=shop,threads' '--symptom tid=8'; do
	echo "--- $who"
	metrics $who
done
echo "--- softirqs by name"
metrics --comm shop --metric softirq
