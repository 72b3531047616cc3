/* Asks for names by every kind of lookup, as the object that includes it, and prints which object each answer lies in. */
#ifndef REPORT_H
#define REPORT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* As a program that was built with an older libc refers to them. */
#ifdef OLD_LIBC
__asm__(".symver dlsym, dlsym@" OLD_LIBC);
__asm__(".symver dlvsym, dlvsym@" OLD_LIBC);
#endif

static void print_answer(const char *from, const char *how, const char *name, void *answer) {
  const char *error = dlerror();
  Dl_info place = {0};
  if (answer == NULL) {
    printf("%s %s %s: NULL, %s\n", from, how, name, error != NULL ? error : "no error");
    return;
  }
  const char *file = "?";
  if (dladdr(answer, &place) != 0 && place.dli_fname != NULL) {
    const char *slash = strrchr(place.dli_fname, '/');
    file = slash != NULL ? slash + 1 : place.dli_fname;
  }
  printf("%s %s %s: %s in %s%s%s\n", from, how, name, place.dli_sname != NULL ? place.dli_sname : "?", file,
         error != NULL ? ", and an error: " : "", error != NULL ? error : "");
}

/* A successful lookup must clear an earlier error, and a failed one must replace it. */
static void leave_an_error(void) {
  dlerror();
  dlopen("/there/is/no/such/library.so", RTLD_LAZY);
}

static inline void report_here(const char *from, void *driver, int count, char **names) {
  void *program = dlopen(NULL, RTLD_LAZY), *libc = dlopen("libc.so.6", RTLD_LAZY);
  /* Another library with functions of the same names. */
  void *other = dlopen("libother.so", RTLD_LAZY | RTLD_LOCAL);
  struct {
    const char *name;
    void *handle;
  } handles[] = {{"default", RTLD_DEFAULT}, {"next", RTLD_NEXT}, {"program", program}, {"libc", libc},
                 {"other", other},          {"driver", driver}};
  for (int i = 0; i < count; i++) {
    for (size_t h = 0; h < sizeof handles / sizeof *handles; h++) {
      if (handles[h].handle == NULL && handles[h].handle != RTLD_DEFAULT) continue;
      if (h > 0 && handles[h].handle == RTLD_DEFAULT) continue;
      char how[64];
      const char *versions[] = {NULL, "GLIBC_2.2.5", "GLIBC_2.34", "absent"};
      for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        snprintf(how, sizeof how, "%s%s%s", handles[h].name, v > 0 ? "@" : "", v > 0 ? versions[v] : "");
        leave_an_error();
        void *answer = v > 0 ? dlvsym(handles[h].handle, names[i], versions[v]) : dlsym(handles[h].handle, names[i]);
        print_answer(from, how, names[i], answer);
      }
    }
  }
}

#endif
