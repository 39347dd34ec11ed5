// Adds up the numbers of {"cents": [1, 2, 3]}.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static char event[1 << 20];
  event[fread(event, 1, sizeof event - 1, stdin)] = 0;
  char *list = strstr(event, "\"cents\"");
  if (list) list = strchr(list, '[');
  if (!list) {
    printf("{\"error\":{\"message\":\"There are no cents.\"}}\n");
    return 65;
  }
  long total = 0;
  for (char *end; *list && *list != ']'; list = end) {
    total += strtol(list + 1, &end, 10);
    if (end == list + 1) break;
  }
  printf("{\"total\":%ld}\n", total);
  return 0;
}
