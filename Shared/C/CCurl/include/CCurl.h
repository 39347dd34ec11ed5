#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call.
CURLcode shim_set_long(CURL *easy, CURLoption option, long value);
CURLcode shim_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode shim_set_pointer(CURL *easy, CURLoption option, void *value);
// Copies the body; its size has to be set before.
CURLcode shim_set_body(CURL *easy, const void *bytes, curl_off_t count);
CURLcode shim_set_writer(CURL *easy, CURLoption option, size_t (*writer)(char *, size_t, size_t, void *));
CURLcode shim_response_status(CURL *easy, long *status);

// CURLMsg keeps the result in a union, which Swift reads only by its first member's type.
static inline CURLcode shim_message_result(const CURLMsg *message) { return message->data.result; }
