/* The functions' counts and answers, and the driver's own lookup of functions. */
#include "stub.h"

struct function {
  const char *name;
  void (*address)(void);
  int since, calls, answer;
  void (*hook)(void);
};

#define X(name, since) {#name, (void (*)(void))name, since, 0, 0, NULL},
static struct function functions[] = {
#include "functions.h"
};
#undef X

static int is(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

static struct function *function(const char *name) {
  size_t i;
  for (i = 0; i < COUNT(functions); i++) {
    if (is(functions[i].name, name)) return &functions[i];
  }
  __builtin_trap();
}

int stub_calls(const char *name) {
  return __atomic_load_n(&function(name)->calls, __ATOMIC_SEQ_CST);
}
void stub_answer(const char *name, int code) {
  __atomic_store_n(&function(name)->answer, code, __ATOMIC_SEQ_CST);
}

void stub_hook(const char *name, void (*hook)(void)) {
  __atomic_store_n(&function(name)->hook, hook, __ATOMIC_SEQ_CST);
}

int stub_enter(int index) {
  void (*hook)(void) = __atomic_load_n(&functions[index].hook, __ATOMIC_SEQ_CST);
  if (hook) hook();
  __atomic_add_fetch(&functions[index].calls, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&functions[index].answer, __ATOMIC_SEQ_CST);
}

/* The forms that a name, a version and flags stand for. */
static struct function *form(const char *name, int version, int is_per_thread) {
  struct function *best = NULL;
  size_t i;
  for (i = 0; i < COUNT(functions); i++) {
    const char *one = functions[i].name, *other = name;
    int per_thread = 0;
    while (*other && *one == *other) one++, other++;
    if (*other) continue;
    if (one[0] == '_' && one[1] == 'v' && one[2] >= '2' && one[2] <= '9') one += 3;
    if (is(one, "_ptsz")) one += 5, per_thread = 1;
    if (*one || per_thread != is_per_thread || functions[i].since > version) continue;
    if (!best || functions[i].since > best->since) best = &functions[i];
  }
  return best;
}
static CUresult look_up(const char *name, void **out, int version, unsigned long long flags, int *found) {
  struct function *function = flags & 2 ? form(name, version, 1) : NULL;
  if (!function) function = form(name, version, 0);
  if (found) *found = function ? 0 : 1;
  *out = NULL;
  if (!function) return CUDA_ERROR_NOT_FOUND;
  __builtin_memcpy(out, &function->address, sizeof *out);
  return 0;
}
CUresult cuGetProcAddress(const char *name, void **out, int version, unsigned long long flags) {
  BEGIN(cuGetProcAddress);
  return look_up(name, out, version, flags, NULL);
}

#ifndef STUB_IS_OLD
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, unsigned long long flags, int *found) {
  BEGIN(cuGetProcAddress_v2);
  return look_up(name, out, version, flags, found);
}
#endif
