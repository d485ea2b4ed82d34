# The worked session of docs/loop.md prints what it says.
[ -d "$LODE_TOP/samples/startup" ] || { echo "samples/startup is not there"; exit 77; }
ln -s "$LODE_TOP/samples" samples
"$LODE_TOP/tools/check-session" "$LODE" "$LODE_TOP/docs/loop.md"
