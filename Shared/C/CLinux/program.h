// Starting a program with clone(2) itself. posix_spawn maps and unmaps a stack for every process, resets the handling of
// all 64 signals one by one and asks for the limit of descriptors again and again; the descriptor of the process takes one
// more call. Without that a start takes the parent half the time.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern int clone(int (*body)(void *), void *stack, int flags, void *argument, ...);
extern void closefrom(int descriptor);

struct shim_program {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const char *directory;
  // The signals that the program shall treat by default though this process does not.
  sigset_t handled;
};

struct shim_child {
  const struct shim_program *program;
  const int *streams;
  int problem;
};

// Runs in the memory of the parent, which rests meanwhile; all signals are blocked, so that no handler runs here.
static int shim_become_program(void *argument) {
  struct shim_child *child = (struct shim_child *)argument;
  const struct shim_program *program = child->program;
  setpgid(0, 0);
  // Whatever it starts stays its descendant, were it by way of a process that has ended.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction by_default = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) {
    if (sigismember(&program->handled, number)) sigaction(number, &by_default, 0);
  }
  for (int number = 0; number < 3; number++) {
    // To itself, dup2 would leave it to be closed by the exec.
    int from = child->streams[number];
    if ((from == number ? fcntl(from, F_SETFD, 0) : dup2(from, number)) < 0) goto failed;
  }
  closefrom(3);
  if (chdir(program->directory) < 0) goto failed;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  execve(program->path, program->arguments, program->environment);
failed:
  child->problem = errno;
  _exit(127);
}

// Starts a program as the leader of a new group, with nothing open but its three streams; returns its process id and its
// pidfd, or `-errno`.
static inline int shim_start(const struct shim_program *program, const int streams[3], int *process_descriptor) {
  char stack[32768] __attribute__((aligned(16)));
  struct shim_child child = {program, streams, 0};
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  int process = clone(
    shim_become_program, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &child,
    process_descriptor);
  int problem = process < 0 ? errno : child.problem;
  sigprocmask(SIG_SETMASK, &before, 0);
  if (problem == 0) return process;
  if (process > 0) {
    while (waitpid(process, 0, 0) < 0 && errno == EINTR) {}
    close(*process_descriptor);
  }
  return -problem;
}
