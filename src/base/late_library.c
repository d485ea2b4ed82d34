/* Opens libraries when they are first needed. */
#include "base/late_library.h"

#include <dlfcn.h>
#include <string.h>

int lode_late_library_open(void *functions, size_t size_bytes, const char *const *names,
			   const char *file, struct lode_error *err)
{
	void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "%s is required, but cannot be opened: %s", file, dlerror());
	for (size_t i = 0; i < size_bytes / sizeof(void *); i++) {
		void *function = dlsym(library, names[i]);

		if (!function)
			return lode_fail(
				err, LODE_ERR_UNSUPPORTED, NULL, -1,
				"%s is not the version that lode was built for: it has no %s", file,
				names[i]);
		memcpy((char *)functions + i * sizeof(function), &function, sizeof(function));
	}
	return LODE_OK;
}
