# Clusters below 1 % behind the first five share one line of the table; --top and JSON have them.
for i in 1 2 3 4 5 6 7; do echo "main;large_$i;wait_$i $((10000 - i))"; done >a.folded
for i in $(seq 10 24); do echo "main;small_$i;poll_$i $((200 + i))"; done >>a.folded
mine() { "$LODE" mine "$@" a.folded; }
mine | grep -c '^ *[0-9]*  .* %'
mine | grep 'more cluster'
mine --top 0 | grep -c '^ *[0-9]*  .* %'
mine --top 9 | grep -c '^ *[0-9]*  .* %'
mine --json | grep -c '"rank"'
