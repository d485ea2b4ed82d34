# Two sessions update one row; the first computes for 1.6 s before it commits. deadlock_timeout is 1 s.
# Needs a PostgreSQL server, found by PGHOST and PGPORT, with create table row (id int, n int); insert into row values (1, 0);
psql -q -c "begin; update row set n = n + 1 where id = 1; do \$\$
declare
	t timestamptz := clock_timestamp() + interval '1.6 s';
	n bigint := 0;
begin
	while clock_timestamp() < t loop
		n := n + 1;
	end loop;
end \$\$; commit;" &
sleep 0.2
psql -q -c "update row set n = n + 1 where id = 1"
wait
