#include "assets.h"

static const unsigned char console_css[] = {
#embed "../../../Runner/Console/Assets/console.css"
  , 0
};
static const unsigned char console_js[] = {
#embed "../../../Runner/Console/Assets/console.js"
  , 0
};
static const unsigned char live_js[] = {
#embed "../../../Runner/Console/Assets/live.js"
  , 0
};
static const unsigned char keys_js[] = {
#embed "../../../Runner/Console/Assets/keys.js"
  , 0
};
static const unsigned char clock_js[] = {
#embed "../../../Runner/Console/Assets/clock.js"
  , 0
};
static const unsigned char times_js[] = {
#embed "../../../Runner/Console/Assets/times.js"
  , 0
};
static const unsigned char find_js[] = {
#embed "../../../Runner/Console/Assets/find.js"
  , 0
};
static const unsigned char icon_svg[] = {
#embed "../../../Runner/Console/Assets/icon.svg"
  , 0
};

const char *shim_console_css(void) { return (const char *)console_css; }
const char *shim_console_js(void) { return (const char *)console_js; }
const char *shim_live_js(void) { return (const char *)live_js; }
const char *shim_keys_js(void) { return (const char *)keys_js; }
const char *shim_clock_js(void) { return (const char *)clock_js; }
const char *shim_times_js(void) { return (const char *)times_js; }
const char *shim_find_js(void) { return (const char *)find_js; }
const char *shim_icon_svg(void) { return (const char *)icon_svg; }
