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
write("open.csv", "time,cpu,mem", lambda t, x, n: f"{t.replace(day=5):%d/%m/%Y %H:%M:%S},{x:.3f},{n}")
write("wrong.csv", "time,cpu,mem", lambda t, x, n: f"{t:{iso}},{x:.3f} {'parsecs' if t.second == 7 else ''},{n}")
write("twice.csv", "time,cpu,cpu", plain)
# Over midnight of the 12th: only the last lines, behind the first 64 KiB, say that the day is first.
late = datetime.datetime(2026, 11, 12, 23, 50, 0)
for name, form in ("night-iso", "%Y-%m-%d %H:%M:%S"), ("night", "%d/%m/%Y %H:%M:%S"):
    open(name + ".tsv", "w").write("time\taction\tuser\trt_ms\n" + "".join(
        f"{late + datetime.timedelta(seconds=i / 4):{form}}\taction{i % 7}\tuser{i % 40}\t{50 + i % 9}\n" for i in range(3000)))
    open(name + ".csv", "w").write("time,cpu,mem\n" + "".join(
        f"{late + datetime.timedelta(seconds=i):{form}},{20 + i % 7},{x:040.20f}\n" for i, (t, x, n) in enumerate(rows)))
calls = [(17, "enter", "main", 1000000), (17, "enter", "f", 1500000), (17, "exit", "f", 3250000),
         (17, "enter", "g", 4000000), (17, "exit", "g", 1004000000), (17, "exit", "main", 2004000000)]
def write_calls(name, head, row):
    open(name, "w").write(head + "".join(";".join(map(str, c[:3])) + ";" + row(c[3]) + "\n" for c in calls))
write_calls("calls-plain.csv", "tid;event;function;ns\n", str)
write_calls("calls-units.csv", "", lambda t: f"{t / 1000000} ms")
write_calls("calls-comma.csv", "sep=;\ntid;event;function;time\n", lambda t: f"{t / 1000:,.1f} us".translate(str.maketrans(",.", ".,")))
write_calls("calls-thousands.csv", "tid;event;function;ns\n", lambda t: f"{t:,}")
open("calls-wrong.csv", "w").write("17,enter,main,1 s\n17,enter,f,40 %\n17,exit,main,2.5\n17,exit,main,2 s\n17,exit\n")
P
model() { TZ=UTC "$LODE" pio train --log log.tsv -c "s=$1.csv" -o "$1.model" >/dev/null; }
model plain
for form in utf16le utf16be cr sep comma english dotted slashed pm units; do
	echo "$form: $(model $form 2>&1; cmp <(sed 's/[a-z0-9]*\.csv//g' plain.model) <(sed 's/[a-z0-9]*\.csv//g' $form.model) && echo same)"
done
for form in ambiguous open wrong twice; do
	echo "== $form"
	model $form 2>&1
	echo "exit $?"
done
echo "== requests over midnight"
for form in night-iso night; do
	TZ=UTC "$LODE" pio train --log $form.tsv -c s=$form.csv --interval 4s -o $form.model 2>&1 | sed "s/$form/night/g" >$form.said
done
cat night.said
cmp night-iso.said night.said && cmp <(sed 's/-iso//' night-iso.model) night.model && echo same
head -n 3 night.tsv >open.tsv
TZ=UTC "$LODE" pio train --log open.tsv -c s=night.csv -o open.model 2>&1
echo "== calls"
for form in plain units comma thousands; do
	"$LODE" timeline calls-$form.csv 2>&1 | sed "s/-$form//g" >calls-$form.txt
	cmp calls-plain.txt calls-$form.txt && echo "$form: same"
done
grep -A99 '^thread' calls-plain.txt
"$LODE" timeline calls-wrong.csv 2>&1 >/dev/null
