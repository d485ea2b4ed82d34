# Bad input is normal input: one clear line, the right exit code, and the others are still used.
sample=$LODE_TOP/samples/startup/startup-08.perf.data.zst
[ -f "$sample" ] || { echo "samples are not there"; exit 77; }
printf 'main;a 5\nmain;b 3\n' >good.folded
: >zero
printf 'just some words\n' >words
head -c 40 /dev/zero >zeros

say() { echo "== $*" | tee /dev/stderr; }
try() { "$LODE" "$@" >out; echo "exit $?, printed $([ -s out ] && echo something || echo nothing)"; }

say zero length; try mine zero
say no format; try mine words
say zeros; try mine zeros
say not there; try mine nowhere.data
say not there, with a good one; try mine nowhere.data good.folded
say info of nothing; try info zero
say info of two; try info zero good.folded

say a directory with bad ones among a good one
mkdir dir && cp good.folded zero words dir/ && head -c 3000 "$sample" >dir/cut.perf.data.zst
try mine dir

say a recording of no events
eight() { printf '%b\0\0\0\0\0\0\0' "\\0$1"; }
{ printf PERFILE2; eight 150; eight 210; eight 150; eight 0; eight 150; eight 0; head -c 48 /dev/zero; } >none.data
for command in info mine suspects timeline; do try $command none.data; done

say an empty directory; mkdir empty-dir; try mine empty-dir
say a directory of directories; mkdir -p dirs/a dirs/b; try mine dirs

say cut recording, what was readable is used
head -c 100000 "$sample" >cut.perf.data.zst
cp -r "$LODE_TOP/samples/startup/symptoms.tsv" all.tsv
try mine --symptom 'comm=pluginhost' cut.perf.data.zst 2>err; grep -c incomplete err

say flipped bytes never crash
for at in 20 100 5000 20000 60000 90000; do
	cp "$sample" flipped.zst
	printf '\xa5\x5a\xff' | dd of=flipped.zst bs=1 seek=$at conv=notrunc status=none
	"$LODE" mine --symptom 'comm=pluginhost' flipped.zst >out 2>err
	code=$?
	[ $code -le 3 ] && [ -s err ] || echo "byte $at: exit $code"
done

say flipped bytes under the compression
if command -v zstd >/dev/null; then
	zstd -dqc "$sample" >plain.data
	for at in 9 40 104 200 5000 300000 1000000 3000000; do
		cp plain.data flipped.data
		printf '\xa5\x5a\xff\xff\xff\xff\xff\x7f' |
			dd of=flipped.data bs=1 seek=$at conv=notrunc status=none
		"$LODE" mine --symptom 'comm=pluginhost' flipped.data >out 2>err
		code=$?
		[ $code -le 3 ] || echo "byte $at: exit $code"
	done
fi

say disk full
"$LODE" mine good.folded >/dev/full; echo "exit $?"
"$LODE" mine --json good.folded >/dev/full; echo "exit $?"
"$LODE" mine --folded good.folded >/dev/full; echo "exit $?"
"$LODE" info good.folded >/dev/full; echo "exit $?"
"$LODE" --help >/dev/full; echo "exit $?"

say closed pipe
i=0
while [ $i -lt 3000 ]; do echo "main;function_number_$i;b 5"; i=$((i + 1)); done >big.folded
{ "$LODE" mine --folded big.folded; echo "${PIPESTATUS[0]}" >code; } | head -n 1
cat code 2>/dev/null

say a symptom table that is not there; try mine --symptoms nowhere.tsv good.folded
say a symptom that nobody has; try mine --symptom comm=nobody-has-this good.folded
say kernel symbols that are not there; try mine --kallsyms nowhere good.folded
say a document that is nested too deep
python3 -c 'print("{\"clusters\": " + "[" * 200 + "]" * 200 + "}")' >deep.json
try sign --signatures signatures.txt --from deep.json --cluster 1 --name x
say a row of a symptom table whose thread the recording does not have
cp "$sample" .
sed '2{p;s/\t18491\t18491\t/\t18491\t4711\t/}' all.tsv >rows.tsv
try mine --symptoms rows.tsv startup-08.perf.data.zst
try suspects --symptoms rows.tsv startup-08.perf.data.zst
