# Recordings of one base name in several folders have different names in every table.
for release in monday tuesday; do
	for run in 1 2; do
		mkdir -p "$release/$run"
		printf 'app;main;%s 50\napp;main;load;read_disk %s00\n' "$release$run" "$run" >"$release/$run/slow.folded"
	done
done
printf 'app;main;odd 60\n' >odd.folded
printf 'signature: %s\npattern: %s\n\n' disk read_disk odd odd monday monday1 tuesday tuesday2 >known.txt
inputs=(monday/1 monday/2 tuesday/1 tuesday/2 odd.folded)
rows() { grep folded | sed 's/  */ /g'; }

echo "== next"
"$LODE" next --unit ns --signatures known.txt "${inputs[@]}" | rows
echo "== coverage"
"$LODE" coverage --signatures known.txt "${inputs[@]}" | rows
echo "== triage"
"$LODE" triage --signatures known.txt "${inputs[@]}" | rows
echo "== mine"
"$LODE" mine --unit ns --show 1 --top 0 "${inputs[@]}" | rows
echo "== repo, on a terminal without room for paths"
"$LODE" import --repo repo --unit ns "${inputs[@]}" >/dev/null 2>err || cat err
COLUMNS=60 "$LODE" repo list --repo repo | sed 's/.*  //' | LC_ALL=C sort
