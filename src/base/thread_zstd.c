/* One decompression context of zstd for each thread. */
#include "base/thread_zstd.h"

#include <pthread.h>

#include "base/mem.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void free_thread_zstd(void *zstd)
{
	ZSTD_freeDCtx(zstd);
}

static void make_thread_zstd_key(void)
{
	if (pthread_key_create(&key, free_thread_zstd) != 0)
		lode_oom(0);
}

ZSTD_DCtx *lode_thread_zstd(void)
{
	ZSTD_DCtx *zstd;

	pthread_once(&once, make_thread_zstd_key);
	zstd = pthread_getspecific(key);
	if (zstd)
		return zstd;
	zstd = ZSTD_createDCtx();
	if (!zstd || pthread_setspecific(key, zstd) != 0)
		lode_oom(0);
	return zstd;
}
