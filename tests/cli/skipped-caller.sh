# Call chains by frame pointers through a function that keeps none: its caller is missing, which is
# said with the module and the function. A frame that no call can have made is dropped.
[ "$(uname -m)" = x86_64 ] || { echo "x86-64 only"; exit 77; }
command -v cc >/dev/null && command -v nm >/dev/null || { echo "no compiler"; exit 77; }
cat >prog.s <<'S'
	.text
	.globl _start, caller, keeps, lacks, never_returns, frame_dummy
	.type _start, @function
	.type caller, @function
	.type keeps, @function
	.type lacks, @function
	.type never_returns, @function
	.type frame_dummy, @function
lacks:	.cfi_startproc
	nop
	nop
	nop
	ret
	.cfi_endproc
	.size lacks, .-lacks
keeps:	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register 6
	nop
	nop
	pop %rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.size keeps, .-keeps
	.p2align 4
caller:	.cfi_startproc
	call lacks
	call *%rax
	call *16(%rsp)
	call *64(%rip)
	ret
	.cfi_endproc
	.size caller, .-caller
never_returns:	.cfi_startproc
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	ret
	.cfi_endproc
	.size never_returns, .-never_returns
frame_dummy:
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	call keeps
	nop
	nop
	nop
	ret
	.size frame_dummy, .-frame_dummy
_start:	.cfi_startproc
	.cfi_undefined 16
	call caller
	hlt
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	.cfi_endproc
	.size _start, .-_start
S
cc -nostdlib -static -no-pie -Wl,--build-id=0x00112233445566778899aabbccddeeff00112233,--eh-frame-hdr -o prog prog.s || exit
cat >make.py <<'PY'
import os
import struct
import subprocess

BUILD_ID = bytes.fromhex("00112233445566778899aabbccddeeff00112233")
at = {}
for line in subprocess.run(["nm", "prog"], capture_output=True, text=True, check=True).stdout.splitlines():
    at[line.split()[2]] = int(line.split()[0], 16)
page = at["lacks"] & ~0xFFF
for line in subprocess.run(["readelf", "-lW", "prog"], capture_output=True, text=True, check=True).stdout.splitlines():
    word = line.split()
    if word[:1] == ["LOAD"] and "E" in word[6:-1]:
        offset = int(word[1], 16) + page - int(word[2], 16)


def record(kind, misc, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def write(path, chains):
    out = b"PERFILE2" + struct.pack("<Q", 16)
    out += record(64, 0, struct.pack("<IIQQQQQIIQ", 1, 64, 0, 1000000, 0x27, 0, 1 << 18, 0, 0, 0))
    out += record(3, 0x2000, struct.pack("<ii", 7, 7) + b"prog\0\0\0\0" + struct.pack("<iiQ", 7, 7, 900))
    name = os.path.abspath("prog").encode() + b"\0"
    body = struct.pack("<iiQQQ", 7, 7, page, 0x1000, offset) + struct.pack("<B3x20s", 20, BUILD_ID)
    body += struct.pack("<II", 5, 2) + name
    body += b"\0" * (-len(body) % 8) + struct.pack("<iiQ", 7, 7, 950)
    out += record(10, 2 | 1 << 14, body)
    for i, chain in enumerate(chains):
        words = [(1 << 64) - 512] + chain
        body = struct.pack("<QiiQ", chain[0], 7, 7, 1000000 * (i + 1))
        out += record(9, 2, body + struct.pack("<%dQ" % (1 + len(words)), len(words), *words))
    open(path, "wb").write(out)


start = at["_start"] + 5
calls = [at["caller"] + n for n in (5, 7, 11, 17)]
write("kept.data", [[at["keeps"] + 4, call, start] for call in calls])
write("lacking.data", [[at["lacks"] + 1, start]] * 3 + [[at["keeps"] + 4, calls[0], start]])
write("false.data", [[at["keeps"] + 4, calls[0], at["never_returns"], start], [at["never_returns"] + 1, start]])
# In its first instruction, and behind its last, a function's frame pointer is its caller's.
write("borders.data", [[at["keeps"], start], [at["keeps"] + 7, start], [at["_start"] + 1]])
# Code that jumps, as its name says: a caller only where its bytes are known to call.
stub = [at["frame_dummy"] + n for n in (7, 12)]
write("stub.data", [[at["keeps"] + 4, calls[0], stub[0], start], [at["keeps"] + 4, stub[0], start], [at["keeps"] + 4, stub[1], start]])
PY
python3 make.py || exit
show() {
	"$LODE" mine --folded --symptom comm=prog $1
	"$LODE" info --json $1 | grep -o '"skips_caller_pct": [0-9.]*' | head -n 1
}
for data in kept lacking false borders; do
	echo "== $data"
	show $data.data
done
echo '== a stub, with its code and without'
show stub.data
mkdir -p symbols/.build-id/00/112233445566778899aabbccddeeff00112233
echo >mark
objcopy --add-section .lode.reduced=mark prog symbols/.build-id/00/112233445566778899aabbccddeeff00112233/elf
mv prog prog.away
show stub.data
mv prog.away prog
rm -r symbols
echo '== what is said of it'
"$LODE" info lacking.data | grep -e "innermost function's caller" -e 'caller of its innermost' -e 'Largest flaw' -e 'stacks without' -A 1
"$LODE" mine --symptom comm=prog lacking.data | grep -A 1 'Missing callers'
echo '== where stack dumps were given up'
mkdir given-up.lode
cp lacking.data given-up.lode/perf.data
printf 'chains\0001f2e\0ended\0' >given-up.lode/.stacks
"$LODE" info given-up.lode | grep -A 4 'caller of its innermost function, mostly'
