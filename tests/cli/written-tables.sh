# Counters as spreadsheets and other locales write them: the same values give the same model.
python3 - <<'P'
import datetime, random
random.seed(5)
start = datetime.datetime(2026, 11, 28, 11, 59, 0)
rows, log = [], ["time\taction\tuser\trt_ms"]
for i in range(900):
    t = start + datetime.timedelta(seconds=i)
    slow = 300 <= i % 450 < 330
    rows.append((t, random.randrange(200, 900) / 8 + (4000 if slow else 0), random.randrange(1000, 9999999)))
    for k in range(4):
        log.append(f"{t:%Y-%m-%dT%H:%M:%S}.{k}00Z\ta\tu\t{random.randrange(50, 60) * (20 if slow else 1)}")
open("log.tsv", "w").write("\n".join(log) + "\n")
def thousands(n, mark): return f"{n:,}".replace(",", mark)
def comma(x): return f"{x:,.3f}".translate(str.maketrans(",.", ".,"))
def write(name, head, row, encoding="utf-8", end="\n"):
    lines = [*head.split("\n"), *(row(*r) for r in rows)]
    open(name, "wb").write((end.join(lines) + end).encode(encoding))
iso = "%Y-%m-%dT%H:%M:%SZ"
plain = lambda t, x, n: f"{t:{iso}},{x:.3f},{n}"
write("plain.csv", "time,cpu,mem", plain)
write("utf16le.csv", "\ufefftime,cpu,mem", plain, "utf-16-le", "\r\n")
write("utf16be.csv", "\ufefftime,cpu,mem", plain, "utf-16-be")
write("cr.csv", "time,cpu,mem", plain, end="\r")
write("sep.csv", "sep=;\ntime;cpu;mem", lambda t, x, n: f"{t:{iso}};{comma(x)};{thousands(n, '.')},0", end="\r\n")
write("comma.csv", "time;cpu;mem", lambda t, x, n: f"{t:{iso}};{x:.3f}".replace(".", ",") + f";{n}")
write("english.csv", "time,cpu,mem", lambda t, x, n: f'{t:{iso}},"{x:,.3f}","{n:,}"')
write("dotted.csv", "time;cpu;mem", lambda t, x, n: f"{t:%d.%m.%Y %H:%M:%S} UTC;{comma(x)};{n}")
write("pm.csv", "time,cpu,mem", lambda t, x, n: f"{t:%m/%d/%Y %I:%M:%S %p},{x:.3f},{n}")
write("units.csv", "time,cpu,mem", lambda t, x, n: f"{t:{iso}},{x:.3f} %,{n / 1000:.3f} kB")
write("ambiguous.csv", "time;cpu;mem", lambda t, x, n: f"{t:{iso}};1,{int(x) % 900 + 100};{n}")
write("slashed.csv", "time,cpu,mem", lambda t, x, n: f"{t:%d/%m/%Y %H:%M:%S},{x:.3f},{n}")
write("wrong.csv", "time,cpu,mem", lambda t, x, n: f"{t:{iso}},{x:.3f} {'parsecs' if t.second == 7 else ''},{n}")
write("twice.csv", "time,cpu,cpu", plain)
P
model() { TZ=UTC "$LODE" pio train --log log.tsv -c "s=$1.csv" -o "$1.model" >/dev/null; }
model plain
for form in utf16le utf16be cr sep comma english dotted pm units; do
	echo "$form: $(model $form 2>&1; cmp <(sed 's/[a-z0-9]*\.csv//g' plain.model) <(sed 's/[a-z0-9]*\.csv//g' $form.model) && echo same)"
done
for form in ambiguous slashed wrong twice; do
	echo "== $form"
	model $form 2>&1
	echo "exit $?"
done
