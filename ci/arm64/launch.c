/* Stands where an arm64 program is expected, and runs the program of its name in the folder .arm64 beside it under qemu-user.
   Linked statically: no loader of this machine's reads the LD_PRELOAD and the LD_AUDIT that are for the program. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char own[PATH_MAX] = "", program[PATH_MAX + 16];
  char *arguments[256];
  char *slash;
  int i;
  if (readlink("/proc/self/exe", own, sizeof own - 1) < 0 || !(slash = strrchr(own, '/')) || argc > 250) return 127;
  snprintf(program, sizeof program, "%.*s/.arm64%s", (int)(slash - own), own, slash);
  arguments[0] = "qemu-aarch64-static";
  arguments[1] = program;
  for (i = 1; i <= argc; i++) arguments[i + 1] = argv[i];
  execvp(arguments[0], arguments);
  perror(arguments[0]);
  return 127;
}
