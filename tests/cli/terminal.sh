# Colours, width and the pager: on a terminal, and where there is none.
printf 'main;load;read;wait_for_disk 60\nmain;load;read;stat 20\nmain;draw;layout_of_a_page 30\n' >a.folded
cat >try.py <<'P'
import os, sys
sys.path.insert(0, os.environ["LODE_TOP"] + "/tests/cli")
from on_terminal import plain, run
mine = ["mine", "a.folded"]
code, shown = run(100, mine)
piped = os.popen('"$LODE" mine a.folded').read()
print("colours on a terminal:", "\x1b[38;5;172mcpu" in shown, plain(shown) == piped)
print("none in a pipe:", "\x1b" not in piped)
for what, words, env in (("NO_COLOR", mine, {"NO_COLOR": "1"}), ("TERM=dumb", mine, {"TERM": "dumb"}),
                         ("--color=never", mine + ["--color=never"], {}), ("LODE_COLOR=never", mine, {"LODE_COLOR": "never"})):
    print(f"none with {what}:", "\x1b" not in run(100, words, **env)[1])
print("--color=always before NO_COLOR, in a pipe too:",
      "\x1b[1m" in os.popen('NO_COLOR=1 "$LODE" mine --color=always a.folded').read())
for columns in (80, 100, 140, 200):
    lines = plain(run(columns, ["mine", "a.folded"])[1]).split("\n")
    table = lines[[i for i, line in enumerate(lines) if line.startswith("#")][0]:]
    print(f"lines of at most {columns}:", all(len(line) <= columns for line in table[:4]))
pager = "sed s/^/page:/"
print("LODE_PAGER:", all(line.startswith("page:") for line in run(100, mine, LODE_PAGER=pager)[1].split("\n")[:-1]))
print("PAGER:", "page:" in run(100, mine, LODE_PAGER="-", PAGER=pager)[1])
print("LODE_PAGER first:", "page:" not in run(100, mine, PAGER=pager)[1])
print("less -FRX, where there is one, shows what fits and ends:", "read" in run(100, mine, LODE_PAGER="-")[1])
print("--no-pager:", "page:" not in run(100, ["mine", "--no-pager", "a.folded"], LODE_PAGER=pager)[1])
print("before the command:", "page:" not in run(100, ["--no-pager", "mine", "a.folded"], LODE_PAGER=pager)[1],
      "\x1b" not in run(100, ["--color=never", "--no-pager", "mine", "a.folded"])[1])
print("a pager that cannot run ends lode quietly:", run(100, mine, LODE_PAGER="exit 0")[0] in (0, -13))
print("no pager for JSON:", "page:" not in run(100, ["mine", "--json", "a.folded"], LODE_PAGER=pager)[1])
P
python3 try.py
echo "== misuse"
"$LODE" mine --color=blue a.folded
"$LODE" mine --color a.folded
"$LODE" mine --no-pager=1 a.folded
"$LODE" mine --colour=never a.folded
"$LODE" --color=blue mine a.folded
"$LODE" --no-pager=1 mine a.folded
"$LODE" --pager mine a.folded
"$LODE" pio --color=blue show m
echo "== did you mean"
for word in --shwo --sym --pagre --hepl; do "$LODE" mine $word a.folded 2>&1 | head -n 1; done
"$LODE" help mien 2>&1 | head -n 1
"$LODE" help --schema minee 2>&1 | head -n 1
