# Counters asked of a server over HTTP are those of its answer saved in a file; whatever a server does
# wrong is told in a line, and costs nothing that was read before.
cat >server.py <<'P'
"""Prometheus' range queries over two counters; paths say how it misbehaves."""
import gzip, http.server, json, sys, time, urllib.parse

series = json.load(open("all.json"))["data"]["result"]

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def answer(self, status, text, **headers):
        body = text.encode()
        if status == 200 and "gzip" in self.headers.get("Accept-Encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        q = {k: v[0] for k, v in urllib.parse.parse_qs(url.query).items()}
        how = url.path.removesuffix("/api/v1/query_range")
        start, end = float(q.get("start", 0)), float(q.get("end", 0))
        print(how, q.get("query"), q.get("start"), q.get("end"), q.get("step"), q.get("tenant"),
              file=sys.stderr, flush=True)
        if how == "/refuse":
            return self.answer(400, json.dumps({"status": "error", "errorType": "bad_data",
                                                "error": "1:4: parse error: unexpected \x1b[2J end"}))
        if how == "/plain":
            return self.answer(503, "upstream is\nresting")
        if how == "/moved":
            return self.answer(302, "", Location="http://127.0.0.1:1/elsewhere")
        if how == "/page":
            return self.answer(200, "<html>log in first</html>")
        if how == "/slow":
            time.sleep(20)
        if how == "/secret" and self.headers.get("Authorization") != "Bearer abc":
            return self.answer(401, "who are you")
        if how == "/user" and self.headers.get("Authorization") != "Basic bWU6cHc=":
            return self.answer(401, "who are you")
        if how == "/later" and start > 1795200000:
            return self.answer(500, "the disk is full")
        points = [s for s in series if s["metric"]["__name__"] == q["query"]]
        if (end - start) / float(q["step"]) >= 11000:
            return self.answer(422, json.dumps({"error": "exceeded maximum resolution of 11,000 points"}))
        result = [{"metric": s["metric"], "values": [p for p in s["values"] if start <= p[0] <= end]} for s in points]
        text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result},
                           **({"warnings": ["a shard did not answer"]} if how == "/partly" else {})})
        self.answer(200, text[:-40] if how == "/cut" else text)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
P
cat >make.py <<'P'
import json, random
r, start = random.Random(1), 1795200000
slow = {t for s in (100, 300) for t in range(s, s + 20)}
cpu, total, n = [], [], 0
with open("one.log", "w") as log:
    for t in range(500):
        for k in range(20):
            took = r.lognormvariate(-4, 0.3) * (8 if t in slow else 1)
            log.write(f'10.0.0.1 - u [21/Nov/2026:02:00:00 +0000] "GET /shop/cart HTTP/1.1" 200 100 "-" "-" '
                      f'{took:.3f} {took:.3f} {start + t + k / 20 + took:.3f}\n')
        n += 3 + r.randint(0, 3) + 30 * (t in slow)
        cpu.append([start + t + 1, str(40 + r.randint(0, 9) + 30 * (t in slow))])
        total.append([start + t + 1, str(n)])
metric = lambda name: {"__name__": name, "instance": "db:9100", "job": "node"}
json.dump({"status": "success", "data": {"resultType": "matrix", "result": [
    {"metric": metric("cpu_busy"), "values": cpu}, {"metric": metric("reads_total"), "values": total}]}},
    open("all.json", "w"))
P
python3 make.py
python3 server.py >port 2>>requests &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 200); do [ -s port ] && break; sleep 0.05; done
export no_proxy=127.0.0.1
url=http://127.0.0.1:$(cat port)
train() { "$LODE" pio train --log one.log --rulesets 1 "$@" 2>&1 | sed "s/127.0.0.1:$(cat port)/HOST/g"; return "${PIPESTATUS[0]}"; }
ask() { train -c "prometheus:$url/$1?query=cpu_busy&start=${3:-1795200000}&end=1795200600&step=1s$2" -o model | sed '/^[1-9]/,$d; /^trained/q'; echo "exit ${PIPESTATUS[0]}"; }

if ask page "" | grep -q "built without libcurl"; then
	echo "lode was built without libcurl"
	exit 77
fi
: >requests
echo "== the same as from a file, in two requests a query, and with what is the server's business"
train -c all.json -o from-file >/dev/null
train -c "prometheus:$url/?query=cpu_busy&query=reads_total&start=2026-11-20T15:00:00Z&end=1795200600&step=1s&tenant=a%26b" \
	-o from-http >/dev/null
cmp from-file from-http && cat requests
echo "== who asks"
ask secret ""
LODE_PROMETHEUS_HEADER='Authorization: Bearer abc' ask secret "" | tail -1
printf '# for the test\n\nAuthorization: Bearer abc\n' >headers
ask secret "&header-file=headers" | tail -1
printf 'no colon\n' >headers
ask secret "&header-file=headers"
train -c "prometheus:${url/\/\//\/\/me:pw@}/user?query=cpu_busy&start=1795200000&end=1795200600&step=1s" -o model >/dev/null
echo "exit $?"
train -c "prometheus:${url/\/\//\/\/me:no@}/user?query=cpu_busy&start=1795200000&end=1795200600&step=1s" -o model
echo "== servers that say no"
ask refuse ""
ask plain ""
ask moved ""
ask page ""
ask cut ""
ask "" "&limit=1000"
ask slow "&timeout=0.3" | sed "s/timed out.*/timed out/"
ask "" "" 1795300000
train -c "prometheus:http://127.0.0.1:1/?query=up&start=now-1h" -o model | sed "s/Failed to connect.*/no connection/"
echo "== what came before holds"
ask later "" 1795190200
ask partly ""
ask "" "&query=nothing"
echo "== misuse"
for query in 'ftp://h/?query=up' 'http://h/?query=up' 'http://h/?start=now' 'http://h/?query=up&start=soon' \
	'http://h/?query=up&start=now&step=0' 'http://h/?query=up&start=now&end=now-1h' 'http://h/?query=&start=now'; do
	train -c "prometheus:$query" -o model
done
true
