# A report as a page: whole or not at all, its data packed, hostile names harmless.
printf 'main;a;b 60\nmain;c;d 30\n' >'"><b>.folded'
if ! "$LODE" mine --html page.html '"><b>.folded' 2>said; then
	grep -q 'built without HTML pages' said && { echo "this lode has no pages"; exit 77; }
	cat said
fi
cat >look.py <<'P'
import base64, json, re, sys, zlib
html = open(sys.argv[1], encoding="utf-8").read()
def unpack(data):
	return zlib.decompress(base64.b64decode(data)).decode()
parts = re.findall(r'<script type="application/octet-stream" class="lode-report" data-name="([^"]*)"'
	r' data-schema="([^"]*)" data-title="([^"]*)" data-encoding="deflate">([^<]*)</script>', html)
# What a cluster's own page shows comes apart from the list: src/document/html_split.h.
rest = "".join(unpack(data) for data in re.findall(r'class="lode-rest"[^>]*>([^<]*)<', html))
for name, schema, title, data in parts:
	text = unpack(data)
	print(name, schema, title, "one line" if "\n" not in text else "lines")
	whole = json.loads(text)
	members, *items = [json.loads("{" + line + "}") for line in rest.split("\n")[:-1]]
	whole.update(members)
	print("a line of the rest for each cluster:", len(items) == len(whole["clusters"]) > 0)
	for cluster, item in zip(whole["clusters"], items):
		cluster.update(item)
	json.dump(whole, open("data.json", "w"), sort_keys=True)
print("marker left" if "<!--lode:data-->" in html else "no marker", html.count("Content-Security-Policy"))
P
python3 look.py page.html
"$LODE" mine --json --detail --paths 10 --top 0 '"><b>.folded' | python3 -c '
import json, sys
print("as --json --detail says:", json.load(sys.stdin) == json.load(open("data.json")))'
ls
echo "== nowhere to write"
"$LODE" mine --html no/such/folder.html '"><b>.folded'
echo "exit $?"
echo "== stands alone"
"$LODE" mine --html x.html --json '"><b>.folded' 2>&1 | head -1
"$LODE" suspects --html x.html --folded x 2>&1 | head -1
"$LODE" mine --detail '"><b>.folded' 2>&1 | head -1
