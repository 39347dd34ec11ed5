#pragma once

// The texts of the files in Shared/Notifications/Languages, which are part of the program.

// The texts of a language by its tag; NULL without any.
extern const char *_Nullable shim_texts(const char *_Nonnull tag);
// The tags in the order of the files; NULL after the last.
extern const char *_Nullable shim_language(int place);
