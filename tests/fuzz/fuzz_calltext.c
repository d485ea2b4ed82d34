/* Any bytes at all, read as texts of entries and exits. */
#include "fuzz/fuzz.h"

#include "fuzz/fuzz_calls.h"
#include "input/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_call_source(&lode_format_csv_calls, data, size);
	fuzz_call_source(&lode_format_nonsequitur, data, size);
	return 0;
}
