#include "schema.h"

static const unsigned char events[] = {
#embed "../../../Runner/Capture/SQL/1000_events.sql"
  , 0
};
static const unsigned char leases[] = {
#embed "../../../Runner/Capture/SQL/1001_leases.sql"
  , 0
};
static const unsigned char schedules[] = {
#embed "../../../Runner/Capture/SQL/1002_schedules.sql"
  , 0
};
static const unsigned char triggers[] = {
#embed "../../../Runner/Capture/SQL/1003_triggers.sql"
  , 0
};
static const unsigned char partitions[] = {
#embed "../../../Runner/Capture/SQL/1004_partitions.sql"
  , 0
};
static const unsigned char queue[] = {
#embed "../../../Runner/Capture/SQL/1005_queue.sql"
  , 0
};
static const unsigned char partition_number[] = {
#embed "../../../Runner/Capture/SQL/1006_partition_number.sql"
  , 0
};
static const unsigned char access[] = {
#embed "../../../Runner/Capture/SQL/1007_access.sql"
  , 0
};
static const unsigned char changes[] = {
#embed "../../../Runner/Capture/SQL/1008_changes.sql"
  , 0
};
static const unsigned char plain[] = {
#embed "../../../Runner/Capture/SQL/1009_plain.sql"
  , 0
};

const char *shim_events(void) { return (const char *)events; }
const char *shim_leases(void) { return (const char *)leases; }
const char *shim_schedules(void) { return (const char *)schedules; }
const char *shim_triggers(void) { return (const char *)triggers; }
const char *shim_partitions(void) { return (const char *)partitions; }
const char *shim_queue(void) { return (const char *)queue; }
const char *shim_partition_number(void) { return (const char *)partition_number; }
const char *shim_access(void) { return (const char *)access; }
const char *shim_changes(void) { return (const char *)changes; }
const char *shim_plain(void) { return (const char *)plain; }
