#pragma once

// The parts of the OpenAPI document: the texts of the files in Functions/Openapi/Documents, which are part of the program.
extern const char *_Nonnull shim_base(void);
extern const char *_Nonnull shim_devices(void);
extern const char *_Nonnull shim_preferences(void);
extern const char *_Nonnull shim_inbox(void);
extern const char *_Nonnull shim_activity(void);
extern const char *_Nonnull shim_actions(void);
extern const char *_Nonnull shim_travel(void);
extern const char *_Nonnull shim_unsubscribe(void);
extern const char *_Nonnull shim_timezones(void);
