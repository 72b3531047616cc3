/* The test's controls of the layer VK_LAYER_GEVT_fault (layer.cpp), which sits between gevt and the driver. They select the call that
   fails, and count live objects. A test loads the layer's library, and the loader opens the same file. */
#ifndef GEVT_TESTS_FAULT_H
#define GEVT_TESTS_FAULT_H

#include <stdint.h>

#define FAULT_LAYER "VK_LAYER_GEVT_fault"

extern "C" {

/* Makes call number `at` from now on fail with the VkResult `result`. Only calls that can return it count. With `lasting`, all later ones
   also fail, and waits in progress end. */
void fault_arm(uint64_t at, int32_t result, int lasting);
/* No call fails from now on. */
void fault_disarm(void);
/* The name of the call that failed since fault_arm; NULL if none did. */
const char *fault_function(void);
/* The calls that this thread makes between fault_spare(1) and fault_spare(0) never fail and never count: the program's own. */
void fault_spare(int on);

/* The objects that were made and not destroyed, instances and devices among them. */
int64_t fault_live(void);
/* The calls of a function so far, by its name without KHR and EXT. */
uint64_t fault_calls(const char *function);

/* The last function that was called on a thread that can be cancelled; NULL if no such call was made. Spared calls do not count. */
const char *fault_cancelable(void);

/* Calls `hook` at the beginning of each call that uses a queue, with that VkQueue. Also calls it for each semaphore wait,
   vkCreateDevice and vkDestroyDevice, with NULL. The hook runs on the calling thread. NULL removes it. */
typedef void (*fault_hook_t)(const char *function, void *queue);
void fault_watch(fault_hook_t hook);

/* The host's time and the deviation that vkGetCalibratedTimestamps returned last. */
void fault_calibration(uint64_t *host, uint64_t *deviation);
}

#endif
