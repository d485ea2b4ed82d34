# What lode pio takes for what in a log is said, and checked against the values.
python3 - <<'P'
start = 1795233864
with open("counters.csv", "w") as out:
    out.write("time,cpu\n" + "".join(f"{start + t},{t % 7}\n" for t in range(40)))
def write(name, line, header=""):
    with open(name, "w") as out:
        out.write(header + "".join(line(t) + "\n" for t in range(40)))
write("caddy.log", lambda t: '{"ts":%d,"request":{"method":"GET","uri":"/%s"},"duration":0.%03d}' % (start + t, "ab"[t % 2], t + 1))
head = '10.0.0.1 - - [21/Nov/2026:04:04:%02d +0000] "GET /a HTTP/1.1" 200 9 "-" "-"'
write("connect.log", lambda t: head % t + ' "0.001" "0.%03d" "0.%03d" "0.%03d"' % (t + 20, t + 2, t + 3))
write("neither.log", lambda t: head % t + " 0.%03d 0.%03d" % (t * 7 % 40 + 100, t * 11 % 40 + 100))
write("cloudfront.log", lambda t: "2026-11-21\t04:04:%02d\t/a\t0.%03d" % (t, t + 1), "#Fields: date time cs-uri-stem time-taken\n")
write("odd.csv", lambda t: "%d,%d.5,90.5" % (start + t, t + 12), "time,duration,upstream_time\n")
P
for log in *.log odd.csv; do
	"$LODE" pio train --force --log $log -c counters.csv -o $log.model 2>&1 >/dev/null | grep -E "$log" | fold -s -w 118
done
"$LODE" pio train --force --plain --log connect.log -c counters.csv -o model >/dev/null 2>&1
grep -o '"actions":.*' model
