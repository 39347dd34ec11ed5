#pragma once

// The commit that this was built from: twelve digits, with a plus where files had been changed; empty where it is unknown.
extern const char *shim_commit(void);
