// The event functions of one API, the driver's or the runtime's, as the drop-in answers them and as the driver alone does.
#ifndef GEVT_BENCH_SHIM_HPP
#define GEVT_BENCH_SHIM_HPP

#include "bench.hpp"

namespace bench {

struct Api {
  int (*create)(void **event, unsigned flags);
  int (*destroy)(void *event);
  int (*query)(void *event);
  int (*sync)(void *event);
  int (*record)(void *event, void *stream);
  int (*wait)(void *stream, void *event, unsigned flags);
  int (*elapsed)(float *ms, void *start, void *end);
};

// Both of them, and what a query of a finished event may cost.
struct Apis {
  const char *name;
  Api ours, plain;
  Bound finished;
};

// The rows of single calls, and those of threads that poll finished events.
void shim_call_rows(Table &table, const Apis &apis);
void shim_threads_rows(Table &table, const Apis &apis, double least);

} // namespace bench

#endif
