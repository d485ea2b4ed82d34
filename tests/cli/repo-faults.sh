# Repositories that cannot be used, or not for long: said clearly, and nothing destroyed.
set -u
samples=$LODE_TOP/samples/startup
lode() { "$LODE" "$@"; echo "exit $?"; }
"$LODE" digest -o digests --symptoms "$samples/symptoms.tsv" "$samples" >/dev/null
set -- digests/*
"$LODE" import --repo r.lode "$@" >/dev/null

echo "== none named, none there, none at all"
lode repo list
lode mine --repo none.lode
echo "something else" >text
lode import --repo text "$1"
cat text
: >empty
lode mine --repo empty

echo "== from the future"
cp r.lode future.lode
printf '\0\0\0\143' | dd of=future.lode bs=1 seek=60 conv=notrunc status=none
cp future.lode before.lode
lode import --repo future.lode "$1"
lode mine --repo future.lode
cmp future.lode before.lode && echo untouched

echo "== cut and overwritten"
size=$(stat -c %s r.lode)
head -c $((size / 2)) r.lode >cut.lode
cp cut.lode before.lode
lode mine --repo cut.lode 2>&1 | sed 's/(.*)/(...)/' | tail -2
lode import --repo cut.lode "$1" 2>&1 | sed 's/(.*)/(...)/' | tail -2
cmp cut.lode before.lode && echo untouched
# Content that is not what was written, in the middle of a digest: found by its checksum.
python3 - <<'PY'
data = bytearray(open("r.lode", "rb").read())
at = data.index(b"\x8flode\r\n\n")
data[at + 1000:at + 1040] = bytes(40)
open("bad.lode", "wb").write(data)
PY
"$LODE" repo check --repo bad.lode >found
echo "exit $?"
grep -o 'checksum of its content is wrong' found | sort -u
# A digest that is merged already: its recording is named, and can be forgotten and imported again.
mkdir many
for i in $(seq 10 29); do echo "main;work;step_$((i % 7)) $((1000 + i))" >many/$i.folded; done
"$LODE" import --repo whole.lode many >/dev/null
cp whole.lode one.lode
python3 - <<'PY'
import sqlite3
with sqlite3.connect("one.lode") as db:
	(at,) = db.execute("SELECT digest FROM stream WHERE path = 'many/11.folded'").fetchone()
	(content,) = db.execute("SELECT content FROM digest_content WHERE digest = ?", (at,)).fetchone()
	damaged = content[:len(content) // 2] + bytes(20) + content[len(content) // 2 + 20:]
	db.execute("UPDATE digest_content SET content = ? WHERE digest = ?", (damaged, at))
db.close()
PY
lode repo check --repo one.lode
"$LODE" repo forget --repo one.lode --yes "$("$LODE" repo check --repo one.lode | grep -oE '^[0-9a-f]{8}')"
"$LODE" import --repo one.lode many | sed 's/;.*//'
lode repo check --repo one.lode
cmp <("$LODE" mine --json --repo one.lode | grep -v one.lode) <("$LODE" mine --json --repo whole.lode | grep -v whole.lode) &&
	echo "as before"
# A segment, and its names, that are whole but not what its digests come to: found, and rebuilt.
python3 - <<'PY'
import sqlite3
with sqlite3.connect("one.lode") as db:
	for table, key in (("segment_content", "segment"), ("segment_names", "segment")):
		db.execute(f"UPDATE {table} SET content = (SELECT content FROM digest_content LIMIT 1)")
db.close()
PY
lode repo check --repo one.lode
lode repo compact --repo one.lode --rebuild | sed 's/[0-9.]* [kM]B/SIZE/g'
lode repo check --repo one.lode

cp r.lode other.lode
python3 -c 'import sqlite3
db = sqlite3.connect("other.lode")
db.execute("ALTER TABLE digest RENAME COLUMN source TO origin")
db.commit()'
lode diff --repo other.lode 'host=a' 'host!=a'
lode import --repo other.lode "$1"
echo "== a page that contradicts itself, a header that forbids to write"
python3 - <<'PY'
import sqlite3, struct
data = bytearray(open("r.lode", "rb").read())
size = struct.unpack_from(">H", data, 16)[0]
db = sqlite3.connect("r.lode")
(root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'stream'").fetchone()
db.close()
cell = bytearray(data)
struct.pack_into(">H", cell, size * (root - 1) + 8, size - 2) # a cell goes on behind its page
open("cell.lode", "wb").write(cell)
db = sqlite3.connect("r.lode")
(index,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'stream_digest'").fetchone()
db.close()
cell = bytearray(data)
struct.pack_into(">HH", cell, size * (index - 1) + 8, 65535, 65535) # cells of an index in no page
open("index.lode", "wb").write(cell)
data[18] = 250
open("version.lode", "wb").write(data)
PY
lode mine --repo cell.lode
"$LODE" repo check --repo cell.lode | sed -E 's/(structure).*/\1/' | sort -u
"$LODE" repo check --repo index.lode | sed -E 's/(structure|reading it).*/\1/' | sort -u
lode import --repo version.lode "$1"
lode repo compact --rebuild --repo version.lode
lode repo forget --repo r.lode --where 'host~nobody' --yes
echo "== stored options that are none of a digest's: no input and no output comes of them"
for shape in '--symptom comm=*|] c' '--html page.html' '--scope most'; do
	cp r.lode shape.lode
	python3 -c 'import sqlite3, sys
with sqlite3.connect("shape.lode") as db:
	db.execute("UPDATE meta SET value = ? WHERE key = ?", (sys.argv[1].replace("|", "\n") + "\n", "shape"))
db.close()' "$shape"
	lode coverage --repo shape.lode
	lode import --repo shape.lode "$samples"
	ls page.html 2>/dev/null
done

echo "== a row or a table that is gone: said by whoever meets it, never with code 4"
for sql in "DROP TABLE digest_content" "DROP TABLE segment" "DELETE FROM digest_content" "DROP TABLE stream"; do
	for command in mine "repo show" "repo check" "repo compact --rebuild" "sign --name n a;b" next coverage \
		"diff --a symptoms>0 --b path~*" "triage $samples" "import --again digests" "repo forget --yes --where symptoms>0"; do
		cp r.lode gone.lode
		python3 -c 'import sqlite3, sys
with sqlite3.connect("gone.lode") as db:
	db.execute("PRAGMA foreign_keys = OFF")
	db.execute(sys.argv[1])
db.close()' "$sql"
		# shellcheck disable=SC2086 # words
		"$LODE" $command --repo gone.lode >out 2>said
		code=$?
		case $code in
		0) ;; # it needed nothing of that
		1) [ "$command" = "repo check" ] || [ "$command" = "import --again digests" ] || echo "$sql, $command: 1" ;;
		3) grep -q 'gone.lode\|no usable\|nothing' said || { echo "$sql, $command says:"; cat said; } ;;
		*) echo "$sql, $command: $code"; cat said ;;
		esac
		[ -e gone.lode-wal ] || [ -e gone.lode-shm ] && echo "$sql, $command: a log is left"
	done
done

echo "== what only reads leaves nothing beside the file, and changes nothing"
cp r.lode read.lode
for command in mine "repo list" "repo show" "repo labels" "repo check" "sign --list" next coverage "triage $samples"; do
	# shellcheck disable=SC2086
	"$LODE" $command --repo read.lode >out 2>&1
	ls read.lode-* 2>/dev/null
done
"$LODE" repo check --repo read.lode

cp r.lode other.lode
python3 -c 'import sqlite3
db = sqlite3.connect("other.lode")
db.execute("UPDATE stream SET uid = ? WHERE id = 2", ("00000000deadbeef",))
db.commit()'
lode mine --repo other.lode
lode coverage --repo other.lode
lode repo check --repo other.lode | sed 's/recording [0-9a-f]*/recording .../'

echo "== a file that may be read only, in a folder that may"
mkdir ro && cp r.lode ro/ && chmod 444 ro/r.lode && chmod 555 ro
as_user() { # root may write anywhere: become nobody
	if [ "$(id -u)" = 0 ]; then
		chmod 755 . .. 2>/dev/null
		setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}
if as_user test -x "$LODE" && as_user test -r ro/r.lode; then
	as_user "$LODE" mine --repo ro/r.lode | grep -o '^[0-9]* recordings, [0-9]* symptoms'
	as_user "$LODE" repo check --repo ro/r.lode
	as_user "$LODE" import --repo ro/r.lode "$1"
	echo "exit $?"
	as_user "$LODE" import --repo ro/new.lode "$1"
	echo "exit $?"
else
	cat <<'AS'
6 recordings, 6 symptoms
6 digests and 0 segments read: sound.
Next: lode mine --repo ro/r.lode
AS
	echo "lode import: ro/r.lode: cannot write to the repository: Permission denied" >&2
	echo "exit 4"
	echo "lode import: ro/new.lode: cannot create the repository: Permission denied" >&2
	echo "exit 4"
fi
cmp ro/r.lode r.lode && echo untouched
chmod 755 ro

echo "== no more room"
rm -f small.lode
(
	ulimit -f 400 # KiB
	trap '' XFSZ
	"$LODE" import -v -j 1 --repo small.lode --symptoms "$samples/symptoms.tsv" "$samples" >told 2>said
	echo "exit $?"
)
sed 's/: [^:]*$/: .../' said
"$LODE" repo check --repo small.lode | sed 's/.*: //'
"$LODE" repo list --repo small.lode --json | python3 -c '
import json, os, sys
there = {os.path.basename(s["path"]) for s in json.load(sys.stdin)["list"]}
told = {os.path.basename(line.strip()) for line in open("told") if line.startswith("added")}
print("all that was told is there" if told and told <= there else (told, there))
print("but not all of them" if len(there) < 6 else "all are")'
"$LODE" import --repo small.lode --symptoms "$samples/symptoms.tsv" "$samples" | sed 's/.*; [^:]*: \([0-9]* recordings\).*/\1/'

echo "== a signature that is none: every command that reads it names the repository"
"$LODE" sign --repo r.lode --name slow 'main;work' >/dev/null
python3 -c 'import sqlite3
with sqlite3.connect("r.lode") as db:
	db.execute("UPDATE signature SET reason = \"-1\"")
db.close()'
for command in next "next --compare" coverage "coverage --no-mining" "triage $samples" "sign --list" "sign --show slow"; do
	# shellcheck disable=SC2086
	lode $command --repo r.lode
done
