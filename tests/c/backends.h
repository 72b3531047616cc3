/* The backends that this machine has, for tests of what lies between them. */
#ifndef GEVT_TESTS_BACKENDS_H
#define GEVT_TESTS_BACKENDS_H

#include "objects.h"

enum { BACKENDS = 3 };

typedef struct backend {
  gevt_backend_t number;
  const char *name;
  gevt_context_t context;
} backend_t;

static backend_t backends[BACKENDS] = {
    {GEVT_BACKEND_HOST, "host", NULL}, {GEVT_BACKEND_CUDA, "cuda", NULL}, {GEVT_BACKEND_VULKAN, "vulkan", NULL}};

static inline void backends_open(void) {
  int i;
  for (i = 0; i < BACKENDS; i++) {
    gevt_status_t status = gevt_context_open(&backends[i].context, backends[i].number, 0);
    if (status != GEVT_SUCCESS) printf("without %s: %s\n", backends[i].name, gevt_last_message());
  }
}

static inline void for_each_pair(void (*body)(const backend_t *from, const backend_t *to)) {
  int from, to;
  for (from = 0; from < BACKENDS; from++) {
    for (to = 0; to < BACKENDS; to++) {
      int before = check_failures();
      if (!backends[from].context || !backends[to].context) continue;
      body(&backends[from], &backends[to]);
      if (check_failures() != before) printf("    from %s to %s\n", backends[from].name, backends[to].name);
    }
  }
}

static inline gevt_stream_t on(const backend_t *backend) {
  return stream_in(backend->context, GEVT_STREAM_NON_BLOCKING);
}

static inline void backends_close(void) {
  int i;
  for (i = 0; i < BACKENDS; i++) {
    if (backends[i].context) CHECK_OK(gevt_context_close(backends[i].context));
  }
}

#endif
