# Dense stacks: patterns with more similar pairs than --memory allows are refused with a λ that fits.
python3 - >dense.folded <<'P'
import random
r = random.Random(1)
for _ in range(200):
    print(";".join(f"fn{r.randrange(40)}" for _ in range(30)), r.randint(1, 1000))
P
"$LODE" mine --memory 1M --min-cost 0.4% dense.folded 2>said
echo "exit $?"
sed 's/[0-9][0-9.e+]*/N/g' said
"$LODE" mine --memory 1M --min-cost "$(sed 's/.*--min-cost \([0-9]*\)$/\1/' said)" dense.folded >text
echo "exit $?"

# Nobody chose the λ of `lode analyze`: one that fits is found, and named.
"$LODE" mine --html page.html --min-cost 50% dense.folded >/dev/null 2>said ||
	{ grep -q 'built without HTML pages' said && { echo "this lode has no pages"; exit 77; }; }
"$LODE" analyze --memory 1M --html page.html dense.folded 2>said | sed -n 's/^\(Next: .* --min-cost \)[0-9]*/\1N/p'
grep -c 'too many patterns at the default' said

# Nor that of `lode mine` without options for it; a bound that was given is kept to.
"$LODE" mine --memory 1M dense.folded 2>said | grep -c 'raised: the default gives too many patterns'
grep -c 'too many patterns at the default' said
# Raised once for the patterns, and again for their pairs.
python3 - >denser.folded <<'P'
import random
r = random.Random(1)
for _ in range(600):
    print(";".join(f"fn{r.randrange(40)}" for _ in range(30)), r.randint(1, 1000))
P
"$LODE" mine --memory 16M denser.folded 2>said | grep -c 'raised: the default gives too many patterns'
grep -c 'too many patterns at the default' said
"$LODE" mine --memory 1M --max-patterns 100000 dense.folded >/dev/null 2>&1
echo "exit $?"
