#pragma once
#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call.

static inline CURLcode shim_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

// Copies the body; its size has to be set before.
static inline CURLcode shim_set_body(CURL *easy, const void *bytes, curl_off_t count) {
  CURLcode status = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
  return status == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count ? bytes : "") : status;
}

static inline CURLcode shim_set_writer(CURL *easy, CURLoption option,
                                       size_t (*writer)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(easy, option, writer);
}

static inline CURLcode shim_response_status(CURL *easy, long *status) {
  return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
}

// CURLMsg keeps the result in a union, which Swift reads only by its first member's type.
static inline CURLcode shim_message_result(const CURLMsg *message) { return message->data.result; }
