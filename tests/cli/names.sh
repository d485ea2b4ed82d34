# Which names an answer needs: those that its table shows, and where cost was spent.
cat > deep.folded <<'X'
_start;[libc.so.6];main;load_config;parse_line 900
_start;[libc.so.6];main;load_config;[libz.so.1] 100
X
cat > shown.folded <<'X'
main;[libcrypt.so.1];[kernel]!futex_wait 300
main;render;draw 700
X
for file in deep shown; do
	"$LODE" mine $file.folded | sed -z 's/\n  \([A-Za-z0-9(]\)/ \1/g' | grep Recordings
done
# Copies and parts of a function are the function.
cat > clones.txt <<'X'
prog 10/10 [000] 1.000001000: 1000000 cpu-clock:
	401234 store_rows.part.0+0x4 (/bin/prog)
	401200 store_rows+0x20 (/bin/prog)
	401100 main+0x10 (/bin/prog)

prog 10/10 [000] 1.001001000: 1000000 cpu-clock:
	401290 store_rows.constprop.0+0x4 (/bin/prog)
	401100 main+0x10 (/bin/prog)

X
"$LODE" mine --folded clones.txt
