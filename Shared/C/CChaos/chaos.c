#include "chaos.h"

static const unsigned char tables[] = {
#embed "../../../Tests/Chaos/tables.sql"
  , 0
};
static const unsigned char people[] = {
#embed "../../../Tests/Chaos/people.sql"
  , 0
};
static const unsigned char recount[] = {
#embed "../../../Tests/Chaos/recount.sql"
  , 0
};

const char *shim_tables(void) { return (const char *)tables; }
const char *shim_people(void) { return (const char *)people; }
const char *shim_recount(void) { return (const char *)recount; }
