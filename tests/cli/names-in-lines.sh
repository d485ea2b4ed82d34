# Whatever a program called itself, no output lets a terminal obey it: stacks, documents, tables, messages.
python3 - <<'P'
names = ["a\u009b31mX", "b\u202eY", "c\u200bZ", "d\x1b[2J", "e\x7f"]
with open("names.folded", "wb") as file:
    for i, name in enumerate(names):
        file.write(f"main;{name};work {90 - i}\n".encode())
    file.write(b"main;\xff\x9b;z 40\n")
with open("calls\u009b.csv", "w") as file:
    for i, name in enumerate(names):
        file.write(f"7,enter,{name},{1000 * i}\n7,exit,{name},{1000 * i + 10}\n")
with open("counters\u009b.csv", "w") as file:
    file.write("time,cpu\u009b,b\u202e\n" + "".join(f"{1795230000 + t},{t % 9},{t % 7}\n" for t in range(99)))
P
cat >check.py <<'P'
import sys
text = sys.stdin.buffer.read().decode()
obeyed = {hex(ord(c)) for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u200b")}
print(f"{sys.argv[1]}: {len(text) > 0 and 'printed'}, {sorted(obeyed) or 'nothing obeyed'}")
P
harmless() { "$LODE" "$@" 2>&1 | python3 check.py "${*//$'\u009b'/C1}"; }
for options in "" --folded --json "--json --detail" "--show 1" "--speedscope -" "--top 0"; do harmless mine $options names.folded; done
harmless info names.folded
harmless info --json names.folded
harmless diff --folded --unit ns names.folded names.folded
for options in "" --json "--json --full" "--chrome-trace -" "--symptoms-out /dev/stdout"; do
	harmless timeline $options $'calls\u009b.csv' | sed 's/\[.0x9.\]/nothing obeyed/' # tabs of the table
done
harmless pio train -c $'counters\u009b.csv' -o m
harmless mine $'no\u009bfile'
harmless mine $'--no\u009boption'
harmless $'no\u009bcommand'
"$LODE" mine --folded names.folded
echo "== names of blanks, or none"
printf ';  ;x 50\nprog;  30\n' >blank.folded
"$LODE" mine blank.folded | head -7
python3 - <<'P'
switch = "{:16} 7/7 [000] {}: sched:sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state=S ==> next_comm={} next_pid={} next_prio=120\n"
with open("blank.script", "w") as out:
    for i in range(3):
        out.write(switch.format("", f"{i + 1}.000000", "   ", 7, "swapper/0", 0) + "\t    55d0 [unknown] (/usr/bin/foo)\n\n")
        out.write(switch.format("swapper", f"{i + 1}.500000", "swapper/0", 0, "   ", 7) + "\n")
P
"$LODE" mine blank.script | head -6
echo "== time without an event is no problem that could lead"
python3 - <<'P'
switch = "{:16} {}/{} [000] {}: sched:sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120\n"
with open("gaps.script", "w") as out:
    out.write(switch.format("other", 9, 9, "1.000000", "other", 9, "S", "swapper/0", 0) + "\n")
    for i in range(6, 9):
        out.write(switch.format("prog", 7, 7, f"{i}.000000", "prog", 7, "S", "swapper/0", 0) + "\t    55d0 fetch (/usr/bin/prog)\n\n")
        out.write(switch.format("swapper", 0, 0, f"{i}.900000", "swapper/0", 0, "R", "prog", 7) + "\n")
P
printf 'stream\ttid\tt0_ns\tt1_ns\ngaps.script\t7\t1000000000\t8900000000\n' >gaps.tsv
"$LODE" mine --symptoms gaps.tsv gaps.script | head -9
