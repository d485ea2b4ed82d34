# Documents print what lode prints: tools/check-session LODE --update writes it.
[ -d "$LODE_TOP/samples/startup" ] || { echo "samples/startup is not there"; exit 77; }
"$LODE_TOP/tools/check-session" "$LODE"
