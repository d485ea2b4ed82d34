# Two hosts, which are network namespaces of this machine: each is recorded with the events of its own
# threads alone, and a wait in one goes on in the other, however wrong their clocks are said to be.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
perf record -q -a -k CLOCK_MONOTONIC -e sock:sock_send_length -o probe.data -- true 2>/dev/null ||
	{ echo "this user may not record sends (Linux 6.3 or newer)"; exit 77; }
command -v cc >/dev/null || { echo "no C compiler"; exit 77; }
a=lode-$$-a b=lode-$$-b
trap 'ip netns del $a; ip netns del $b' EXIT 2>/dev/null
{
	ip netns add $a && ip netns add $b &&
		ip link add lode-$$ netns $a type veth peer name lode-$$ netns $b &&
		ip -n $a addr add 10.213.0.1/30 dev lode-$$ && ip -n $b addr add 10.213.0.2/30 dev lode-$$ &&
		ip -n $a link set lode-$$ up && ip -n $b link set lode-$$ up
} 2>/dev/null || { echo "no network namespaces here"; exit 77; }
cat >hosts.c <<'C'
/* front ADDRESS PORT N: asks a store N times; store PORT N: answers, after 20 ms of work each. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}
__attribute__((noinline)) static void rebuild_index(void)
{
	for (long end = now() + 20000000; now() < end;)
		for (volatile int i = 0; i < 100000; i++)
			;
}
__attribute__((noinline)) static void ask(int s)
{
	char c = 'q';
	if (write(s, &c, 1) != 1 || read(s, &c, 1) != 1)
		exit(1);
}
static void front(struct sockaddr_in *at, int n)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	for (int tries = 0; connect(s, (void *)at, sizeof(*at)); tries++) {
		if (tries > 600)
			exit(1);
		close(s);
		usleep(100000);
		s = socket(AF_INET, SOCK_STREAM, 0);
	}
	while (n--) {
		ask(s);
		usleep(2000);
	}
}
static void store(struct sockaddr_in *at, int n)
{
	int l = socket(AF_INET, SOCK_STREAM, 0), s;
	char c;
	bind(l, (void *)at, sizeof(*at));
	listen(l, 8);
	s = accept(l, 0, 0);
	for (; n && read(s, &c, 1) == 1; n--) {
		rebuild_index();
		if (write(s, &c, 1) != 1)
			exit(1);
	}
	read(s, &c, 1);
}
int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[3]))};
	inet_pton(AF_INET, argv[2], &at.sin_addr);
	prctl(PR_SET_NAME, argv[1]);
	(argv[1][0] == 'f' ? front : store)(&at, atoi(argv[4]));
	return argc == 0;
}
C
cc -std=gnu17 -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -w -o hosts hosts.c || exit 77
cat >perf-of <<'P'
#!/bin/bash
# perf on a host of its own: of the machine's events only those that HOST's kernel would see.
[ "$1" = record ] || exec perf "$@"
args=()
while [ $# -gt 0 ]; do
	args+=("$1")
	if [ "$1" = -e ]; then
		shift
		args+=("$1")
		case "$1" in
		sched:sched_switch*) args+=(--filter "prev_comm ~ \"$HOST\" || next_comm ~ \"$HOST\"") ;;
		sched:sched_waking*) args+=(--filter "comm ~ \"$HOST\" && COMM ~ \"$HOST\"") ;;
		sock:inet_sock_set_state*) args+=(--filter "$([ "$HOST" = front ] && echo d || echo s)port == 27300") ;;
		sock:* | tcp:* | block:*) args+=(--filter "COMM ~ \"$HOST\"") ;;
		esac
	fi
	shift
done
exec perf "${args[@]}"
P
chmod +x perf-of
export HOST
for HOST in store front; do
	[ $HOST = store ] && at=$b || at=$a
	"$LODE" record --network --call-graph fp --perf ./perf-of -o $HOST.lode -- \
		ip netns exec $at ./hosts $HOST 10.213.0.2 27300 20 2>$HOST.err &
done
wait
grep -hv -e ': recording of' -e 'next: lode mine' -e 'events were lost' -e 'command lines stored' -e 'lacks the caller of' ./*.err
for offset in 0s 400ms -400ms -40s 26h; do
	"$LODE" mine --join --clock-offset=$offset --folded front.lode store.lode >$offset.folded 2>err
	grep -o '40 receives of data that the other hosts sent' err || cat err
done
cmp 0s.folded 400ms.folded && cmp 0s.folded -- -400ms.folded && cmp 0s.folded -- -40s.folded && cmp 0s.folded 26h.folded &&
	echo "the same, whatever the offset"
# 20 requests of about 20 ms each; of what front waited for others at most a tenth was not the store, whose work was most of it.
# Front's and the store's waits for a CPU depend on what else this machine does.
awk '{ n = $NF }
	/^[^→]*;front;[^→]*read;.*→ store@[^→]*rebuild_index/ { work += n }
	/^[^→]*;front;[^→]*read;.*→ store@/ { store += n }
	/^[^→]*;front;[^→]*read;.*→/ { all += n }
	END { is = work >= 300e6 && work > 0.6 * all && store > 0.9 * all
		print "in the store:", is ? "yes" : (work " and " store " of " all) }' 0s.folded
