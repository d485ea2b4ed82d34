# Four servers in a row, what is slow three hops away: the chain goes on through TCP, UDP and a veth
# pair as through Unix sockets (tests/data/hops/record made the recordings).
cd "$LODE_TOP/tests/data/hops" || exit 1

# Time of the symptoms in stacks with a frame that matches each of the globs, in ns.
cost() {
	local recording=$1 shown
	shift
	for glob; do set -- "$@" --include "$glob"; shift; done
	shown=$("$LODE" mine --symptom comm=shop --json "$@" "$recording") || return
	python3 -c 'import json, sys
aoi = json.loads(sys.argv[1])["aoi"]
print(aoi["wait_ns"] + aoi["run_ns"] + aoi["ready_ns"])' "$shown"
}

for kind in unix tcp udp veth; do
	found=$(cost $kind.script.zst rehash_index)
	truth=$(sed -n "s/^$kind .* rehash_ns //p" truth)
	echo "$kind: rehash_index within 10 % of its own clock: $((found * 10 / truth >= 9 && found * 10 / truth < 11))"
	"$LODE" mine --symptom comm=shop --include rehash_index --top 1 $kind.script.zst |
		sed -n '/^1  /,/^ *$/{/^ *→/p}'
done
echo "tcp, without what shows who sent: nobody is made up"
zstd -dc tcp.script.zst | perl -00 -pe 's/\n[^\n]*__local_bh_enable_ip.*/\n\n/s' >"$HOME/cut.script"
echo "rehash_index $(cost "$HOME/cut.script" rehash_index)," \
	"network $(($(cost "$HOME/cut.script" '→ network') * 10 / $(sed -n 's/^tcp shop_ns \([0-9]*\) .*/\1/p' truth))) of 10"
