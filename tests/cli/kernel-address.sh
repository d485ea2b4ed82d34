# KASLR: kernel symbols of another boot are moved to where the recording's kernel was, wherever they
# come from; without that address, or a module's, there are no names.
cat >make.py <<'PY'
import struct
import sys

TEXT, MODULE = 0xFFFFFFFF81000000, 0xFFFFFFFFC0100000
BUILD_ID = bytes.fromhex("abcd01" + "00" * 16 + "ff")


def record(kind, misc, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def write(path, anchor):
    """A recording in pipe layout: a program, and its samples in the kernel and in a module."""
    out = b"PERFILE2" + struct.pack("<Q", 16)
    out += record(64, 0, struct.pack("<IIQQQQQIIQ", 1, 64, 0, 1000000, 0x27, 0, 1 << 18, 0, 0, 0))
    if anchor:
        maps = [(TEXT, 0x10000, TEXT, "[kernel.kallsyms]_text"), (MODULE, 0x3000, 0, "[ext4]")]
    else:
        maps = [(TEXT, 0x10000, 0, "[kernel.kallsyms]"), (MODULE, 0x3000, 0, "[ext4]")]
    for start, size, offset, name in maps:
        body = struct.pack("<iiQQQ", -1, 0, start, size, offset) + name.encode() + b"\0"
        body += b"\0" * (-len(body) % 8) + struct.pack("<iiQ", 0, 0, 0)
        out += record(1, 1, body)
    out += record(67, 1, struct.pack("<i", -1) + BUILD_ID + bytes(4) + b"[kernel.kallsyms]\0")
    out += record(3, 0x2000, struct.pack("<ii", 7, 7) + b"prog\0\0\0\0" + struct.pack("<iiQ", 7, 7, 900))
    for i, ip in enumerate((TEXT + 0x110, TEXT + 0x110, TEXT + 0x250, MODULE + 0x1090)):
        chain = struct.pack("<QQQ", 2, (1 << 64) - 128, ip)
        out += record(9, 1, struct.pack("<QiiQ", ip, 7, 7, 1000000 * (i + 1)) + chain)
    open(path, "wb").write(out)


def table(path, by, module_by):
    with open(path, "w") as f:
        for address, name in ((0, "_text"), (0x100, "do_read"), (0x200, "do_write"), (0x300, "_etext")):
            f.write("%016x T %s\n" % (TEXT + by + address, name))
        for address, name in ((0x10, "ext4_read"), (0x1080, "ext4_write")):
            f.write("%016x t %s\t[ext4]\n" % (MODULE + module_by + address, name))


write("perf.data", True)
write("nowhere.data", False)
table("same", 0, 0)
table("up", 0x1000000, 0x205000)
table("down", -0x400000, -0x33000)
table("modules-only", 0, 0x40000)
open("other-kernel", "w").write("ffffffff81000000 T _start\n")
PY
python3 make.py
folded() { "$LODE" mine --folded --symptom comm=prog "$@" 2>&1; }
status() { "$LODE" info --json "$@" | grep -o '"symbols": "[^"]*"'; }
for table in same up down modules-only; do
	echo "$table:"
	folded --kallsyms "$table" perf.data
	status --kallsyms "$table" perf.data
done
echo 'from the build-id cache of another boot:'
export HOME=$PWD/home
cached="$HOME/.debug/[kernel.kallsyms]/abcd0100000000000000000000000000000000ff"
mkdir -p "$cached"
cp up "$cached/kallsyms"
folded perf.data
status perf.data
echo 'the recording lacks the address:'
folded --kallsyms same nowhere.data
status --kallsyms same nowhere.data
echo 'the table lacks the symbol:'
status --kallsyms other-kernel perf.data
