/*
 * Whether it is safe to ask a driver about a destroyed stream, as the drop-in does where streams are made out of its sight. Prints
 * CASE and what the calls answer. A driver may crash: ci/gpu.sh compares the driver alone with the drop-in.
 */
#include "case.h"

static CUstream destroyed(void) {
  CUstream stream = new_stream();
  OK(cuStreamDestroy_v2(stream));
  return stream;
}

/* What the drop-in asks. */
CASE(id) {
  unsigned long long number = 0;
  const int code = cuStreamGetId(destroyed(), &number);
  printf("id=%d\n", code);
}

/* What it asks a driver that has no cuStreamGetId. */
CASE(context) {
  CUcontext of;
  const int code = cuStreamGetCtx(destroyed(), &of);
  printf("context=%d\n", code);
}

CASE(query) {
  const int code = cuStreamQuery(destroyed());
  printf("query=%d\n", code);
}

/* Finds a function of the driver's own. That shows the drop-in that there is a way past it. */
static void find_own(void *field, const char *name) {
  void *(*look_up)(void *, const char *);
  find(&look_up, dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "dlsym");
  set_function(field, look_up(dlopen("libcuda.so.1", RTLD_LAZY), name));
}

/* The drop-in asks the driver about the destroyed stream. */
CASE(query_out_of_sight) {
  CUstream stream = destroyed();
  void *create;
  find_own(&create, "cuStreamCreate");
  printf("query_out_of_sight=%d\n", (int)cuStreamQuery(stream));
}

/* A correct program: the driver has issued the pointer again, out of the drop-in's sight. */
CASE(issued_again) {
  CUresult (*make)(CUstream *, unsigned);
  CUstream again = NULL;
  int tries;
  find_own(&make, "cuStreamCreate");
  CHECK(make);
  CUstream stream = new_stream();
  OK(cuStreamDestroy_v2(stream));
  for (tries = 0; again != stream && tries < 1000; tries++) OK(make(&again, CU_STREAM_NON_BLOCKING));
  if (again != stream) {
    puts("issued_again=never");
    return;
  }
  printf("issued_again=%d\n", (int)cuStreamQuery(again));
}

MAIN
