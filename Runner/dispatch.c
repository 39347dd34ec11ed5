// The main of one program that holds several: the name by which a process was started chooses which one it is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Runner/link writes a line for each: PROGRAM("vote-cast", VoteCast).
#define PROGRAM(NAME, ENTRY) int ENTRY##_main(int count, char **words);
#include "programs.h"
#undef PROGRAM

typedef int (*entry)(int count, char **words);

#define PROGRAM(NAME, ENTRY) {NAME, ENTRY##_main},
static const struct {
  const char *name;
  entry main;
} programs[] = {
#include "programs.h"
};
#undef PROGRAM

enum { program_count = sizeof programs / sizeof *programs };

static entry find(const char *name) {
  for (int index = 0; index < program_count; index++)
    if (!strcmp(programs[index].name, name)) return programs[index].main;
  return NULL;
}

static void list(FILE *stream) {
  fprintf(stream, "usage: %s NAME [ARGUMENT...], or a link with that name. NAME is one of:\n", OWN_NAME);
  for (int index = 0; index < program_count; index++) fprintf(stream, "  %s\n", programs[index].name);
}

int main(int count, char **words) {
  const char *path = count > 0 ? words[0] : OWN_NAME, *slash = strrchr(path, '/');
  entry chosen = find(slash ? slash + 1 : path);
  // The runner starts itself as /proc/self/exe.
  if (!chosen) chosen = find(OWN_NAME);
  if (chosen) return chosen(count, words);
  if (count > 1 && find(words[1])) {
    // Swift takes the arguments from the process, not from main.
    execv("/proc/self/exe", words + 1);
    perror(words[1]);
    return 71;
  }
  int asked = count > 1 && (!strcmp(words[1], "--help") || !strcmp(words[1], "-h"));
  list(asked ? stdout : stderr);
  return asked ? 0 : 64;
}

// The only function of GLIBC 2.35 that Swift's library asks for, as GLIBC computes it.
__attribute__((visibility("hidden"))) float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) return INFINITY;
  return (float)__builtin_sqrt((double)x * x + (double)y * y);
}

// GCC's unwinder, linked statically, asks GLIBC 2.35 where an address belongs; older ones know it, too.
#ifdef DLFO_STRUCT_HAS_EH_DBASE
static int visit(struct dl_phdr_info *object, size_t size, void *search) {
  struct dl_find_object *found = search;
  void *frames = NULL;
  int holds = 0;
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[index];
    char *start = (char *)object->dlpi_addr + part->p_vaddr, *address = found->dlfo_map_start;
    if (part->p_type == PT_GNU_EH_FRAME) frames = start;
    if (part->p_type == PT_LOAD && address >= start && address < start + part->p_memsz) holds = 1;
  }
  if (holds) found->dlfo_eh_frame = frames;
  return holds;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void *address, struct dl_find_object *found) {
  memset(found, 0, sizeof *found);
  found->dlfo_map_start = address;
  return dl_iterate_phdr(visit, found) && found->dlfo_eh_frame ? 0 : -1;
}
#endif
