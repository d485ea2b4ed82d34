# One function from the inside: costs by line and by instruction add up to what mining says, lines are
# those of addr2line, instructions those of objdump, and only source below --source-dir is shown.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
perf record -q -a -k CLOCK_MONOTONIC -e sched:sched_switch -o probe.data -- true 2>/dev/null ||
	{ echo "this user may not record the machine"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "its program has a system call of x86-64 in it"; exit 77; }
command -v cc >/dev/null && command -v objdump >/dev/null || { echo "no C compiler"; exit 77; }
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
printf '#include <capstone/capstone.h>\n' | cc -E - >/dev/null 2>&1 ||
	{ echo "libcapstone-dev is not installed"; exit 77; }
unset DEBUGINFOD_URLS
cat >busy.c <<'C'
#include <sys/syscall.h>
#include <time.h>
static inline unsigned long mix(unsigned long x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdUL;
	return x ^ x >> 29;
}
__attribute__((noinline)) static unsigned long sum_up(unsigned long n)
{
	volatile unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += mix(i);
	struct timespec time = {0, 20000000};
	long rc = SYS_nanosleep;
	/* In the function itself: the C library keeps no frame pointers. */
	__asm__ volatile("syscall" : "+a"(rc) : "D"(&time), "S"(0) : "rcx", "r11", "memory");
	return sum + (unsigned long)rc;
}
#line 1 "/etc/passwd"
__attribute__((noinline)) static unsigned long masked(unsigned long n)
{ return sum_up(n); }
#line 1 "linked.c"
__attribute__((noinline)) static unsigned long linked(unsigned long n)
{ return masked(n) + 1; }
int main(void)
{
	unsigned long sum = 0;
	for (int i = 0; i < 6; i++)
		sum += linked(20000000);
	return sum == 1;
}
C
ln -s /etc/passwd linked.c
cc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o busy busy.c || exit 77
"$LODE" record -o busy.lode ./busy 2>/dev/null || exit 1
cat >check.py <<'P'
import json, re, subprocess, sys
import jsonschema
d = json.load(open("source.json"))
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(d)
kinds = ("running_ns", "waiting_ns", "ready_ns")
parts = [d] + [l for f in d["files"] for l in f["lines"]] + [i for c in d["code"] for i in c["instructions"]]
print("kinds add up", all(sum(p[k] for k in kinds) == p["inclusive_ns"] for p in parts if "inclusive_ns" in p))
lines = sum(l.get("exclusive_ns", 0) for f in d["files"] for l in f["lines"])
print("lines add up", lines + d["unplaced"].get("exclusive_ns", 0) == d["exclusive_ns"] > 0)
code = sum(i.get("exclusive_ns", 0) for c in d["code"] for i in c["instructions"])
print("instructions add up", code == d["exclusive_ns"])
folded = [line.rsplit(" ", 1) for line in open("all.folded")]
mined = [(s.split(";"), int(n)) for s, n in folded if "sum_up" in s.split(";")]
print("as mined", sum(n for s, n in mined) == d["inclusive_ns"],
      sum(n for s, n in mined if s[-1] == "sum_up") == d["exclusive_ns"])
ours = [i["address"] for c in d["code"] for i in c["instructions"]]
theirs = re.findall(r"^ +([0-9a-f]+):\t", subprocess.run(
    ["objdump", "-d", "--no-show-raw-insn", "--disassemble=sum_up", "busy"], capture_output=True, text=True).stdout, re.M)
print("as objdump", [int(a, 16) for a in ours] == [int(a, 16) for a in theirs], len(ours) > 10)
at = subprocess.run(["addr2line", "-e", "busy"] + ours, capture_output=True, text=True).stdout.split("\n")
said = [re.sub(r" .*", "", line).rsplit(":", 1) for line in at if line]
print("as addr2line", all(int(line) == i["line"] for (_, line), i in
      zip(said, (i for c in d["code"] for i in c["instructions"])) if line.isdigit()))
text = open("busy.c").read().split("\n")
print("as the file", all(l["text"] == text[l["line"] - 1] for l in d["files"][0]["lines"]))
most = max(d["files"][0]["lines"], key=lambda l: l.get("waiting_ns", 0))
print("waits at:", most["text"].strip())
P
"$LODE" mine --folded busy.lode >all.folded
"$LODE" mine --source 'busy!sum_up' --source-dir . --json busy.lode >source.json
python3 check.py "$LODE_TOP/docs/schema/mine-source.json"
"$LODE" mine --source 'busy!sum_up' --source-dir . busy.lode >text
grep -c 'takes .* of symptom time, in busy.lode; .* of that exclusive' text
grep -c 'SYS_nanosleep' text

echo "== only source, and only below the folders that are named"
"$LODE" mine --source 'busy!sum_up' busy.lode >text
grep -o 'busy.c: name its folder with --source-dir to see the text' text
grep -c 'SYS_nanosleep' text
"$LODE" mine --source 'busy!masked' --source-dir / busy.lode >text
grep -o 'passwd: not the name of a source file: not shown' text
grep -c root: text
for dir in . /; do
	"$LODE" mine --source 'busy!linked' --source-dir $dir busy.lode >text
	grep -o 'linked.c: a symbolic link leaves the folder of --source-dir: not shown' text
	grep -c root: text
done
mkdir -p elsewhere/src
"$LODE" mine --source 'busy!sum_up' --source-dir elsewhere busy.lode | grep -o 'busy.c: not found below.*'
"$LODE" mine --source 'busy!sum_up' --source-dir nowhere busy.lode
echo "exit $?"
"$LODE" mine --source-dir . busy.lode
echo "exit $?"
"$LODE" serve --port 0 --source-dir . busy.lode >served 2>/dev/null &
for _ in $(seq 100); do grep -q http served && break; sleep .1; done
python3 - "$(cat served)" <<'P'
import sys, urllib.error, urllib.request
page, token = sys.argv[1].split("?token=")
def get(path, headers):
    request = urllib.request.Request(page + path, headers=headers)
    try:
        return urllib.request.urlopen(request).read().decode()
    except urllib.error.HTTPError as e:
        return f"{e.code}"
source = "api/reports/mine/source?function=busy!sum_up"
print("without the token:", get(source, {}), get("api/reports", {}) != "401")
print("with another:", get(source, {"Authorization": "Bearer 0123456789abcdef"}))
print("with it:", "SYS_nanosleep" in get(source, {"Authorization": "Bearer " + token}))
P
kill $!

echo "== what is not here"
mv busy.c gone.c
"$LODE" mine --source 'busy!sum_up' --source-dir . busy.lode | grep -o 'busy.c: not found below.*'
mkdir -p "sysroot$PWD" && cp gone.c "sysroot$PWD/busy.c"
"$LODE" mine --source 'busy!sum_up' --source-dir elsewhere --source-dir sysroot busy.lode >text
grep -c 'SYS_nanosleep' text
grep -c '^text from .*/sysroot/.*/busy.c' text
cp busy whole && strip -g busy
"$LODE" mine --source 'busy!sum_up' busy.lode | grep -o 'has no debug information for it.*'
rm busy
"$LODE" mine --source 'busy!sum_up' busy.lode | grep -o 'file is missing or has changed.*'
"$LODE" mine --source 'busy!nothing' busy.lode
echo "exit $?"
"$LODE" mine --source 'busy!sum_up' --exclude x busy.lode
echo "exit $?"
"$LODE" mine --source 'sum_up' --color=always busy.lode | grep -c "$(printf '\033]8;')"
"$LODE" mine --source 'a' --html x.html busy.lode
echo "exit $?"
echo 'a;b 3' >f.folded
"$LODE" mine --source 'b' f.folded
echo "exit $?"
# Stacks in tracing code, which are cut when a recording is read, are like no other stack.
"$LODE" mine --source 'pluginhost!main' "$LODE_TOP/samples/startup/startup-22.perf.data.zst" | head -n 1
