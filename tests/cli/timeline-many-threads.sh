# A trace of very many threads costs little for each, and a page has the ones with the most calls.
python3 - <<'P'
with open("threads.json", "w") as f:
    f.write("[" + ",".join('{"ph":"X","name":"f","ts":%d,"dur":5,"pid":%d,"tid":%d}' % (i, i // 100, i) for i in range(30000)))
    f.write(',{"ph":"X","name":"g","ts":1,"dur":1,"pid":299,"tid":29999}]')
P
"$LODE" timeline --top 2 threads.json
"$LODE" timeline --index threads.lodet threads.json >/dev/null
for input in threads.json threads.lodet; do
	"$LODE" timeline --json --page $input | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(len(d["threads"]), "threads, the last", d["threads"][-1]["tid"], d["trace"]["losses"], d["trace"]["calls"], "calls")'
done
"$LODE" timeline --json --page --thread 29998 threads.json 2>&1 | head -n 1
"$LODE" timeline --html page.html threads.json && python3 - "$LODE" <<'P'
import os, resource, subprocess, sys
assert os.path.getsize("page.html") < 8 << 20, os.path.getsize("page.html")
subprocess.run([sys.argv[1], "timeline", "-j1", "threads.json"], stdout=subprocess.DEVNULL, check=True)
P
# What a thread takes, less what the program itself does; the sanitizers' own memory is none of ours.
grep -q __asan_init "$LODE" || python3 - "$LODE" <<'P'
import json, os, subprocess, sys
def peak(path):
    child = subprocess.Popen([sys.argv[1], "timeline", "-j1", path], stdout=subprocess.DEVNULL)
    return os.wait4(child.pid, 0)[2].ru_maxrss * 1024
with open("one.json", "w") as f:
    f.write('[{"ph":"X","name":"f","ts":1,"dur":5,"pid":1,"tid":1}]')
each = (peak("threads.json") - peak("one.json")) / 30000
assert each < 1600, each
P
echo "exit $?"
