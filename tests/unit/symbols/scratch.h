/* For tests that still name it by this path. */
#include "../../scratch.h"
