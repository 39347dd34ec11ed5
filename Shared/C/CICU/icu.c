// ICU, loaded when a text is first written in a language that needs it: with its data it maps some 30 megabytes.
//
// Each release has names of its own for its file and its functions, as udat_open_72 in libicui18n.so.72. The version is
// found at run time, so that a program runs on every release of Debian and Ubuntu.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "CICU.h"

static void *library;
static int version;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int load_version(int number) {
  char name[32];
  snprintf(name, sizeof name, "libicui18n.so.%d", number);
  library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  version = library ? number : 0;
  return version;
}

static void load(void) {
  // Those of Debian 12, Debian 13, Ubuntu 24.04 and 22.04 first.
  static const int likely[] = {72, 76, 74, 70};
  for (unsigned place = 0; place < sizeof likely / sizeof *likely; place++)
    if (load_version(likely[place])) return;
  for (int number = 99; number >= 62; number--)
    if (load_version(number)) return;
}

int icu_version(void) {
  pthread_once(&once, load);
  return version;
}

static void *find(const char *name) {
  char full[64];
  int number = icu_version();
  if (!number) return NULL;
  snprintf(full, sizeof full, "%s_%d", name, number);
  return dlsym(library, full);
}

// Two threads may both look a function up: they find, and store, the same address.
#define LOADED(TYPE, NAME, PARAMETERS, FAILURE)                                         \
  static TYPE(*volatile NAME##_real) PARAMETERS;                                        \
  TYPE(*NAME) PARAMETERS = NAME##_real;                                                 \
  if (!NAME) NAME##_real = NAME = (TYPE(*) PARAMETERS)find(#NAME);                      \
  if (!NAME) return FAILURE

// Positive codes are errors, negative ones warnings.
static void *opened(void *object, int status) { return status > 0 ? NULL : object; }
static int32_t written(int32_t count, int32_t size, int status) { return status > 0 || count > size ? -1 : count; }

int32_t icu_locale(const char *tag, char *name, int32_t size) {
  LOADED(int32_t, uloc_forLanguageTag, (const char *, char *, int32_t, int32_t *, int *), -1);
  int status = 0;
  int32_t parsed = 0;
  return written(uloc_forLanguageTag(tag, name, size, &parsed, &status), size - 1, status);
}

void *icu_open_patterns(const char *locale) {
  LOADED(void *, udatpg_open, (const char *, int *), NULL);
  int status = 0;
  return opened(udatpg_open(locale, &status), status);
}

int32_t icu_pattern(void *patterns, const icu_unit *skeleton, int32_t count, icu_unit *text, int32_t size) {
  LOADED(int32_t, udatpg_getBestPattern, (void *, const icu_unit *, int32_t, icu_unit *, int32_t, int *), -1);
  int status = 0;
  return written(udatpg_getBestPattern(patterns, skeleton, count, text, size, &status), size, status);
}

void *icu_open_dates(const char *locale, const icu_unit *pattern, int32_t count) {
  LOADED(
      void *, udat_open, (int, int, const char *, const icu_unit *, int32_t, const icu_unit *, int32_t, int *), NULL);
  static const icu_unit utc[] = {'U', 'T', 'C'};
  int status = 0, by_pattern = -2;
  return opened(udat_open(by_pattern, by_pattern, locale, utc, 3, pattern, count, &status), status);
}

int32_t icu_date(void *dates, double moment, icu_unit *text, int32_t size) {
  LOADED(int32_t, udat_format, (const void *, double, icu_unit *, int32_t, void *, int *), -1);
  int status = 0;
  return written(udat_format(dates, moment, text, size, NULL, &status), size, status);
}

void *icu_open_numbers(const char *locale, const icu_unit *skeleton, int32_t count) {
  LOADED(void *, unumf_openForSkeletonAndLocale, (const icu_unit *, int32_t, const char *, int *), NULL);
  int status = 0;
  return opened(unumf_openForSkeletonAndLocale(skeleton, count, locale, &status), status);
}

int32_t icu_number(void *numbers, int64_t number, icu_unit *text, int32_t size) {
  LOADED(void *, unumf_openResult, (int *), -1);
  LOADED(void, unumf_formatInt, (const void *, int64_t, void *, int *), -1);
  LOADED(int32_t, unumf_resultToString, (const void *, icu_unit *, int32_t, int *), -1);
  LOADED(void, unumf_closeResult, (void *), -1);
  int status = 0;
  void *result = unumf_openResult(&status);
  if (status > 0) return -1;
  unumf_formatInt(numbers, number, result, &status);
  int32_t count = unumf_resultToString(result, text, size, &status);
  unumf_closeResult(result);
  return written(count, size, status);
}

void *icu_open_plurals(const char *locale) {
  LOADED(void *, uplrules_open, (const char *, int *), NULL);
  int status = 0;
  return opened(uplrules_open(locale, &status), status);
}

int32_t icu_plural(void *plurals, int64_t number, icu_unit *category, int32_t size) {
  LOADED(int32_t, uplrules_select, (const void *, double, icu_unit *, int32_t, int *), -1);
  int status = 0;
  return written(uplrules_select(plurals, (double)number, category, size, &status), size, status);
}

void *icu_open_lists(const char *locale) {
  LOADED(void *, ulistfmt_open, (const char *, int *), NULL);
  int status = 0;
  return opened(ulistfmt_open(locale, &status), status);
}

int32_t icu_list(
    void *lists, const icu_unit *const *texts, const int32_t *counts, int32_t number, icu_unit *text, int32_t size) {
  LOADED(
      int32_t, ulistfmt_format,
      (const void *, const icu_unit *const *, const int32_t *, int32_t, icu_unit *, int32_t, int *), -1);
  int status = 0;
  return written(ulistfmt_format(lists, texts, counts, number, text, size, &status), size, status);
}

void *icu_open_relative(const char *locale, int is_narrow) {
  LOADED(void *, ureldatefmt_open, (const char *, void *, int, int, int *), NULL);
  int status = 0, style = is_narrow ? 2 : 0, no_capitals = 256;
  return opened(ureldatefmt_open(locale, NULL, style, no_capitals, &status), status);
}

int32_t icu_relative(void *relative, double number, int unit, icu_unit *text, int32_t size) {
  LOADED(int32_t, ureldatefmt_formatNumeric, (const void *, double, int, icu_unit *, int32_t, int *), -1);
  int status = 0;
  return written(ureldatefmt_formatNumeric(relative, number, unit, text, size, &status), size, status);
}

int32_t icu_since(void *relative, double number, int unit, icu_unit *text, int32_t size) {
  LOADED(int32_t, ureldatefmt_format, (const void *, double, int, icu_unit *, int32_t, int *), -1);
  int status = 0;
  return written(ureldatefmt_format(relative, -number, unit, text, size, &status), size, status);
}
