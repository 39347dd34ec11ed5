#include "demo.h"

static const unsigned char demo[] = {
#embed "../../../Runner/Demo/demo.sql"
  , 0
};

const char *shim_demo(void) { return (const char *)demo; }
