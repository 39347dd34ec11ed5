#pragma once
#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call.
CURLcode shim_set_long(CURL *easy, CURLoption option, long value);
CURLcode shim_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode shim_set_pointer(CURL *easy, CURLoption option, void *value);
// Copies the body; its size has to be set before.
CURLcode shim_set_body(CURL *easy, const void *bytes, curl_off_t count);
// What is still to be uploaded; it has to stay where it is until the transfer has ended.
struct shim_upload {
  const char *bytes;
  size_t count;
};
CURLcode shim_set_upload(CURL *easy, struct shim_upload *upload);
// No process that is started meanwhile inherits the call's sockets.
CURLcode shim_keep_sockets(CURL *easy);
CURLcode shim_set_writer(CURL *easy, CURLoption option, size_t (*writer)(char *, size_t, size_t, void *));
CURLcode shim_response_status(CURL *easy, long *status);
// The status of the proxy's last answer to CONNECT; 0 if there was none.
long shim_connect_status(CURL *easy);
// How many bytes of the request were sent, those of a body not counted.
long shim_sent_bytes(CURL *easy);
CURLMcode shim_multi_set_long(CURLM *multi, CURLMoption option, long value);
// Calls back where a socket or the timer is to be watched in another way.
CURLMcode shim_multi_follow(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *follower);

// CURLMsg keeps the result in a union, which Swift reads only by its first member's type.
static inline CURLcode shim_message_result(const CURLMsg *message) { return message->data.result; }
