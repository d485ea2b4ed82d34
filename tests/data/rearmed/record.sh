#!/bin/sh
# Makes the recordings beside this file anew: waits that are re-armed after a time-out, on Debian's own CPython, Java and PostgreSQL.
#
#   record.sh LODE
#
# Needs perf, root, python3, a JDK and PostgreSQL. Kept is what perf script says of the threads concerned, so that no symbols are needed.
set -eu
lode=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
chmod 755 "$work"
bin=$(echo /usr/lib/postgresql/*/bin)
stop() {
	[ ! -f "$work/db/postmaster.pid" ] || su postgres -c "$bin/pg_ctl -D $work/db -m fast stop" >&2
	rm -rf "$work"
}
trap stop EXIT

# keep NAME PATTERN: what the recording says of the threads that the pattern names
keep() {
	zstd -dqf "$work/$1.lode/perf.data.zst" -o "$work/$1.data"
	perf script -i "$work/$1.data" --ns --header --show-task-events 2>/dev/null |
		python3 "$here/keep.py" "$2" | zstd -q -19 -f -o "$here/$1.perf-script.zst"
}

"$lode" record --keep-awake -o "$work/gil.lode" -- chrt -f 10 /usr/bin/python3 "$here/gil.py"
keep gil 'gil-'

"$lode" record --keep-awake -o "$work/busy.lode" -- /usr/bin/python3 "$here/busy.py" "$work"
keep busy 'exporter|poller'

javac -d "$work" "$here/Monitor.java"
"$lode" record --keep-awake -o "$work/monitor.lode" -- java -XX:+PreserveFramePointer -cp "$work" Monitor
keep monitor 'index-holder|server-[12]'

mkdir "$work/db"
chown postgres "$work/db"
su postgres -c "$bin/initdb -A trust --no-sync -D $work/db" >/dev/null
su postgres -c "$bin/pg_ctl -w -D $work/db -l $work/db/log -o '-p 5499 -k $work/db -c listen_addresses=' start" >/dev/null
export PGHOST="$work/db" PGPORT=5499 PGUSER=postgres
chmod 755 "$work/db"
psql -q -c 'create table row (id int, n int); insert into row values (1, 0);'
"$lode" record --keep-awake -o "$work/rowlock.lode" -- sh "$here/rowlock.sh"
keep rowlock 'postgres|psql'
