#include "commit.h"

const char *shim_commit(void) { return BUNDLE_COMMIT; }
