/* Asks libdebuginfod, which is opened on demand. */
#include "input/symbols/debuginfod.h"

#if !__has_include(<elfutils/debuginfod.h>)

int lode_debuginfod_new(struct lode_debuginfod **out, int64_t budget_ns, struct lode_error *err)
{
	(void)budget_ns;
	*out = NULL;
	return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
			 "--debuginfod: this lode was built without libdebuginfod-dev");
}

void lode_debuginfod_free(struct lode_debuginfod *servers)
{
	(void)servers;
}

char *lode_debuginfod_find(struct lode_debuginfod *servers, const uint8_t *build_id, size_t size,
			   bool want_program, bool *is_over)
{
	(void)servers, (void)build_id, (void)size, (void)want_program;
	*is_over = false;
	return NULL;
}

#else

#include <elfutils/debuginfod.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/late_library.h"
#include "base/mem.h"

#define DEBUGINFOD_FUNCTIONS(X)       \
	X(debuginfod_begin)           \
	X(debuginfod_end)             \
	X(debuginfod_find_executable) \
	X(debuginfod_find_debuginfo)  \
	X(debuginfod_set_progressfn)  \
	X(debuginfod_set_user_data)
#define USER_FUNCTIONS(X) X(debuginfod_get_user_data)

struct lode_debuginfod {
	struct {
		DEBUGINFOD_FUNCTIONS(LODE_LATE_MEMBER)
	} lib;
	pthread_mutex_t lock; /* for what follows */
	int64_t left_ns;
};

int lode_debuginfod_new(struct lode_debuginfod **out, int64_t budget_ns, struct lode_error *err)
{
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);
	struct lode_debuginfod *servers;
	int rc;

	*out = NULL;
	if (!urls || !urls[0])
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--debuginfod: DEBUGINFOD_URLS is not set");
	servers = lode_alloc0(1, sizeof(*servers));
	rc = LODE_LATE_OPEN(&servers->lib, DEBUGINFOD_FUNCTIONS, DEBUGINFOD_SONAME, err);
	if (rc < 0) {
		free(servers);
		return rc;
	}
	pthread_mutex_init(&servers->lock, NULL);
	servers->left_ns = budget_ns;
	*out = servers;
	return 0;
}

void lode_debuginfod_free(struct lode_debuginfod *servers)
{
	if (!servers)
		return;
	pthread_mutex_destroy(&servers->lock);
	free(servers);
}

/* The library calls this about once a second, and gives up when it gives anything but 0. */
static int is_time_over(debuginfod_client *client, long done, long all)
{
	struct {
		USER_FUNCTIONS(LODE_LATE_MEMBER)
	} lib;
	const int64_t *until_ns;

	(void)done, (void)all;
	/* It tells whose call this is; opening the library again costs little. */
	if (LODE_LATE_OPEN(&lib, USER_FUNCTIONS, DEBUGINFOD_SONAME, NULL) < 0)
		return 1;
	until_ns = lib.debuginfod_get_user_data(client);
	return !until_ns || lode_clock_ns(CLOCK_MONOTONIC) >= *until_ns;
}

static char *fetch(struct lode_debuginfod *servers, const uint8_t *build_id, size_t size,
		   bool want_program)
{
	debuginfod_client *client = servers->lib.debuginfod_begin();
	int64_t from_ns = lode_clock_ns(CLOCK_MONOTONIC), until_ns = from_ns + servers->left_ns;
	char *path = NULL;
	int fd;

	if (!client)
		return NULL;
	servers->lib.debuginfod_set_user_data(client, &until_ns);
	servers->lib.debuginfod_set_progressfn(client, is_time_over);
	fd = (want_program
		      ? servers->lib.debuginfod_find_executable
		      : servers->lib.debuginfod_find_debuginfo)(client, build_id, (int)size, &path);
	if (fd >= 0)
		close(fd);
	servers->lib.debuginfod_end(client);
	servers->left_ns -= lode_clock_ns(CLOCK_MONOTONIC) - from_ns;
	return fd >= 0 ? path : NULL;
}

char *lode_debuginfod_find(struct lode_debuginfod *servers, const uint8_t *build_id, size_t size,
			   bool want_program, bool *is_over)
{
	char *path = NULL;

	pthread_mutex_lock(&servers->lock);
	if (servers->left_ns > 0)
		path = fetch(servers, build_id, size, want_program);
	*is_over = servers->left_ns <= 0;
	pthread_mutex_unlock(&servers->lock);
	return path;
}
#endif
