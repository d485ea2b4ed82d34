# Lines and fields that perf script prints on request: source lines, and frames without their file.
sample() { printf 'app 7 [000] %d.500000: 250000 cpu-clock: \n' "$1"; }
for s in 1 2 3; do
	sample $s
	printf '\t 1139 work+0x2 (/bin/app)\n  app.c:12\n\t 1150 main+0x9 (/bin/app)\n  app.c:20 (discriminator 2)\n\t 29d90 [unknown] (/lib/libc.so.6)\n  libc.so.6[29d90]\n\n'
done >lines.script
"$LODE" mine lines.script | head -n 2
for s in 1 2 3; do
	sample $s
	printf '\t 1139 work\n\t 29d90 [unknown]\n\n'
done >bare.script
"$LODE" mine --folded bare.script
sample 1 >odd.script
printf '  nothing that perf writes\n\n' >>odd.script
"$LODE" mine odd.script >/dev/null
echo "$?"
