# Three minutes of training with few requests: what chance makes is no slow time, and lode says what is too little.
cat >service.py <<'P'
import random, sys
name, rate, first, hog, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), eval(sys.argv[4]), int(sys.argv[5])
r = random.Random(seed)
log, counters = open(name + ".log", "w"), open(name + ".csv", "w")
counters.write("time,user,idle,cs,runq,tps\n")
for i in range(180):
    slow, n, at = i in hog, 0, r.expovariate(rate)
    while at < 1:
        n += 1
        took = 0.01 * r.lognormvariate(0, 0.45) * (r.uniform(2, 6) if slow else 1)
        log.write('{"ts": %.6f, "took": %.6f, "route": "/"}\n' % (first + i + at, took))
        at += r.expovariate(rate)
    user = max(0.1, 3 + 0.6 * n + r.gauss(0, 1.2) + (48 if slow else 0))
    counters.write("%d,%.2f,%.2f,%.0f,%d,%.2f\n" % (first + i + 1, user, 98 - user, 400 + 9 * n + r.gauss(0, 40),
        int(r.expovariate(3)) + 2 * slow, max(0, r.gauss(4, 3))))
P
fields="--format json --fields time=ts,response=took:s,action=route"
for rate in 1 3 8 30; do
	echo "== $rate requests per second"
	for seed in 1 2 3; do
		python3 service.py healthy $rate 1795300000 'range(0)' $seed
		python3 service.py today $rate 1795400000 'range(80, 100)' $((seed + 10))
		"$LODE" pio train --force $fields -l healthy.log -c web=healthy.csv -o model >/dev/null 2>said
		[ $seed = 1 ] && cat said
		"$LODE" pio -m model $fields -l today.log -c web=today.csv | grep -E -o 'not explained by the model|^  [0-9:]* to [0-9:]*  [0-9.]* s .* slow   web'
	done
done
