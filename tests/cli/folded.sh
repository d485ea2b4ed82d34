# Any profiler's folded stacks: table, one cluster, folded again; names are made harmless.
printf 'main;load;parse;read 60\nmain;load;scan;read 30\nmain;draw;blit 9\nmain 1\n' >a.folded
"$LODE" mine --min-cost 5% a.folded
echo
"$LODE" mine --min-cost 5 --show 1 a.folded
echo
"$LODE" mine --folded a.folded | sort | cmp - <(sort a.folded) && echo same
gzip -k a.folded
"$LODE" mine --min-cost 5% - <a.folded | head -n 1
"$LODE" mine --min-cost 5% a.folded.gz | head -n 1
printf 'a\033[2Jb;c\xff 10\n' >evil.folded
"$LODE" mine evil.folded | grep 'x1b'
