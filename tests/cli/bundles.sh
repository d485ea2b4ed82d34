# A symptoms.tsv beside the recordings says what the symptoms are, unless the command line does.
samples=$LODE_TOP/samples/startup
[ -d "$samples" ] || { echo "samples are not there"; exit 77; }
"$LODE" mine "$samples" | grep -o -e '^[0-9]* recordings, [0-9]* symptoms of .* s;' -e '^Symptoms.*'
"$LODE" mine --symptom comm=ph-journal "$samples" | grep '^Symptoms'
"$LODE" mine --slower-than 4s "$samples" | grep -o -e '^[0-9]* recordings, .* s;' -e '^Symptoms.*'
"$LODE" mine --time +0s,+1s --symptom comm=pluginhost "$samples"/startup-08.perf.data.zst |
	grep -o 'symptom of .* s;'
"$LODE" mine --show 99 "$samples" 2>&1 | grep -o "no cluster '99'"
# The table fits 100 columns.
"$LODE" mine --top 0 "$samples" | sed -n '/^ *#/,/^$/p' | python3 -c '
import sys
lines = [line.rstrip("\n") for line in sys.stdin]
print(len(lines) > 6, [line for line in lines if len(line) > 100 or line != line.rstrip()])'
