# Any tracer's text: repairs are said; wrong questions and bad input too.
cat >a.csv <<'C'
tid,event,function,ns
7,exit,lost,1000
7,enter,main,1000
7,enter,read,1100
7,exit,read,1900
7,enter,read,2000
7,enter,decode,2100
7,exit,read,2600
7,enter,read,2500
7,exit,read,9000
8,enter,idle,1500
C
"$LODE" timeline a.csv
"$LODE" timeline --negligible 0 --long-call 1us --gap 0 --thread 7 a.csv
"$LODE" timeline --index a.lodet a.csv >/dev/null
head -c 100 a.lodet >cut.lodet
for wrong in "--at 7 a.csv" "--at 9:+1us a.csv" "-f nothing a.csv" "--window 5,4 a.csv" "--full a.csv" \
	"--gap soon a.csv" "a.csv a.csv" "cut.lodet" "missing"; do
	"$LODE" timeline $wrong >out
	echo "$? $(wc -l <out)"
done
# One call is not "1 calls".
printf '[{"ph":"X","name":"once","ts":1,"dur":2,"pid":1,"tid":1}]' >one.json
"$LODE" timeline one.json
"$LODE" timeline - <one.json | grep -o '^-: .*'
"$LODE" timeline --function once one.json | grep median
echo "== no index of a trace that lacks what is asked for"
printf '17,enter,main,1000\n17,exit,main,2000\n' >index-me.csv
for question in "--thread 18" "-f nosuch" "--at 18:+1ns" "--during 17:nosuch" "--window 9,1"; do
	"$LODE" timeline --index none.lodet $question index-me.csv 2>&1 | head -n 1
	ls none.lodet 2>&1
done
