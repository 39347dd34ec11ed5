#pragma once

// The demo's people and projects: the texts of the files in Runner/Demo, which are part of the program.
extern const char *_Nonnull shim_demo(void);
