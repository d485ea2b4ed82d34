# lode pio watch asks Prometheus: what was, then only what is new, also behind an answer that failed and
# after a restart.
cat >server.py <<'P'
"""Range queries over two counters, slow from 100 to 120 s and from 300 to 320 s of the last 500 s."""
import http.server, json, os, random, sys, time, urllib.parse

start = int(time.time()) - 500
r = random.Random(1)
noise = [(r.randint(0, 9), r.randint(0, 3)) for _ in range(2000)]

def value(name, t):
    is_slow = 100 <= t - start < 120 or 300 <= t - start < 320
    cpu, waits = noise[t - start]
    return 40 + cpu + 30 * is_slow if name == "cpu_busy" else waits + 30 * is_slow

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        q = {k: v[0] for k, v in urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).items()}
        first, last, step = float(q["start"]) - start, float(q["end"]) - start, float(q["step"])
        print("from the start" if first < 10 else "from what was new", "to the end" if 490 < last < 600 else last, file=sys.stderr, flush=True)
        is_broken = os.path.exists("broken")
        times = [start + first + k * step for k in range(int((last - first) / step) + 1) if first + k * step >= 0]
        values = [[t, str(value(q["query"], int(t)))] for t in times]
        body = json.dumps({"status": "error", "error": "the disk is full"} if is_broken else {
            "status": "success", "data": {"resultType": "matrix", "result": [
                {"metric": {"__name__": q["query"], "instance": "db:9100"}, "values": values}]}}).encode()
        self.send_response(500 if is_broken else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
P
python3 server.py >port 2>>requests &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 200); do [ -s port ] && break; sleep 0.05; done
export no_proxy=127.0.0.1
query="prometheus:http://127.0.0.1:$(cat port)/?query=cpu_busy&query=disk_waits&start=now-10m&step=1s"
watch() { "$LODE" pio watch -m model --once "$@" 2>&1 | sed "s/127.0.0.1:$(cat port)/HOST/; s/20..-..-.. ..:..:.. UTC/TIME/g; s/detected ..:..:../detected/; s/ended ..:..:../ended/; s/↑[0-9.]*×/↑N×/g"; echo "exit ${PIPESTATUS[0]}"; }

if "$LODE" pio train -c "${query/now-10m/now-170s}" -o model 2>&1 | grep -q "built without libcurl"; then
	echo "lode was built without libcurl"
	exit 77
fi
: >requests
echo "== what was"
watch --from start -c "$query" --state state
sort requests | uniq -c
echo "== an error, and nothing twice after it"
: >requests
sleep 2
touch broken
watch --from start -c "$query" --state state
rm broken
watch --from start -c "$query" --state state
sort -u requests
echo "== from now on"
: >requests
watch -c "$query"
sort -u requests
echo "== misuse"
watch --from start -c "prometheus:http://127.0.0.1:$(cat port)/?query=up"
watch -c "prometheus:http://127.0.0.1:$(cat port)/?step=1s"
