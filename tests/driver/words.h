/* Stream waits for words of memory, over CUDA without a GPU. Its queues have no end. A call here blocks while the queue has no room,
   as the driver's calls do. */
#ifndef GEVT_TESTS_WORDS_H
#define GEVT_TESTS_WORDS_H

#include <time.h>
#include <unistd.h>

/* The queues that an H200 has per context, each for many streams, and the number of waits that one holds. */
enum { CHANNELS = 8, QUEUE = 1021 };

/* A function that looks at a word. */
struct word_wait {
  int *left;
  const uint32_t *word;
  uint32_t value;
};

/* How many of them have begun, and have ended. */
static int words_begun, words_passed;

/* Whether the driver below is CUDA without a GPU. */
static int is_without_gpu(void) {
  const char *path = getenv("STRICT_DRIVER_BELOW");
  return path && strstr(path, "hostcuda");
}

/* -1 where the waits are the driver's own, or none. */
int strict_words_begun(void) {
  return is_without_gpu() && !getenv("STRICT_WITHOUT_WORDS") ? __atomic_load_n(&words_begun, __ATOMIC_SEQ_CST) : -1;
}

/* The driver waits for its streams when the process exits, after the exit handlers. */
static void __attribute__((destructor)) await_words(void) {
  enum { HANG_SECONDS = 60 };
  const struct timespec pause = {0, 1000000};
  const time_t began = time(NULL);
  while (__atomic_load_n(&words_passed, __ATOMIC_SEQ_CST) < __atomic_load_n(&words_begun, __ATOMIC_SEQ_CST)) {
    if (time(NULL) - began > HANG_SECONDS) _exit(98);
    nanosleep(&pause, NULL);
  }
}

static void word_await(void *user) {
  const struct word_wait wait = *(struct word_wait *)user;
  free(user);
  __atomic_add_fetch(&words_begun, 1, __ATOMIC_SEQ_CST);
  while ((int32_t)(__atomic_load_n(wait.word, __ATOMIC_ACQUIRE) - wait.value) < 0) {
    const struct timespec pause = {0, 50000};
    nanosleep(&pause, NULL);
  }
  __atomic_add_fetch(&words_passed, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(wait.left, 1, __ATOMIC_SEQ_CST);
}

/* Gives the stream `on` such a wait, when there are less than QUEUE in the queue; `left` counts them. */
static CUresult word_wait(CUstream on, int *left, unsigned long long address, uint32_t value) {
  struct word_wait *wait = malloc(sizeof *wait);
  wait->left = left;
  wait->word = (const uint32_t *)(uintptr_t)address;
  wait->value = value;
  while (__atomic_load_n(left, __ATOMIC_SEQ_CST) >= QUEUE) (void)usleep(50);
  __atomic_add_fetch(left, 1, __ATOMIC_SEQ_CST);
  return BELOW(cuLaunchHostFunc)(on, word_await, wait);
}

#endif
