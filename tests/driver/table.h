/* The stand-ins for the driver share this: a table of their functions, and objects whose handles are their addresses. A test can set what a
   function answers. FUNCTIONS names the file with the rows F(NAME, ...). No library is needed. */
#ifndef GEVT_TESTS_DRIVER_TABLE_H
#define GEVT_TESTS_DRIVER_TABLE_H

#include "cuda.h"

#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define F(name, ...) at_##name,
enum {
#include FUNCTIONS
};
#undef F

/* `below` is the function of the driver below, where there is one. */
struct function {
  const char *name;
  void (*address)(void), (*below)(void), (*hook)(void);
  int calls, answer;
};

#define F(name, ...) {#name, (void (*)(void))name, NULL, NULL, 0, 0},
static struct function functions[] = {
#include FUNCTIONS
};
#undef F

/* The function that the thread has called last. */
static __thread const char *called;

/* Ends the process, as a driver may. */
static void wrong(const char *what, const void *handle);

static int is(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

static struct function *function(const char *name) {
  size_t i = 0;
  while (i < COUNT(functions) && !is(functions[i].name, name)) i++;
  if (i == COUNT(functions)) wrong("no function", name);
  return &functions[i];
}

/* ---- for tests ---- */

/* How often a function was called. */
int stub_calls(const char *name) {
  return __atomic_load_n(&function(name)->calls, __ATOMIC_SEQ_CST);
}

/* From now on the function does nothing and answers that code; with 0, it does its work again. */
void stub_answer(const char *name, int code) {
  __atomic_store_n(&function(name)->answer, code, __ATOMIC_SEQ_CST);
}

/* From now on the function calls that one first; with NULL, none. */
void stub_hook(const char *name, void (*hook)(void)) {
  __atomic_store_n(&function(name)->hook, hook, __ATOMIC_SEQ_CST);
}

/* Counts a call of the function, and returns the answer that was set for it. */
static int enter(struct function *function) {
  void (*hook)(void) = __atomic_load_n(&function->hook, __ATOMIC_SEQ_CST);
  if (hook) hook();
  called = function->name;
  __atomic_add_fetch(&function->calls, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&function->answer, __ATOMIC_SEQ_CST);
}

/* Defines a function of the table. */
#define DEFINE(name, parameters, ...)                                                                                  \
  CUresult name parameters {                                                                                           \
    const CUresult code_ = enter(&functions[at_##name]);                                                               \
    return code_ ? code_ : (__VA_ARGS__);                                                                              \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-value"

/* ---- objects ---- */

/* The object of a handle. An event of another process may be opened several times at one address, and is destroyed as often. The rest is for
   a driver over another one: the object's context, what it is below, the id of a context or stream, and how many calls have named it. */
struct object {
  int lives, device, is_interprocess, calls;
  struct object *context;
  void *below;
  unsigned long long id;
} __attribute__((aligned(64)));

/* Issues the lowest address that is free: the one that was freed last, where only one was. */
static struct object *make(struct object *objects, size_t count, int device) {
  size_t i = 0;
  int none = 0;
  while (i < count && !__atomic_compare_exchange_n(&objects[i].lives, &none, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    i++, none = 0;
  if (i == count) wrong("no room for another handle", objects);
  objects[i].device = device;
  objects[i].is_interprocess = objects[i].calls = 0;
  return &objects[i];
}

static struct object *live(struct object *objects, size_t count, const void *handle) {
  size_t at = (uintptr_t)handle - (uintptr_t)objects, place = at / sizeof *objects;
  if (at % sizeof *objects != 0 || place >= count) wrong("no handle reached the driver", handle);
  if (!__atomic_load_n(&objects[place].lives, __ATOMIC_SEQ_CST)) wrong("a dead handle reached the driver", handle);
  __atomic_add_fetch(&objects[place].calls, 1, __ATOMIC_SEQ_CST);
  return &objects[place];
}

/* Writes the value, unless the place is NULL. */
static CUresult give(void *place, void *value) {
  if (!place) return CUDA_ERROR_INVALID_VALUE;
  *(void **)place = value;
  return 0;
}

#endif
