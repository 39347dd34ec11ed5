#pragma once

// The runner's own migrations: the texts of the files in Runner/Capture/SQL, which are part of the program.
extern const char *_Nonnull shim_events(void);
extern const char *_Nonnull shim_leases(void);
extern const char *_Nonnull shim_schedules(void);
extern const char *_Nonnull shim_triggers(void);
extern const char *_Nonnull shim_partitions(void);
extern const char *_Nonnull shim_queue(void);
extern const char *_Nonnull shim_partition_number(void);
extern const char *_Nonnull shim_access(void);
extern const char *_Nonnull shim_changes(void);
extern const char *_Nonnull shim_plain(void);
