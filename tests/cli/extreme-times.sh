# The least and largest times of options, and of a recording's clock: an answer or an error, no overflow.
printf '1,enter,main,1000\n1,enter,work,2000\n1,exit,work,5000\n1,exit,main,9000\n' | sed "s/\([0-9]*\)$/170000000000000\1/" >calls.csv
for at in +0s +9223372036s 9223372036854775807 +9223372036854775807 0 -1 -9223372036854775808 +-1s -9223372036s; do
	"$LODE" timeline --at "1:$at" calls.csv >/dev/null 2>err
	code=$?
	echo "--at $at: exit $code $(grep -c -i -e overflow -e 'runtime error' err)"
done
for window in +0s,+9223372036s +0s,+9223372036854775807 +9223372036s, ,9223372036854775807 -1s, -9223372036854775808, ,-1; do
	"$LODE" timeline --window "$window" calls.csv >/dev/null 2>err
	code=$?
	echo "--window $window: exit $code $(grep -c -i -e overflow -e 'runtime error' err)"
done
sample=$LODE_TOP/samples/startup/startup-12.perf.data.zst
for threshold in "--gap 9223372036s" "--gap 9223372036854775807ns" "--gap -1s" "--long-call 9223372036s" "--expression 9223372036s" \
	"--negligible 9223372036854775807ns" "--long-call 0"; do
	"$LODE" timeline $threshold calls.csv >/dev/null 2>err
	code=$?
	echo "$threshold: exit $code $(grep -c -i -e overflow -e 'runtime error' err)"
done
for span in +0s,+9223372036s +9223372036854775807, ,9223372036854775807 0, -1s, -9223372036854775808, ,-1; do
	"$LODE" info --time "$span" "$sample" >/dev/null 2>err
	code=$?
	echo "--time $span: exit $code $(grep -c -i -e overflow -e 'runtime error' err)"
done
