# Sorts a file and counts what is in it; tells how long sort took.
started=$(date +%s%N)
LC_ALL=C sort --parallel=1 "$1" > sorted
echo "fault_ns $(($(date +%s%N) - started))"
wc -l sorted
