# Wrong usage ends with code 2, a sentence that says what was meant, and nothing on standard output.
try() {
	"$LODE" "$@" >out
	local code=$?
	echo "$* -> $code$([ -s out ] && echo ', printed something')"
	echo >&2
}
try
try mien
try --nonsense
try mine
try mine --jsn x
try mine --sym x
try mine --top
try mine --top=-1 x
try mine --json=yes x
try mine --min-cost 0 x
try mine --min-cost 30x x
try mine --scope chained x
try mine --only run,sleep x
try mine --time 5s x
try mine --time +2s,+1s x
try mine --slower-than soon x
try mine --prevalence 10% x
try mine --min-cost 1s --patterns 5 x
try mine --scope graph --stacks chained x
try mine --json --folded x
try mine --symptom nonsense=1 x
try mine -x x
try info
try help nonsense
try completion fish
try record
try record --buffer 1K -- true
# Values that make no sense are refused, each by its option; neighbours that are swapped are one slip.
try mine --tpo 3 x
try help mien
try mine --repo ''
try repo lst
try repo forgte --repo x
try repo xyzzy
try repo
try pio trian -l x
try pio 'a
b'
try mine --patterns 0 x
try mine --max-patterns 0 x
try mine --prevalence 0 --delay 1s x
try mine --prevalence 10% --delay 0 x
try mine --threads 0 x
try mine --memory 0 x
try diff --splits 0 a b
try analyze --threads 0 x
try analyze --threads two x
for option in interval window rulesets min-requests cross-validate; do
	try pio train --$option 0
done
try pio train -c x=
try pio train -c ''
try pio train -l ''
try mine --pid 0 x
try record --pid 0
try record --duration 0 -- true
try record --duration 5ns -- true
try record --cpu-rate 0 -- true
# A port that is somebody else's, and what to do: said before anything is read.
printf 'main;a 60\n' >a.folded
python3 - <<'P'
import os, socket, subprocess
taken = socket.create_server(("127.0.0.1", 0))
port = str(taken.getsockname()[1])
done = subprocess.run([os.environ["LODE"], "serve", "--port", port, "a.folded", "missing.folded"], capture_output=True, text=True)
if "built without its" not in done.stderr:
    last = done.stderr.splitlines()[-1].replace(port, "PORT")
    assert (done.returncode, last) == (4, "lode serve: Port PORT is in use; try --port 0 (any that is free)"), done
    assert done.stderr.count("\n") == 1, done
P
# Every command is offered, wherever in the list it stands.
for command in $("$LODE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	"$LODE" "${command}x" 2>&1 | grep -q "did you mean 'lode $command'?" ||
		echo "$command is not offered for ${command}x"
done
