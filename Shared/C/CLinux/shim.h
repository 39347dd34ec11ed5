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

// These are defined for GNU sources only.
static const short shim_POSIX_SPAWN_SETSID = 0x80;
static const int shim_F_SETPIPE_SZ = 1031;

// `syscall` and `prctl` are variadic, which Swift cannot call.
static inline int shim_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0u); }
static inline int shim_pidfd_send_signal(int descriptor, int number) {
  return (int)syscall(SYS_pidfd_send_signal, descriptor, number, 0, 0u);
}
static inline void shim_name_this_thread(const char *name) { prctl(PR_SET_NAME, name); }
