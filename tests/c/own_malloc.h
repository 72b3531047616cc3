/* A malloc that replaces the C library's and first calls refuses_allocation(), which each program defines. A sanitizer
   has its own malloc: NO_MALLOC_OF_ITS_OWN is defined then. */
#ifndef OWN_MALLOC_H
#define OWN_MALLOC_H

#include <errno.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NO_MALLOC_OF_ITS_OWN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NO_MALLOC_OF_ITS_OWN
#endif
#endif

#ifndef NO_MALLOC_OF_ITS_OWN
/* Returns whether an allocation of that size is to fail; sets errno then. */
static int refuses_allocation(size_t size);

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  return refuses_allocation(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return refuses_allocation(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  return refuses_allocation(size) ? NULL : __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = refuses_allocation(size) ? NULL : __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}
#endif

#endif
