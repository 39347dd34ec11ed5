#pragma once

// The runner's own migrations: the texts of the files in Runner/Capture/SQL, which are part of the program.
extern const char *_Nonnull shim_events(void);
extern const char *_Nonnull shim_leases(void);
extern const char *_Nonnull shim_schedules(void);
extern const char *_Nonnull shim_triggers(void);
extern const char *_Nonnull shim_partitions(void);
extern const char *_Nonnull shim_queue(void);
extern const char *_Nonnull shim_partition_number(void);
extern const char *_Nonnull shim_noted_times(void);
extern const char *_Nonnull shim_sign_outs(void);
extern const char *_Nonnull shim_since(void);
extern const char *_Nonnull shim_signals(void);
extern const char *_Nonnull shim_writer_settings(void);
extern const char *_Nonnull shim_roles(void);
extern const char *_Nonnull shim_changes(void);
