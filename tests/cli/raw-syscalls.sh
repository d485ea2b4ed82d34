# What perf trace record writes: system calls by number, without switches, samples or call chains. It is
# no input of lode mine; what serves it, lode info says and lode analyze runs.
python3 - <<'P'
with open("trace.script", "w") as out:
    out.write("# ========\n# arch : x86_64\n# ========\n#\n")
    t = 5_000_000_000
    for i in range(300):
        number, took = (61, 40_000_000) if i % 100 == 50 else (0, 3000 + i)
        for kind, rest in ("enter", "(3, 7f00, 400, 0, 0, 0)"), ("exit", "= 12"):
            out.write(f"work 7/7 [000] {t // 10**9}.{t % 10**9:09d}: raw_syscalls:sys_{kind}: NR {number} {rest}\n\n")
            t += took
P
"$LODE" info trace.script | sed -n -e 1p -e '/^serves/,/^$/p'
"$LODE" timeline trace.script | head -n 2
"$LODE" analyze trace.script
echo "$?"
