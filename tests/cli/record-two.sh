# Two recordings of one program at once: each looks at its own command, also while perf still writes,
# when the file does not say yet how it was made.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
"$LODE" record -o probe.lode -- true >/dev/null 2>&1 || { echo "this user may not record"; exit 77; }
cat >busy.py <<'P'
import time
end = time.monotonic() + 0.6
while time.monotonic() < end:
    pass
P
for name in a b; do
	"$LODE" record --call-graph fp --no-compress -o $name.lode -- python3 busy.py >$name.out 2>&1 &
done
wait
python3 - <<'P'
import json, os, subprocess
for name in "ab":
    path = f"{name}.lode/perf.data"
    image = bytearray(open(path, "rb").read())
    image[72:104] = bytes(32)  # features: none, as before perf ends
    open(path, "wb").write(image)
    own = open(f"{name}.lode/.pids").read().strip("\0\n")
    listed = open(f"{name}.lode/symptoms.tsv").read().split("\n")[-2].split("\t")
    os.remove(f"{name}.lode/symptoms.tsv")
    mined = json.loads(subprocess.run([os.environ["LODE"], "mine", "--json", f"{name}.lode"], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, check=False).stdout)
    print(mined["symptoms"], "symptom;", "the command's" if own in listed else f"{own} is not in {listed}")
P
