# The sample of docs/timeline.md, from the summary to the culprit; a trace and its index say the same.
mail=$LODE_TOP/samples/mailroom
names="--symbols $mail/symbols.tsv --thread-names $mail/threads.tsv"
cp "$mail/mailroom.xray.zst" .
"$LODE" timeline $names --index mail.lodet mailroom.xray.zst
echo
"$LODE" timeline -f shelf_lock mail.lodet
"$LODE" timeline -f shelf_lock --window +0.4s,+0.6s mail.lodet | head -n 10; "$LODE" timeline -f shelf_lock --thread sorter-2 mail.lodet | sed -n "1p;5,7p"
"$LODE" timeline --functions --top 5 mail.lodet; "$LODE" timeline --functions --window +0.4s,+0.5s --top 2 mail.lodet
"$LODE" timeline --during sorter-1:shelf_lock --top 4 mail.lodet; "$LODE" timeline --during archivist:idle --thread porter mail.lodet
"$LODE" timeline --during gone:rest mail.lodet 2>&1; "$LODE" timeline --during archivist: mail.lodet 2>&1; "$LODE" timeline --during porter:rest --functions mail.lodet 2>&1
echo
"$LODE" timeline --at archivist:+0.45s mail.lodet
echo
"$LODE" timeline --thread sorter-1 --window +0.43s,+0.5s mail.lodet
"$LODE" timeline $names --json --full --top 0 mailroom.xray.zst | grep -v -e '"path"' -e '"next_command"' >trace.json
"$LODE" timeline --json --full --top 0 mail.lodet | grep -v -e '"path"' -e '"next_command"' | cmp - trace.json && echo "index = trace"
for n in 1 2 5; do
	"$LODE" timeline $names -j $n --index again.lodet --json --full --top 0 mailroom.xray.zst |
		grep -v -e '"path"' -e '"next_command"' | cmp - trace.json && cmp mail.lodet again.lodet && echo "same for $n threads"
done
"$LODE" timeline -f shelf_lock --symptoms-out slow.tsv mail.lodet >/dev/null
cat slow.tsv
