#pragma once
// Linux interfaces that are not part of Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// prctl is variadic, which Swift does not import.
static inline void shim_name_this_thread(const char *name) {
  prctl(PR_SET_NAME, name);
}
