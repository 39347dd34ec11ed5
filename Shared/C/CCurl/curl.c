// libcurl, loaded when it is first called instead of when the process starts, as libpq is.
//
// Debian's libcurl brings some 30 libraries with it: linked, they take five milliseconds of every start.
#define _GNU_SOURCE
#define CURL_DISABLE_TYPECHECK
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "CCurl.h"

static void *find(const char *name) {
  // Opening it again only counts; the loader takes care of threads.
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, name) : NULL;
  if (!function) {
    fprintf(stderr, "libcurl cannot be used (apt-get install libcurl4): %s\n", dlerror());
    _Exit(78);
  }
  return function;
}

// Two threads may both look a function up: they find, and store, the same address.
#define LOADED(TYPE, NAME, PARAMETERS)                                                  \
  static TYPE(*volatile real) PARAMETERS;                                               \
  TYPE(*function) PARAMETERS = real;                                                    \
  if (!function) real = function = (TYPE(*) PARAMETERS)find(#NAME)

#define FORWARD(TYPE, NAME, PARAMETERS, ARGUMENTS)                                      \
  TYPE NAME PARAMETERS {                                                                \
    LOADED(TYPE, NAME, PARAMETERS);                                                     \
    return function ARGUMENTS;                                                          \
  }

FORWARD(CURLcode, curl_global_init, (long flags), (flags))
FORWARD(CURL *, curl_easy_init, (void), ())
FORWARD(void, curl_easy_cleanup, (CURL *c), (c))
FORWARD(void, curl_easy_reset, (CURL *c), (c))
FORWARD(CURLcode, curl_easy_perform, (CURL *c), (c))
FORWARD(CURLM *, curl_multi_init, (void), ())
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM *m), (m))
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM *m, CURL *c), (m, c))
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM *m, CURL *c), (m, c))
FORWARD(
    CURLMcode, curl_multi_socket_action, (CURLM *m, curl_socket_t s, int ready, int *n), (m, s, ready, n))
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM *m, int *n), (m, n))
FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist *l, const char *s), (l, s))
FORWARD(void, curl_slist_free_all, (struct curl_slist *l), (l))

#define SET(NAME, TYPE)                                                                 \
  CURLcode NAME(CURL *easy, CURLoption option, TYPE value) {                            \
    LOADED(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...));                      \
    return function(easy, option, value);                                               \
  }

typedef size_t (*writer)(char *, size_t, size_t, void *);

SET(shim_set_long, long)
SET(shim_set_text, const char *)
SET(shim_set_pointer, void *)
SET(shim_set_writer, writer)
static SET(set_opener, curl_opensocket_callback)
static SET(set_count, curl_off_t)

static curl_socket_t open_socket(void *unused, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)unused;
  (void)purpose;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode shim_keep_sockets(CURL *easy) { return set_opener(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket); }

CURLcode shim_set_body(CURL *easy, const void *bytes, curl_off_t count) {
  CURLcode status = set_count(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
  return status == CURLE_OK ? shim_set_text(easy, CURLOPT_COPYPOSTFIELDS, count ? bytes : "") : status;
}

static size_t read_upload(char *to, size_t size, size_t count, void *from) {
  struct shim_upload *upload = from;
  size_t part = size * count < upload->count ? size * count : upload->count;
  memcpy(to, upload->bytes, part);
  upload->bytes += part;
  upload->count -= part;
  return part;
}

CURLcode shim_set_upload(CURL *easy, struct shim_upload *upload) {
  CURLcode status = set_count(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)upload->count);
  if (status == CURLE_OK) status = shim_set_writer(easy, CURLOPT_READFUNCTION, read_upload);
  if (status == CURLE_OK) status = shim_set_pointer(easy, CURLOPT_READDATA, upload);
  return status == CURLE_OK ? shim_set_long(easy, CURLOPT_UPLOAD, 1) : status;
}

#define SET_MULTI(NAME, TYPE)                                                           \
  CURLMcode NAME(CURLM *multi, CURLMoption option, TYPE value) {                        \
    LOADED(CURLMcode, curl_multi_setopt, (CURLM *, CURLMoption, ...));                  \
    return function(multi, option, value);                                              \
  }

SET_MULTI(shim_multi_set_long, long)
static SET_MULTI(set_multi_pointer, void *)
static SET_MULTI(set_socket_callback, curl_socket_callback)
static SET_MULTI(set_timer_callback, curl_multi_timer_callback)

CURLMcode shim_multi_follow(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *follower) {
  CURLMcode status = set_multi_pointer(multi, CURLMOPT_SOCKETDATA, follower);
  if (status == CURLM_OK) status = set_multi_pointer(multi, CURLMOPT_TIMERDATA, follower);
  if (status == CURLM_OK) status = set_socket_callback(multi, CURLMOPT_SOCKETFUNCTION, socket);
  return status == CURLM_OK ? set_timer_callback(multi, CURLMOPT_TIMERFUNCTION, timer) : status;
}

long shim_sent_bytes(CURL *easy) {
  LOADED(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...));
  long count = 0;
  return function(easy, CURLINFO_REQUEST_SIZE, &count) == CURLE_OK ? count : 0;
}

long shim_connect_status(CURL *easy) {
  LOADED(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...));
  long status = 0;
  return function(easy, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0;
}

CURLcode shim_response_status(CURL *easy, long *status) {
  LOADED(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...));
  return function(easy, CURLINFO_RESPONSE_CODE, status);
}
