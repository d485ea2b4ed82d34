# What lode suspects says of a recording in which one caller of ten makes the same system call slow.
orders=$LODE_TOP/samples/orders/orders.perf.data.zst
[ -f "$orders" ] || { echo "no samples here"; exit 77; }
cd "$LODE_TOP/samples/orders" || exit 1
orders=orders.perf.data.zst

"$LODE" suspects $orders
echo "--- by Importance, first three; the median and the MAD"
"$LODE" suspects --robust --sort importance --top 3 $orders | sed -n '1p;/^ *#/,/more of/p'
echo "--- by hand"
"$LODE" suspects --metric 'syscall:f*' --thresholds '1ms,8ms' --thresholds 'block:*=1ns,2ns' $orders |
	sed -n '1,4p'
echo "--- all that is at least 0"
"$LODE" suspects --min-increase 0 $orders | sed -n '/^ *#/,/more of/p'
echo "--- one function"
"$LODE" suspects --explain export_ledger $orders | sed -n '1,/called by/p'
"$LODE" suspects --explain 'orderd!sys_fdatasync' $orders | sed -n '/Which caller/,/longest/p'
echo "--- histograms"
"$LODE" suspects --histograms --metric 'syscall:fdatasync' $orders | sed -n '1,8p;/──/p'
echo "--- stacks of what is slow"
"$LODE" suspects --folded $orders | grep -c fdatasync
"$LODE" suspects --folded --metric syscall:fdatasync $orders | sort -k 2 -t ' ' -n | tail -n 1
echo "--- against itself, nothing stands out"
"$LODE" suspects $orders --versus $orders | sed -n '1,4p;/^ *#/,/^ 2/p;/^No caller/p'
echo "--- judged by itself, as without a baseline"
"$LODE" suspects $orders --baseline $orders | sed -n '1p'
echo "--- the same with one thread and little memory"
"$LODE" suspects --json --top 0 $orders >"$HOME/a"
"$LODE" suspects --json --top 0 --threads 1 --memory 4M $orders | cmp - "$HOME/a" && echo same

