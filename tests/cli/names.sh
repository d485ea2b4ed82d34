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
	"$LODE" mine $file.folded | grep Recordings
done
