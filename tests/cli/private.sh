# What is made from recordings is for its owner alone, whatever the umask allows; a group only when asked.
umask 0
mode() { stat -c "%a %n" "$@"; }
echo "app;main;f 100" >a.folded
xray="$LODE_TOP/samples/mailroom/mailroom.xray.zst"
group=$(id -gn)

echo "== new files"
"$LODE" digest -o digests --merge all.digest a.folded >/dev/null && mode digests digests/* all.digest | sed 's/-[0-9a-f]*\.digest/-HASH.digest/'
"$LODE" timeline --index calls.lodet "$xray" >/dev/null && mode calls.lodet
"$LODE" import --repo new.lode a.folded >/dev/null && mode new.lode
# SQLite's own files beside it, while another one holds it open.
python3 - <<'P' &
import pathlib, sqlite3, time
db = sqlite3.connect("new.lode")
db.execute("SELECT count(*) FROM sqlite_master").fetchone()
pathlib.Path("held").touch()
while not pathlib.Path("over").exists():
	time.sleep(0.05)
P
while [ ! -e held ]; do sleep 0.05; done
"$LODE" import --again --repo new.lode a.folded >/dev/null
mode new.lode-wal new.lode-shm
touch over && wait
echo "== what people read goes by the umask"
"$LODE" mine --html page.html a.folded >/dev/null && mode page.html

echo "== what is there keeps its permissions"
chmod 664 all.digest new.lode
"$LODE" digest --merge all.digest a.folded >/dev/null
"$LODE" import --again --repo new.lode a.folded >/dev/null
mode all.digest new.lode
chmod 640 page.html
"$LODE" mine --html page.html a.folded >/dev/null && mode page.html

echo "== a group"
"$LODE" digest --group "$group" -o shared --merge shared.digest a.folded >/dev/null
"$LODE" timeline --group "$group" --index shared.lodet "$xray" >/dev/null
"$LODE" import --group "$group" --repo shared.lode a.folded >/dev/null
"$LODE" import --group "$group" --repo shared.lode a.folded >/dev/null
mode shared shared/* shared.digest shared.lodet shared.lode | sed 's/-[0-9a-f]*\.digest/-HASH.digest/'
"$LODE" digest --group no-such-group -o none a.folded; echo "exit $?"
ls -d none 2>/dev/null
true
