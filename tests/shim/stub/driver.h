/* What the stand-in for the driver has beside the driver's functions. */
#ifndef SHIM_TESTS_STUB_H
#define SHIM_TESTS_STUB_H

#include "../cuda.h"

/* How often a function was called. */
int stub_calls(const char *name);

/* From now on the function does nothing and answers that code; with 0, it does its work again. */
void stub_answer(const char *name, int code);

/* From now on the function calls that one first; with NULL, none. */
void stub_hook(const char *name, void (*hook)(void));

/* How many devices there are: 2 at first. Whether the event that was recorded last is pending. */
void stub_devices(int count);
void stub_pending(int is_pending);

/* An event and a stream that the program did not make through a driver function. */
CUevent stub_event(void);
CUstream stub_new_stream(void);

#endif
