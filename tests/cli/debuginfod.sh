# Servers are asked for symbols where --debuginfod says so, and never without it, nor for longer.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
command -v cc >/dev/null && command -v objcopy >/dev/null || { echo "no C compiler or binutils"; exit 77; }
export HOME=$PWD DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_URLS
cat >served.c <<'C'
volatile long sum;
__attribute__((noinline)) static void spin(void)
{
	for (long i = 0; i < 60000000; i++)
		sum += i;
}
int main(void)
{
	spin();
}
C
cc -O1 -fno-omit-frame-pointer -Wl,--build-id -o served served.c || exit 77
id=$(readelf -n served | sed -n 's/.*Build ID: //p')
mkdir -p "www/buildid/$id" && objcopy --only-keep-debug served "www/buildid/$id/debuginfo" && strip served
perf record -q -N -e cpu-clock -g -o served.data ./served 2>/dev/null || { echo "perf cannot record"; exit 77; }
cat >serve.py <<'P'
import http.server, os, sys, time
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        with open("asked", "a") as out:
            print(self.path, file=out)
        if sys.argv[1] == "silent":
            time.sleep(600)
        super().do_GET()
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port.new", "w") as out:
    print(server.server_address[1], file=out)
os.rename("port.new", "port")
os.chdir("www") if sys.argv[1] != "silent" else None
server.serve_forever()
P
sed -i 's|"asked"|"'"$PWD"'/asked"|' serve.py
serve() {
	rm -f port asked
	python3 serve.py "$1" >server.log 2>&1 & server=$!
	trap "kill $server" EXIT
	for _ in $(seq 300); do [ -e port ] && break; sleep 0.1; done
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
}
name() { "$LODE" mine --json "$@" served.data 2>err | grep -ow spin | head -n 1; cat err; }

echo "== not asked for"
serve whole
name
name --inline
[ -e asked ] && cat asked

echo "== asked for"
name --debuginfod 60s
grep "$id" asked | sed "s/$id/ID/"
"$LODE" info --json --debuginfod 60s served.data | grep -o 'debuginfo: .symtab, build-id verified' | head -n 1
kill $server
wait $server 2>/dev/null
trap - EXIT

echo "== a server that does not answer"
rm -rf cache
serve silent
name --debuginfod 1s
# The library remembers what it did not get.
rm -rf cache
"$LODE" info --json --debuginfod 1s served.data | grep -o 'time limit for debuginfod is exceeded' | head -n 1
kill $server
wait $server 2>/dev/null
trap - EXIT

echo "== no server is named"
unset DEBUGINFOD_URLS
"$LODE" mine --debuginfod 1s served.data; echo "exit $?"
true
