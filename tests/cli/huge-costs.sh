# Costs whose sum is beyond int64_t: what does not fit is skipped, or refused, and nothing is added up wrongly.
lode() { "$LODE" "$@" >out; code=$?; head -2 out; echo "exit $code"; }
for i in 1 2 3 4 5; do echo "main;f$i 2000000000000000000" >$i.folded; done
lode mine ?.folded
lode diff --a 1.folded --a 2.folded --a 3.folded --b 4.folded --b 5.folded
"$LODE" import --repo r.lode ?.folded >/dev/null
lode mine --repo r.lode
lode coverage --repo r.lode
lode coverage --repo r.lode --no-mining
