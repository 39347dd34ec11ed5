#include "schema.h"

static const unsigned char events[] = {
#embed "../../../Runner/Capture/SQL/0001_events.sql"
  , 0
};
static const unsigned char leases[] = {
#embed "../../../Runner/Capture/SQL/0002_leases.sql"
  , 0
};
static const unsigned char schedules[] = {
#embed "../../../Runner/Capture/SQL/0003_schedules.sql"
  , 0
};
static const unsigned char triggers[] = {
#embed "../../../Runner/Capture/SQL/0004_triggers.sql"
  , 0
};
static const unsigned char partitions[] = {
#embed "../../../Runner/Capture/SQL/0005_partitions.sql"
  , 0
};
static const unsigned char queue[] = {
#embed "../../../Runner/Capture/SQL/0006_queue.sql"
  , 0
};
static const unsigned char partition_number[] = {
#embed "../../../Runner/Capture/SQL/0007_partition_number.sql"
  , 0
};
static const unsigned char noted_times[] = {
#embed "../../../Runner/Capture/SQL/0008_noted_times.sql"
  , 0
};
static const unsigned char sign_outs[] = {
#embed "../../../Runner/Capture/SQL/0009_sign_outs.sql"
  , 0
};
static const unsigned char since[] = {
#embed "../../../Runner/Capture/SQL/0010_since.sql"
  , 0
};
static const unsigned char signals[] = {
#embed "../../../Runner/Capture/SQL/0011_signals.sql"
  , 0
};
static const unsigned char writer_settings[] = {
#embed "../../../Runner/Capture/SQL/0012_writer_settings.sql"
  , 0
};
static const unsigned char roles[] = {
#embed "../../../Runner/Capture/SQL/0013_roles.sql"
  , 0
};
static const unsigned char changes[] = {
#embed "../../../Runner/Capture/SQL/0015_changes.sql"
  , 0
};

const char *shim_events(void) { return (const char *)events; }
const char *shim_leases(void) { return (const char *)leases; }
const char *shim_schedules(void) { return (const char *)schedules; }
const char *shim_triggers(void) { return (const char *)triggers; }
const char *shim_partitions(void) { return (const char *)partitions; }
const char *shim_queue(void) { return (const char *)queue; }
const char *shim_partition_number(void) { return (const char *)partition_number; }
const char *shim_noted_times(void) { return (const char *)noted_times; }
const char *shim_sign_outs(void) { return (const char *)sign_outs; }
const char *shim_since(void) { return (const char *)since; }
const char *shim_signals(void) { return (const char *)signals; }
const char *shim_writer_settings(void) { return (const char *)writer_settings; }
const char *shim_roles(void) { return (const char *)roles; }
const char *shim_changes(void) { return (const char *)changes; }
