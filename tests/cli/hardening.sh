# The program is built as Debian builds its packages: at an address of the loader's choice, all
# relocations done and read-only from the start, with checks of the stack and of copies.
command -v readelf >/dev/null || { echo "readelf is not installed"; exit 77; }
readelf -W --dyn-syms --symbols "$LODE" >symbols
# libmicrohttpd's parser of forms has had faults: lode does not call it (SECURITY.md).
grep -E 'MHD_create_post_processor|MHD_post_process' symbols
grep -Eq '__(a|t)san_init' symbols && { echo "sanitizers have checks of their own"; exit 77; }
readelf -hW "$LODE" | grep -o 'DYN (Position-Independent Executable file)'
readelf -lW "$LODE" | grep -o GNU_RELRO
readelf -lW "$LODE" | grep GNU_STACK | grep -q 'RWE' || echo "the stack is not executable"
readelf -dW "$LODE" | grep -o BIND_NOW
# libiberty, which is linked in, has some of these too: what counts is lode's own.
grep -q ' __vsnprintf_chk@' symbols && echo "fortified"
command -v objdump >/dev/null || { echo "objdump is not installed"; exit 77; }
objdump -d --no-show-raw-insn "$LODE" | awk '
	/^[0-9a-f]+ <.*>:$/ { is_ours = /<lode_[a-z_]*>:$/; n += is_ours; is_first = 1; next }
	is_ours && /__stack_chk_fail/ { checked++ }
	is_ours && is_first && /endbr64/ { marked++ }
	{ is_first = 0 }
	END { print (n > 500), (checked > 100), (marked > n / 4) }' >counts
read -r has_functions are_checked are_marked <counts
echo "functions $has_functions, with a checked stack $are_checked"
[ "$(uname -m)" = x86_64 ] || are_marked=1 # branch tracking is of x86
echo "marked as targets $are_marked"
