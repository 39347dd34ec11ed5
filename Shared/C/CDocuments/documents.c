#include "documents.h"

static const unsigned char base[] = {
#embed "../../../Functions/Openapi/Documents/base.json"
  , 0
};
static const unsigned char devices[] = {
#embed "../../../Functions/Openapi/Documents/devices.json"
  , 0
};
static const unsigned char preferences[] = {
#embed "../../../Functions/Openapi/Documents/preferences.json"
  , 0
};
static const unsigned char inbox[] = {
#embed "../../../Functions/Openapi/Documents/inbox.json"
  , 0
};
static const unsigned char activity[] = {
#embed "../../../Functions/Openapi/Documents/activity.json"
  , 0
};
static const unsigned char actions[] = {
#embed "../../../Functions/Openapi/Documents/actions.json"
  , 0
};
static const unsigned char travel[] = {
#embed "../../../Functions/Openapi/Documents/travel.json"
  , 0
};
static const unsigned char unsubscribe[] = {
#embed "../../../Functions/Openapi/Documents/unsubscribe.json"
  , 0
};
static const unsigned char timezones[] = {
#embed "../../../Functions/Openapi/Documents/timezones.json"
  , 0
};

const char *shim_base(void) { return (const char *)base; }
const char *shim_devices(void) { return (const char *)devices; }
const char *shim_preferences(void) { return (const char *)preferences; }
const char *shim_inbox(void) { return (const char *)inbox; }
const char *shim_activity(void) { return (const char *)activity; }
const char *shim_actions(void) { return (const char *)actions; }
const char *shim_travel(void) { return (const char *)travel; }
const char *shim_unsubscribe(void) { return (const char *)unsubscribe; }
const char *shim_timezones(void) { return (const char *)timezones; }
