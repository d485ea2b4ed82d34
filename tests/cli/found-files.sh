# Files that lode finds by itself: a FIFO is not waited for, and a damaged table costs its own recording only.
recording=$LODE_TOP/samples/startup/startup-08.perf.data.zst
bundle() {
	mkdir -p "$1"
	cp "$recording" "$1/perf.data.zst"
}
within() { # as fast as ever: nothing waits for a writer
	timeout 20 "$LODE" "$@" >out 2>err
	local code=$?
	echo "lode $*: $code"
	[ $code != 124 ] || return
	sed 's/^/    /' err
}
echo "== FIFOs in a bundle"
for name in titles.tsv .command .pids .stacks INCOMPLETE README; do
	bundle "b-$name.lode"
	mkfifo "b-$name.lode/$name"
	within info "b-$name.lode"
	within mine "b-$name.lode"
done
bundle s.lode
mkdir -p s.lode/symbols/.build-id/4a/5a9b0affb66c437abcd455d2738af879985fa9
mkfifo s.lode/symbols/.build-id/4a/5a9b0affb66c437abcd455d2738af879985fa9/{elf,kallsyms,debug} s.lode/perf-18500.map
within mine s.lode
echo "== FIFOs in a folder of uftrace"
for name in info task.txt 114267.dat default.opts; do
	cp -r "$LODE_TOP/tests/golden/uftrace/data" u
	chmod -R u+w u
	[ $name != 114267.dat ] || name=$(cd u && ls [0-9]*.dat | head -n 1)
	rm -f "u/$name"
	mkfifo "u/$name"
	within timeline u | sed "s/[0-9]*\.dat/TID.dat/"
	rm -r u
done
cp -r "$LODE_TOP/tests/golden/uftrace/data" u
chmod -R u+w u
for name in u/*.sym u/*.map; do rm "$name" && mkfifo "$name"; done
within timeline u
echo "== one damaged table of symptoms of two"
for kind in text folder fifo; do
	mkdir "two-$kind"
	bundle "two-$kind/good.lode"
	cp "$LODE_TOP/samples/startup/symptoms.tsv" "two-$kind/good.lode"
	sed -i 's/startup-08.perf.data.zst/perf.data.zst/' "two-$kind/good.lode/symptoms.tsv"
	bundle "two-$kind/bad.lode"
	case $kind in
	text) echo bad >two-text/bad.lode/symptoms.tsv ;;
	folder) mkdir two-folder/bad.lode/symptoms.tsv ;;
	fifo) mkfifo two-fifo/bad.lode/symptoms.tsv ;;
	esac
	within mine "two-$kind"
	within suspects "two-$kind"
done
within digest -o digests two-text
within digest --merge all.digest two-text
within import --repo r.lode two-text
within analyze two-text -o page.html
within mine --slower-than p90 two-text
within info two-text
within mine two-fifo/bad.lode
echo "== what the user names may be a pipe"
"$LODE" mine --symptoms <(cat "$LODE_TOP/samples/startup/symptoms.tsv") "$LODE_TOP/samples/startup/startup-08.perf.data.zst" >piped 2>&1
echo "$?"
"$LODE" mine --symptoms "$LODE_TOP/samples/startup/symptoms.tsv" "$LODE_TOP/samples/startup/startup-08.perf.data.zst" 2>&1 | head -n 1 | cmp - <(head -n 1 piped)
echo "== FIFOs beside a repository, which SQLite opens, and in the cache of lode serve"
printf 'main;a;b 60\n' >a.folded
within import --repo p.lode a.folded
for suffix in -journal -wal -shm; do
	mkfifo "p.lode$suffix"
	within repo list --repo p.lode
	within import --repo p.lode a.folded
	rm "p.lode$suffix"
done
mkdir -p cache/lode
for i in $(seq -w 0 63); do mkfifo "cache/lode/served-$i"; done
if "$LODE" serve 2>&1 | grep -q 'built without its server'; then
	echo "served: 200"
else
	XDG_CACHE_HOME=$PWD/cache "$LODE" serve --port 0 --repo p.lode >url 2>err &
	for _ in $(seq 200); do [ -s url ] && break; sleep .1; done
	python3 - <<'P'
import time, urllib.error, urllib.request
for _ in range(200):
    try:
        print("served:", urllib.request.urlopen(open("url").read().split("?")[0] + "api/reports/mine").status)
        break
    except urllib.error.HTTPError:
        time.sleep(.1)
P
	kill $!
	wait $!
fi
