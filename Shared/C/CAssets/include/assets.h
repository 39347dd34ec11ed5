#pragma once

// The console's styles, scripts and icon: the texts of the files in Runner/Console/Assets, which are part of the program.
extern const char *_Nonnull shim_console_css(void);
extern const char *_Nonnull shim_console_js(void);
extern const char *_Nonnull shim_live_js(void);
extern const char *_Nonnull shim_keys_js(void);
extern const char *_Nonnull shim_clock_js(void);
extern const char *_Nonnull shim_times_js(void);
extern const char *_Nonnull shim_find_js(void);
extern const char *_Nonnull shim_icon_svg(void);
