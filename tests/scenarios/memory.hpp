// Memory that runs out, and how often it is asked for. The program's malloc comes before the C library's. What this program itself needs comes from
// operator new, and is neither counted nor refused.
#pragma once

#include "arguments.hpp"

#ifndef _WIN32
#include <new>

extern "C" {
#include "../c/own_malloc.h"
}

// The calling thread's allocations. The one that is refused is counted from 1 down; 0 refuses none and -1 all. Then how many there were, and the
// greatest size.
static thread_local long refused_next, asked;
static thread_local size_t most_at_once;
static long asked_by_all, refused;

#ifndef NO_MALLOC_OF_ITS_OWN
static int refuses_allocation(size_t size) {
  asked++;
  most_at_once = std::max(most_at_once, size);
  __atomic_add_fetch(&asked_by_all, 1, __ATOMIC_RELAXED);
  if (refused_next == 0 || (refused_next > 0 && --refused_next > 0)) return 0;
  __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
  errno = ENOMEM;
  return 1;
}

// Not inlined, as compilers warn of free() where they see operator new.
__attribute__((noinline)) void *operator new(size_t size) {
  if (void *memory = __libc_malloc(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *memory) noexcept {
  free(memory);
}
__attribute__((noinline)) void operator delete(void *memory, size_t) noexcept {
  free(memory);
}
#endif

// memory refuse N|all|none: the thread's Nth allocation from now on. memory refused|asked|asked_by_all|most: how many were refused, since one was
// to be; what was asked for. "can memory own" skips where a tool has its own malloc.
static answer memory(arguments &a) {
  const std::string what = a.word();
  if (what == "refused") return answer::of((long long)refused);
  if (what == "asked") return answer::of((long long)asked);
  if (what == "asked_by_all") return answer::of((long long)__atomic_load_n(&asked_by_all, __ATOMIC_RELAXED));
  if (what == "most") return answer::of((long long)most_at_once);
#ifdef NO_MALLOC_OF_ITS_OWN
  if (what == "own") return can(false);
#endif
  if (what == "own") return can(!subject_tool());
  const std::string which = a.word();
  if (which != "none") refused = 0;
  most_at_once = 0;
  refused_next = which == "all" ? -1 : which == "none" ? 0 : atol(which.c_str());
  return answer();
}
#endif
