# A file that may not be read is skipped with its reason.
[ "$(id -u)" = 0 ] && ! setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null &&
	{ echo "root reads everything, and setpriv is not there"; exit 77; }
user=
[ "$(id -u)" = 0 ] && user="setpriv --reuid=65534 --regid=65534 --clear-groups"
printf 'main;a 5\n' >good.folded
cp good.folded secret.folded
chmod 755 .
chmod 644 good.folded
chmod 000 secret.folded
cp "$LODE" lode && chmod 755 lode
$user ./lode mine good.folded secret.folded >out
echo "exit $?, $(head -n 1 out)"
$user ./lode info secret.folded
echo "exit $?"
