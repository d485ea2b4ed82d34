# Samples of counters: one rule for time, and for which counter carries the cost.
sample() { printf '%-16s %d/%d [%03d] %s: %8d %s:\n\t    401000 %s+0x0 (/bin/prog)\n\n' "$@"; }
cost() { "$LODE" mine "$1" 2>&1 | head -n 2; }

echo "--- eight threads share a CPU in slices of 50 us, each with a counter of its own"
for k in $(seq 0 124); do
	for t in 0 1 2 3 4 5 6 7; do
		us=$((k * 8000 + 7600 + t * 50))
		sample prog 100 $((100 + t)) 0 "$(printf '10.%06d' $us)" 1000000 cycles work
	done
done >slices.txt
cost slices.txt
echo "--- a burst, and a pause of 10 s"
{
	sample prog 100 100 0 9.000000 1000000 cycles work
	sample prog 100 100 0 9.000001 1000000 cycles work
	for k in $(seq 0 497); do sample prog 100 100 0 "$(printf '10.%03d000' "$k")" 1000000 cycles work; done
	for k in $(seq 0 499); do sample prog 100 100 0 "$(printf '20.%03d000' "$k")" 1000000 cycles work; done
} >pause.txt
cost pause.txt
echo "--- two kinds of cores"
for k in $(seq 100 199); do
	pmu=cpu_core f=fast p=250000
	[ $((k % 10)) -gt 0 ] || pmu=cpu_atom f=slow p=240000
	sample prog 100 100 $((k % 2)) "10.${k}000" $p $pmu/cycles/P $f
done >hybrid.txt
cost hybrid.txt
echo "--- page faults come first, and count only where there is no clock"
sample prog 100 100 0 10.000001 1 page-faults fault >faults.txt
cost faults.txt
for k in 1 2 3; do sample prog 100 100 0 10.00$((k))000 1000000 cpu-clock:u work; done >>faults.txt
cost faults.txt
"$LODE" info faults.txt | grep 'left out'
echo "--- simpleperf"
printf 'Gecko\t25122 [007] 115539.999601:\t\t1000000 task-clock:u:\n\t    10 work (/a.so)\n\n' >simple.txt
printf 'Gecko\t25122 [007] 115540.604:\t\t1000000 task-clock:u:\n\t    10 work (/a.so)\n\n' >>simple.txt
cost simple.txt
"$LODE" info simple.txt | grep -E '^format|clock'
echo "--- Austin"
printf '# austin: 3.3.0\n# interval: 100\n# mode: wall\n\nP1;T1;a.py:main:3;a.py:work:7 105\n' >a.austin
cost a.austin
echo "--- a long preamble"
{
	printf '{\n"deviceProperties": [\n'
	for k in $(seq 200); do printf '{"id": %d, "name": "a device of the machine"},\n' "$k"; done
	printf '{}],\n"traceEvents": [{"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 10, "dur": 5}]}\n'
} >kineto.json
"$LODE" timeline kineto.json | head -n 1
