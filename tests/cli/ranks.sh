# By every measure: the first sentence, row 1 and the next command are about one cluster, with one
# figure; and remainders, whose total is other clusters', are last.
samples=$LODE_TOP/samples/startup
for rank in own total average streams events; do
	COLUMNS=200 "$LODE" mine --rank $rank "$samples" > table.txt
	"$LODE" mine --rank $rank --top 0 --json "$samples" > all.json
	python3 - $rank <<'END'
import json, re, sys

text = open("table.txt").read()
document = json.load(open("all.json"))
sentence = " ".join(text.split("\nNext: ")[0].split())
row = re.search(r"^1 +([\d.]+ %) +([\d.]+ \w+)", text, re.M)
first = document["clusters"][0]
names = [f.split("!")[-1] for hop in first["headline"]
         for f in hop["functions"] + hop.get("branch", [])]
print(sys.argv[1], sentence.split()[0] in names, f"({row[1]})" in sentence,
      f": {row[2]} of the" in sentence, "--show 1 " in text, document["next_command"] is not None)
clusters = document["clusters"]
whole = sum(c["own_ns"] for c in clusters) + document["other_ns"]
rests = [c["own_ns"] * 2 < c["total_ns"] and c["own_ns"] * 100 < whole for c in clusters]
if sys.argv[1] != "own":
    print("remainders last", rests == sorted(rests), any(rests))
END
done
