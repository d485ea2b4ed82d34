# A server that is busy with somebody else when a request comes: recorded with sends and receives,
# mining says with what, and with whom.
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
perf record -q -a -k CLOCK_MONOTONIC -e sock:sock_send_length -o probe.data -- true 2>/dev/null ||
	{ echo "this user may not record sends (Linux 6.3 or newer)"; exit 77; }
command -v cc >/dev/null || { echo "no C compiler"; exit 77; }
cat >desk.c <<'C'
/* One thread serves two clients: 'r' asks for a report of 30 ms, 's' for next to nothing. */
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}
__attribute__((noinline)) static void make_report(void)
{
	for (long end = now() + 30000000; now() < end;)
		for (volatile int i = 0; i < 100000; i++)
			;
}
static void ask(struct sockaddr_in *to, char what, int n, int pause_us, const char *name)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	prctl(PR_SET_NAME, name);
	if (connect(s, (void *)to, sizeof(*to)))
		exit(1);
	for (char c; n--; usleep(pause_us))
		if (write(s, &what, 1) != 1 || read(s, &c, 1) != 1)
			exit(1);
	exit(0);
}
int main(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int l = socket(AF_INET, SOCK_STREAM, 0), n = 0;
	struct pollfd clients[2];
	bind(l, (void *)&at, sizeof(at));
	listen(l, 8);
	getsockname(l, (void *)&at, &size);
	if (!fork())
		ask(&at, 'r', 10, 5000, "reporter");
	if (!fork())
		ask(&at, 's', 30, 1000, "shop");
	for (n = 0; n < 2; n++)
		clients[n] = (struct pollfd){accept(l, 0, 0), POLLIN};
	while (n) {
		poll(clients, 2, -1);
		for (int i = 0; i < 2; i++) {
			char c;
			if (clients[i].fd < 0 || !clients[i].revents)
				continue;
			if (read(clients[i].fd, &c, 1) != 1) {
				clients[i].fd = -1;
				n--;
				continue;
			}
			if (c == 'r')
				make_report();
			write(clients[i].fd, &c, 1);
		}
	}
	while (wait(0) > 0)
		;
	return 0;
}
C
cc -std=gnu17 -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -w -o desk desk.c || exit 77
"$LODE" record --network ./desk 2>err || cat err
"$LODE" mine --symptom comm=shop --top 0 --json desk.lode >with.json 2>err || cat err
python3 - <<'P'
import json
d = json.load(open("with.json"))
own = sum(c["own_ns"] for c in d["clusters"]) + d["other_ns"] + d["recording_ns"]
print("every ns once:", own == d["symptom_ns"])
text = json.dumps(d, ensure_ascii=False)
print("→ desk, busy with reporter" in text, "make_report" in text)
P
