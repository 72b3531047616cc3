/* Preloaded into loom's models. loom maps a stack for each thread of each run and unmaps it, millions of times, which takes half of the
   time, and more where models run side by side: a process unmaps for one thread after the other. Here each thread of the process keeps
   the stacks that it unmaps, with their guard pages, for its next runs. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A stack of the crate generator, with its guard page. Another size is mapped and unmapped as ever. */
enum { STACK = 36864, MOST = 16 };
static __thread void *kept[MOST];
static __thread int count;
/* The one that was given out last, whose guard page is there. */
static __thread void *guarded;

void *mmap(void *start, size_t size, int protection, int flags, int file, off_t offset) {
  if (size == STACK && !start && (flags & MAP_STACK) && count > 0) return guarded = kept[--count];
  return (void *)syscall(SYS_mmap, start, size, protection, flags, file, offset);
}

int mprotect(void *start, size_t size, int protection) {
  if (start == guarded && guarded) {
    guarded = NULL;
    return 0;
  }
  return (int)syscall(SYS_mprotect, start, size, protection);
}

int munmap(void *start, size_t size) {
  if (size == STACK && count < MOST) {
    kept[count++] = start;
    return 0;
  }
  return (int)syscall(SYS_munmap, start, size);
}
