/* Preloaded into loom's models. loom maps and unmaps a stack for each thread of each run, millions of times. That takes half of the time,
   and more if models run side by side. Here each thread of the process keeps the stacks that it unmaps, with their guard pages. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A stack of the crate generator, with its guard page. Another size is mapped and unmapped as ever. */
enum { STACK = 36864, MOST = 16 };
static __thread void *kept[MOST];
static __thread int count;
/* The stack that mmap returned last. It has its guard page already. */
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
