# The functions of two traces: which took longer, in text and JSON; an index says what its trace says.
awk 'BEGIN {
	for (side = 0; side < 2; side++) {
		file = side ? "fast.csv" : "slow.csv"; t = 1000
		for (i = 0; i < 40; i++) {
			print "1,enter,serve," t > file; t += 100
			print "1,enter,parse," t > file; t += 200 + i * 7 % 50; print "1,exit,parse," t > file
			print "1,enter,lock," t > file; t += (1000 + i * 13 % 600) * (side ? 1 : 3); print "1,exit,lock," t > file
			if (!side && i % 10 == 0) { print "1,enter,retry," t > file; t += 5000; print "1,exit,retry," t > file }
			print "1,exit,serve," (t += 100) > file; t += 50
		}
	}
}' </dev/null
"$LODE" timeline --functions slow.csv --versus fast.csv
"$LODE" timeline --functions --top 1 fast.csv --versus slow.csv
"$LODE" timeline --functions fast.csv --versus fast.csv
"$LODE" timeline --index fast.lodet fast.csv >/dev/null
"$LODE" timeline --functions --json slow.csv --versus fast.csv | grep -v '"path"' >trace.json
"$LODE" timeline --functions --json slow.csv --versus fast.lodet | grep -v '"path"' | cmp - trace.json && echo "index = trace"
sed -n '/"versus"/,/^ }/p' trace.json | head -n 50
head -n 150 fast.csv >cut.csv; echo '1,exit,lock' >>cut.csv
for wrong in "slow.csv --versus fast.csv" "--functions --thread 1 slow.csv --versus fast.csv" \
	"--functions --window +1us, slow.csv --versus fast.csv" "--functions slow.csv --versus missing" \
	"--functions slow.csv --versus cut.csv"; do
	"$LODE" timeline $wrong >out
	echo "$? $(wc -l <out)"
done
