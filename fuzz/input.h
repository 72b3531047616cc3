/* The input bytes that select the calls. */
#ifndef GEVT_FUZZ_INPUT_H
#define GEVT_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct input {
  const uint8_t *at, *end;
} input_t;

/* Returns the next byte, or 0 at the end. */
static inline uint8_t input_byte(input_t *input) {
  return input->at < input->end ? *input->at++ : 0;
}

static inline uint64_t input_word(input_t *input) {
  uint64_t word = 0;
  int i;
  for (i = 0; i < 8; i++) word = word << 8 | input_byte(input);
  return word;
}

/* 0 with the same chance as any other number below `count`. */
static inline size_t input_below(input_t *input, size_t count) {
  return input_byte(input) % count;
}

/* True once in eight times. */
static inline int input_rarely(input_t *input) {
  return (input_byte(input) & 7) == 7;
}

#endif
