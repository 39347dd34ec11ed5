#pragma once

// The tables, people and counts of a campaign: the texts of the files in Tests/Chaos, which are part of the program.
extern const char *_Nonnull shim_tables(void);
extern const char *_Nonnull shim_people(void);
extern const char *_Nonnull shim_recount(void);
