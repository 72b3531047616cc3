/* A driver that has no more than its lookup, in forms up to LATEST: 1, 2, or 3, which is of a CUDA to come. */
#include <string.h>

int cuGetProcAddress(const char *name, void **out, int version, unsigned long long flags);
int cuGetProcAddress_v2(const char *name, void **out, int version, unsigned long long flags, int *found);
int cuGetProcAddress_v3(const char *name, void **out, int version, unsigned long long flags, int *found, int more);

static int look_up(const char *name, void **out, int version) {
  *out = NULL;
  if (strcmp(name, "cuGetProcAddress") != 0 || version < 11030) return 500;
  int form = version < 12000 ? 1 : version < 14000 ? 2 : 3;
  if (form > LATEST) form = LATEST;
  int (*function)(const char *, void **, int, unsigned long long) = cuGetProcAddress;
  memcpy(out, &function, sizeof function);
#if LATEST >= 2
  int (*second)(const char *, void **, int, unsigned long long, int *) = cuGetProcAddress_v2;
  if (form >= 2) memcpy(out, &second, sizeof second);
#endif
#if LATEST >= 3
  int (*third)(const char *, void **, int, unsigned long long, int *, int) = cuGetProcAddress_v3;
  if (form >= 3) memcpy(out, &third, sizeof third);
#endif
  return 0;
}

int cuGetProcAddress(const char *name, void **out, int version, unsigned long long flags) {
  (void)flags;
  return look_up(name, out, version);
}

#if LATEST >= 2
int cuGetProcAddress_v2(const char *name, void **out, int version, unsigned long long flags, int *found) {
  (void)flags;
  int code = look_up(name, out, version);
  if (found != NULL) *found = code != 0;
  return code;
}
#endif

#if LATEST >= 3
int cuGetProcAddress_v3(const char *name, void **out, int version, unsigned long long flags, int *found, int more) {
  (void)more;
  return cuGetProcAddress_v2(name, out, version, flags, found);
}
#endif
