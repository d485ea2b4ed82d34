/* Any bytes at all, read as function_graph text. */
#include "fuzz/fuzz.h"

#include "fuzz/fuzz_calls.h"
#include "input/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_call_source(&lode_format_graph, data, size);
	return 0;
}
