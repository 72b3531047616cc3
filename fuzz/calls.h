/* Bytes to calls. */
#ifndef GEVT_FUZZ_CALLS_H
#define GEVT_FUZZ_CALLS_H

#include <gevt.h>

#include <stddef.h>
#include <stdint.h>

/* Chooses the backend, before any other call of gevt. */
void calls_begin(gevt_backend_t backend);

/* Makes the calls that the bytes spell, ends what they have made, and ends the process where an answer was wrong. */
void calls_run(const uint8_t *bytes, size_t size);

/* The functions that bytes can spell, and how often each was called so far. */
size_t calls_count(void);
const char *calls_name(size_t function);
unsigned long calls_made(size_t function);

#endif
