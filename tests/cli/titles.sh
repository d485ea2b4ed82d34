# Processes are called by what tells them apart, where lode record noted it beside the recording.
samples=$LODE_TOP/samples/startup
[ -d "$samples" ] || { echo "samples are not there"; exit 77; }
cp "$samples"/startup-08.perf.data.zst .
links() {
	"$LODE" mine --folded startup-08.perf.data.zst 2>&1 | grep -o '→ plugh[^;]*' | sed 's/ [0-9]*$//' | sort | uniq -c
}
echo "== no note"
links
echo "== a title"
printf '1913400000000\t18500\tplughelper: pool 10.0.0.7(51234) idle\n' >titles.tsv
printf '1913500000000\t18500\tplughelper: pool 10.0.0.7(51234) busy\n' >>titles.tsv
links
echo "== of whoever had the number before, and damage"
printf '1913100000000\t18500\tplughelper: other\nx\ty\tz\n1913400000000\t18500\tplughelper\\q\n' >titles.tsv
links
