/* A malloc and a dl_iterate_phdr in front of libc's, which look libc's up at their first call, as some programs' do. A lookup
 * that needs either of them comes back here, and ends the program. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

static int in_look_up;

static void *libc_s(void **known, const char *name) {
  if (*known != NULL) return *known;
  if (in_look_up) {
    static const char words[] = "early: the lookup of a function called the one that looks it up\n";
    (void)!write(2, words, sizeof words - 1);
    _exit(1);
  }
  in_look_up = 1;
  *known = dlsym(RTLD_NEXT, name);
  in_look_up = 0;
  if (*known == NULL) _exit(2);
  return *known;
}

void *malloc(size_t size) {
  static void *known;
  void *(*real)(size_t);
  *(void **)&real = libc_s(&known, "malloc");
  return real(size);
}

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data) {
  static void *known;
  int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
  *(void **)&real = libc_s(&known, "dl_iterate_phdr");
  return real(callback, data);
}
