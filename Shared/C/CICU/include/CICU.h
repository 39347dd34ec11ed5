#pragma once
#include <stdint.h>

// What is used of ICU, with UTF-16 in and out. Its C interface is stable since ICU 62, and declared here because its names
// end with the version of the library: no headers are needed to build.
//
// Opening gives NULL, and writing gives -1, where ICU is missing or refuses. Nothing that was opened is closed.

typedef uint16_t icu_unit;

// The version that is loaded; 0 without one.
int icu_version(void);
// ICU's name of the locale with a BCP 47 tag.
int32_t icu_locale(const char *tag, char *name, int32_t size);
void *icu_open_patterns(const char *locale);
int32_t icu_pattern(void *patterns, const icu_unit *skeleton, int32_t count, icu_unit *text, int32_t size);
void *icu_open_dates(const char *locale, const icu_unit *pattern, int32_t count);
// A moment in UTC, in milliseconds since 1970.
int32_t icu_date(void *dates, double moment, icu_unit *text, int32_t size);
void *icu_open_numbers(const char *locale, const icu_unit *skeleton, int32_t count);
int32_t icu_number(void *numbers, int64_t number, icu_unit *text, int32_t size);
void *icu_open_plurals(const char *locale);
int32_t icu_plural(void *plurals, int64_t number, icu_unit *category, int32_t size);
void *icu_open_lists(const char *locale);
int32_t icu_list(
    void *lists, const icu_unit *const *texts, const int32_t *counts, int32_t number, icu_unit *text, int32_t size);
// Its words are long ones, or as short as they can be.
void *icu_open_relative(const char *locale, int is_narrow);
// How far away a number of units is: 4 for days, 5 for hours, 6 for minutes, 7 for seconds.
int32_t icu_relative(void *relative, double number, int unit, icu_unit *text, int32_t size);
// How long ago a number of units was; 0 seconds are now.
int32_t icu_since(void *relative, double number, int unit, icu_unit *text, int32_t size);
