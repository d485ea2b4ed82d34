# A flight data recorder's buffers of several threads are worked on side by side: the index and what is
# shown are the same bytes for any number of threads of ours, also where calls go to a temporary file.
folder=$LODE_TOP/../shared/traces/function/xray-small
[ -d "$folder" ] || { echo "the recordings are not there"; exit 77; }
for log in demo-fdr demo-fdr-tsc demo-fdrwrap; do
	"$LODE" timeline -j 1 --symbols "$folder/symbols.tsv" --index one.lodet --json --full --top 0 "$folder/$log.log.zst" >one.json
	for options in "-j 2" "-j 3" "-j 7" "-j 2 --memory 1"; do
		"$LODE" timeline $options --symbols "$folder/symbols.tsv" --index more.lodet --json --full --top 0 "$folder/$log.log.zst" >more.json
		cmp one.lodet more.lodet && cmp one.json more.json && echo "$log, $options: the same"
	done
done

# Of two damaged parts of an index, the first is named, whichever thread comes to which first.
for i in $(seq 20); do "$LODE" timeline -j 4 "$LODE_TOP/tests/data/two-parts-damaged.lodet" 2>&1 || echo "exit $?"; done |
	sed 's/.*offset/offset/' | sort -u
