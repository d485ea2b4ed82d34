# Whoever reads the output goes away: every command ends by SIGPIPE and says nothing, also where its parent ignores or blocks the signal.
printf 'main;load;read 1000\nmain;draw 300\n' >a.folded
printf 'main;load;read 2100\nmain;draw 290\n' >b.folded
for i in 1 2 3 4 5 6 7; do printf '7,enter,f%d,%d000\n7,exit,f%d,%d900\n' $i $i $i $i; done >calls.csv
"$LODE" import --repo r.lode a.folded >/dev/null
for t in $(seq 60); do echo "$((1795230000 + t)).002,$((t % 20 > 15 ? 90 : 10)),$((t % 7))"; done | sed '1i time,cpu,b' >web.csv
for t in $(seq 60); do
	for k in 1 2 3 4 5 6; do echo "$((1795230000 + t)).${k}00,0.0$((t % 20 > 15 ? 9 : 1))$k,/shop"; done
done | sed '1i time,duration_s,request' >web.log
"$LODE" pio train --log web.log -c web=web.csv -o model >/dev/null 2>&1 || echo "no model"
cat >closed.py <<'P'
import os, signal, subprocess, sys

def ask(words, prepare=None):
    end, out = os.pipe()
    os.close(end)
    done = subprocess.run([os.environ["LODE"], *words], stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          preexec_fn=prepare, restore_signals=False, timeout=60, check=False)
    os.close(out)
    if done.returncode != -signal.SIGPIPE or done.stderr:
        print(" ".join(words), done.returncode, done.stderr.decode())
    return done.returncode == -signal.SIGPIPE

def block():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])

def ignore():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)

lines = [line.split() for line in sys.stdin if line.strip()]
print(sum(ask(words, prepare) for words in lines for prepare in (None, block, ignore)), "of", 3 * len(lines), "ended by SIGPIPE")
P
python3 closed.py <<'A'
mine a.folded
mine --json a.folded
mine --folded a.folded
mine --show 1 a.folded
mine --speedscope - a.folded
mine --pprof - a.folded
mine --html /dev/stdout a.folded
mine --repo r.lode
mine --help
diff --unit ns a.folded b.folded
diff --unit ns --json a.folded b.folded
diff --unit ns --folded a.folded b.folded
info a.folded
info --json a.folded
next a.folded b.folded
repo list --repo r.lode
repo list --json --repo r.lode
repo labels --repo r.lode
repo check --repo r.lode
timeline calls.csv
timeline --json calls.csv
timeline --chrome-trace - calls.csv
timeline --symptoms-out /dev/stdout calls.csv
digest --merge /dev/stdout a.folded
sign --repo r.lode --list
analyze a.folded -o /dev/stdout
pio show model
pio watch -m model --log web.log -c web=web.csv --from start --once
pio watch --json -m model --log web.log -c web=web.csv --from start --once
completion bash
help
--help
--version
A
# Through a pager, the terminal's reader is the pager.
python3 - <<'P'
import os, sys
sys.path.insert(0, os.environ["LODE_TOP"] + "/tests/cli")
from on_terminal import run
for words in (["mine", "a.folded"], ["diff", "--unit", "ns", "a.folded", "b.folded"]):
    code, shown = run(100, words, LODE_PAGER="exec 0</dev/null; sleep 0.3")
    print("pager that reads nothing:", code in (0, -13), repr(shown))
P
"$LODE" mine a.folded >/dev/full; echo "a full disk: $?"
