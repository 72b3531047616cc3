/* Waits of streams for words of memory over CUDA without a GPU, whose queues have no end: a call blocks while the queue has no room, as the
   driver's calls do. */
#ifndef GEVT_TESTS_WORDS_H
#define GEVT_TESTS_WORDS_H

#include "below.h"

#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* The queues that an H200 has per context, each for many streams, and the number of waits that one holds. */
enum { CHANNELS = 8, QUEUE = 1021 };

/* A function that looks at a word. */
typedef struct word_wait {
  int *left;
  const uint32_t *word;
  uint32_t value;
} word_wait_t;

/* How many of them have begun, and have ended; -1 where the waits are the driver's own. */
static int words_begun, words_passed;

/* Whether the driver below is CUDA without a GPU. */
static int is_without_gpu(void) {
  const char *path = getenv("STRICT_DRIVER_BELOW");
  return path && strstr(path, "hostcuda");
}

int strict_words_begun(void);
int strict_words_passed(void);
int strict_words_begun(void) {
  return is_without_gpu() ? __atomic_load_n(&words_begun, __ATOMIC_SEQ_CST) : -1;
}

int strict_words_passed(void) {
  return is_without_gpu() ? __atomic_load_n(&words_passed, __ATOMIC_SEQ_CST) : -1;
}

static void word_await(void *user) {
  const word_wait_t wait = *(word_wait_t *)user;
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
static unsigned word_wait(void *on, int *left, unsigned long long address, uint32_t value) {
  word_wait_t *wait = (word_wait_t *)malloc(sizeof *wait);
  wait->left = left;
  wait->word = (const uint32_t *)(uintptr_t)address;
  wait->value = value;
  while (__atomic_load_n(left, __ATOMIC_SEQ_CST) >= QUEUE) (void)usleep(50);
  __atomic_add_fetch(left, 1, __ATOMIC_SEQ_CST);
  return below.cuLaunchHostFunc(on, word_await, wait);
}

#endif
