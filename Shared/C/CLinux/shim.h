// Linux and GNU calls that Swift's Glibc module leaves out, because it is built without _GNU_SOURCE.
#pragma once
#include <malloc.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "program.h"

// Without <sys/socket.h>, whose names would then belong to this module and no longer to Glibc.
extern int accept4(int listener, void *address, unsigned int *size, int flags);
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int sched_getaffinity(int process, unsigned long size, void *processors);
extern int syncfs(int descriptor);

// POSIX_SPAWN_SETSID is defined for GNU sources only.
static const short shim_POSIX_SPAWN_SETSID = 0x80;

// `syscall` and `prctl` are variadic, which Swift cannot call.
static inline int shim_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0u); }
static inline int shim_pidfd_send_signal(int descriptor, int number) {
  return (int)syscall(SYS_pidfd_send_signal, descriptor, number, 0, 0u);
}
static inline void shim_name_this_thread(const char *name) { prctl(PR_SET_NAME, name); }

// The system's resolver, under names of its own, without <netdb.h>. A program that is linked without the loader has none.
struct shim_addrinfo {
  int flags, family, socktype, protocol;
  unsigned int length;
  unsigned char *address;
  char *name;
  struct shim_addrinfo *next;
};
extern int shim_getaddrinfo(
    const char *host, const char *service, const struct shim_addrinfo *hints, struct shim_addrinfo **found)
    __asm__("getaddrinfo") __attribute__((weak));
extern void shim_freeaddrinfo(struct shim_addrinfo *found) __asm__("freeaddrinfo") __attribute__((weak));
extern const char *shim_inet_ntop(int family, const void *address, char *text, unsigned int size) __asm__("inet_ntop");

#define SHIM_LONGEST_ADDRESS 64
// The numeric addresses of a host, each in SHIM_LONGEST_ADDRESS bytes; how many, 0 if nobody knows it.
static inline int shim_resolve(const char *host, char *texts, int most) {
  struct shim_addrinfo hints = {.socktype = 1}, *found = 0;
  int count = 0;
  if (!shim_getaddrinfo || !shim_freeaddrinfo || shim_getaddrinfo(host, 0, &hints, &found) != 0) return 0;
  for (struct shim_addrinfo *one = found; one && count < most; one = one->next) {
    // The address itself follows family and port in IPv4 (2), and the flow, too, in IPv6 (10).
    int start = one->family == 2 ? 4 : one->family == 10 ? 8 : 0;
    if (start && shim_inet_ntop(one->family, one->address + start, texts + count * SHIM_LONGEST_ADDRESS, SHIM_LONGEST_ADDRESS))
      count++;
  }
  shim_freeaddrinfo(found);
  return count;
}
