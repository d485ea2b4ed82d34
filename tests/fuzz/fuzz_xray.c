/* Any bytes at all, read as an XRay log. */
#include "fuzz/fuzz.h"

#include "fuzz/fuzz_calls.h"
#include "input/formats/xray/xray_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_call_source(&lode_format_xray, data, size);
	return 0;
}
