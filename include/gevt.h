/**
 * @mainpage gevt: GPU events behind a C ABI
 *
 * An event marks a point in a stream of asynchronous work. You can ask whether the stream has reached it, block until it has,
 * make another stream wait for it, and measure the time between two events. gevt runs on CUDA, on Vulkan, and on a host backend
 * that needs no GPU.
 *
 * @code{.c}
 * #include <gevt.h>
 * #include <stdio.h>
 *
 * static void work(void *user) { (void)user; }
 *
 * int main(void) {
 *     gevt_event_t start, end;
 *     float ms = 0;
 *     gevt_status_t status = gevt_create(&start, GEVT_EVENT_DEFAULT);
 *     if (status == GEVT_SUCCESS) status = gevt_create(&end, GEVT_EVENT_DEFAULT);
 *     if (status == GEVT_SUCCESS) status = gevt_record(start, NULL); // NULL is the default stream
 *     if (status == GEVT_SUCCESS) status = gevt_stream_launch(NULL, work, NULL);
 *     if (status == GEVT_SUCCESS) status = gevt_record(end, NULL);
 *     if (status == GEVT_SUCCESS) status = gevt_sync(end);
 *     if (status == GEVT_SUCCESS) status = gevt_elapsed(&ms, start, end);
 *     if (status != GEVT_SUCCESS) return fprintf(stderr, "%s\n", gevt_last_message()), 1;
 *     printf("the work took %.3f ms\n", ms);
 *     gevt_destroy(start);
 *     gevt_destroy(end);
 *     return 0;
 * }
 * @endcode
 *
 * ### Conventions
 *
 * They hold for every function unless its comment says otherwise.
 *
 * - **Results.** A function returns GEVT_SUCCESS (0) or an error with CUDA's number. gevt_last_detail() and gevt_last_message()
 *   explain the calling thread's last failure. GEVT_ERROR_NOT_READY is an answer, not a failure.
 * - **Outputs** are the first parameters. They are written only on success.
 * - **Pointers** must be NULL or valid for the whole call. gevt keeps only `user` pointers.
 * - **Handles** are numbers and are never dereferenced or reused. Whoever creates, opens, wraps or imports an object destroys
 *   or closes its handle once, from any thread. Destroying and closing never cancels queued work.
 * - **NULL** as a context is the calling thread's current context; see gevt_context_set_current(). NULL as a stream is the
 *   default stream of that context.
 * - **Lifetimes.** An event outlives its stream, and a stream its context handle. The exception is a context of
 *   gevt_vulkan_wrap_device(): it ends with its last handle.
 * - **Threads.** Any thread may call any function at any time, also on the same object. Signal handlers may not call gevt. A
 *   batch begins and ends on one thread.
 * - **Blocking.** A function that never blocks waits for no queued work. CUDA has one exception: the driver's queues hold about
 *   a thousand entries. If a waiting stream fills them, calls that queue work block in the driver until it continues.
 * - **Functions of the caller** (host functions, items, callbacks) run on gevt's threads or inside gevt_sync_helping(), and may
 *   call gevt. No exception and no longjmp may leave them. gevt's threads block all signals except SIGSEGV, SIGBUS, SIGFPE,
 *   SIGILL and SIGTRAP.
 * - **Memory.** gevt_create(), gevt_record(), gevt_query(), gevt_sync(), gevt_elapsed() and gevt_destroy() survive failed
 *   allocations in an open context. Other functions may end the process if the system has no memory.
 * - **Exit and fork.** Once exit() has begun, and in a forked child until exec(), destroy and close functions succeed without
 *   effect, and all others fail. Exit also ends blocked waits, except those inside the CUDA driver. The library stays loaded
 *   after dlclose().
 *
 * ### Errors of every function
 *
 * Comments list only the errors that are special to a function.
 *
 * - GEVT_ERROR_INVALID_HANDLE: a handle is NULL, stale, made up or of another kind.
 * - GEVT_ERROR_INVALID_VALUE: a required pointer is NULL, or a flag is unknown.
 * - GEVT_ERROR_OUT_OF_MEMORY: memory, handles, threads or file descriptors have run out.
 * - GEVT_ERROR_CONTEXT_IS_DESTROYED: the owner of the context destroyed it.
 * - The errors of gevt_context_get_current(): NULL stands for the current context, and there is none.
 * - GEVT_ERROR_DEINITIALIZED: the process exits. GEVT_ERROR_NOT_INITIALIZED: the process is a forked child.
 * - With GEVT_DETAIL_CONTEXT_LOST: the device failed; the context and all its events return this error from then on. With
 *   GEVT_DETAIL_BACKEND or GEVT_DETAIL_VULKAN: any other code of the driver. GEVT_ERROR_UNKNOWN with GEVT_DETAIL_INTERNAL: a
 *   bug in gevt.
 *
 * Functions that query an event or wait for it also return:
 *
 * - GEVT_ERROR_ILLEGAL_STATE: a GEVT_EVENT_STRICT event was never recorded.
 * - GEVT_ERROR_CAPTURED_EVENT: the event was last recorded in a stream capture.
 * - The event's failure. With GEVT_DETAIL_EVENT_FAILED: it was signaled with this status, destroyed before it was signaled, or
 *   recorded after a stream's wait for such an event. With GEVT_DETAIL_SUBMIT_FAILED: the submit of its batch failed. With
 *   GEVT_DETAIL_IPC_PEER_GONE: the process that recorded it has ended.
 *
 * For C++17, gevt.hpp has the same functions with owners, references, durations, and exceptions or std::error_code.
 * docs/HOST.md, docs/CUDA.md and docs/VULKAN.md describe the backends.
 */

/** @file gevt.h
 *  GPU events: all functions, types and constants of the C API. */

#ifndef GEVT_H
#define GEVT_H

/* Generated from src/ by header/. Do not edit. */

#include <stddef.h>
#include <stdint.h>

/** @addtogroup version
 *  @{ */
#define GEVT_VERSION_MAJOR 0 /**< The major version of this header. */
#define GEVT_VERSION_MINOR 2 /**< The minor version of this header. */
#define GEVT_VERSION_PATCH 0 /**< The patch version of this header. */

/** The version of this header, as a number like that of gevt_version(): 200 is 0.2.0. */
#define GEVT_VERSION (GEVT_VERSION_MAJOR * 10000 + GEVT_VERSION_MINOR * 100 + GEVT_VERSION_PATCH)

/** Makes a compiler warn if a program ignores the result. Define it as empty before including this header to turn that off. */
#ifndef GEVT_NODISCARD
#if defined(__cplusplus) && __cplusplus >= 201703L
#define GEVT_NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define GEVT_NODISCARD __attribute__((warn_unused_result))
#else
#define GEVT_NODISCARD
#endif
#endif

/** Imports the functions from gevt.dll on Windows. Define GEVT_STATIC before including this header to link a static library there. */
#if defined(_WIN32) && !defined(GEVT_STATIC)
#define GEVT_API __declspec(dllimport)
#else
#define GEVT_API
#endif

/** noexcept in C++, as no function throws. Empty in C. */
#ifdef __cplusplus
#define GEVT_NOEXCEPT noexcept
#else
#define GEVT_NOEXCEPT
#endif

/** @} */

#ifdef __cplusplus
extern "C" {
#endif

/** @addtogroup types
 *  @{ */
/** The result of a call: GEVT_SUCCESS or an error code.
 *
 * The numbers are CUDA's. Newer drivers may add codes: treat every value except GEVT_SUCCESS and GEVT_ERROR_NOT_READY as a failure. */
typedef int32_t gevt_status_t;

typedef int32_t gevt_detail_t;                 /**< The cause behind a status; see gevt_last_detail(). */
typedef struct gevt_event_s *gevt_event_t;     /**< A handle to an event. */
typedef struct gevt_stream_s *gevt_stream_t;   /**< A handle to a stream. NULL is the default stream of the current context. */
typedef struct gevt_context_s *gevt_context_t; /**< A handle to a context: one device of one backend. */
typedef uint32_t gevt_backend_t;               /**< A backend: one of the GEVT_BACKEND_... values. */
typedef uint32_t gevt_event_state_t;           /**< The state of an event: one of the GEVT_STATE_... values. See gevt_get_info(). */
typedef uint32_t gevt_log_level_t;             /**< The importance of a log message: one of the GEVT_LOG_... values. */

typedef uint32_t gevt_event_flags_t;   /**< The flags of an event: GEVT_EVENT_... bits. */
typedef uint32_t gevt_stream_flags_t;  /**< The flags of a stream: GEVT_STREAM_... bits. */
typedef uint32_t gevt_record_flags_t;  /**< The flags of a record: GEVT_RECORD_... bits. */
typedef uint32_t gevt_wait_flags_t;    /**< The flags of a wait: GEVT_WAIT_... bits. */
typedef uint32_t gevt_context_known_t; /**< What is known of a context: GEVT_CONTEXT_HAS_... bits. */

typedef uint32_t gevt_vulkan_features_t;    /**< The enabled features of a VkDevice: GEVT_VULKAN_... bits. */
typedef uint32_t gevt_vulkan_queue_flags_t; /**< The flags of a wrapped VkQueue: GEVT_VULKAN_COLLECT_WAITS and GEVT_VULKAN_EXPORTABLE. */

typedef void (*gevt_host_fn_t)(void *user); /**< A function that runs in stream order; see gevt_stream_launch(). */

/** A function that runs once for each item of a launch; see gevt_stream_launch_n(). */
typedef void (*gevt_item_fn_t)(void *user, size_t item, uint32_t worker);

/** A function that runs when an event completes or fails; see gevt_on_complete(). */
typedef void (*gevt_complete_fn_t)(void *user, gevt_status_t status);

/** A function that receives log messages; see gevt_set_log_callback(). */
typedef void (*gevt_log_fn_t)(void *user, gevt_log_level_t level, const char *message);

#define GEVT_NAME_SIZE 64               /**< The size of gevt_event_info_t::name in bytes, including the terminating NUL. */
#define GEVT_DEVICE_NAME_SIZE 256       /**< The size of gevt_context_info_t::name in bytes, including the terminating NUL. */
#define GEVT_IPC_HANDLE_SIZE 64         /**< The size of gevt_ipc_handle_t in bytes. */
#define GEVT_NO_QUEUE_FAMILY 0xffffffff /**< The queue family of a stream that has no queue. */

/** The program's job system; see gevt_host_set_executor(). Later versions may add fields at the end. */
typedef struct gevt_executor_t {
    size_t size; /**< Set by the caller to sizeof(gevt_executor_t). */
    void *user;  /**< The first argument of `submit`. */
    /** Arranges that `run(arg)` is called once, soon, on any thread. Returns 0, or another value if it will not be called. */
    int (*submit)(void *user, gevt_host_fn_t run, void *arg);
    uint32_t threads; /**< How many threads call `run`, at most 1,024, or 0 for the number of cores. */
} gevt_executor_t;

/** A description of an event, filled in by gevt_get_info(). Later versions may add fields at the end. */
typedef struct gevt_event_info_t {
    size_t size;               /**< Set by the caller to sizeof(gevt_event_info_t). Receives the number of bytes written. */
    gevt_event_flags_t flags;  /**< The flags with which the event was created. */
    gevt_event_state_t state;  /**< The state of the event. */
    gevt_backend_t backend;    /**< The backend; GEVT_BACKEND_AUTO if the event is not bound to a context yet. */
    int32_t device;            /**< The device number; -1 if the event is not bound yet. */
    gevt_context_t context;    /**< The handle that bound the event, even if it is closed by now; NULL if not bound yet. */
    uint32_t imported;         /**< 1 if the event was imported from another process, else 0. */
    uint32_t reserved;         /**< Always 0. */
    uint64_t record_count;     /**< The number of records made through gevt, including failed ones, and of calls of gevt_reset(). */
    char name[GEVT_NAME_SIZE]; /**< The name in UTF-8, NUL-terminated; empty if the event has none. */
} gevt_event_info_t;

#define GEVT_CONTEXT_HAS_UUID 0x1 /**< gevt_context_info_t::uuid is known. */
#define GEVT_CONTEXT_HAS_LUID 0x2 /**< gevt_context_info_t::luid and luid_node_mask are known. */
#define GEVT_CONTEXT_HAS_PCI 0x4  /**< The pci_... fields of gevt_context_info_t are known. */

/** A description of a context and its device, filled in by gevt_context_get_info(). Later versions may add fields at the end. */
typedef struct gevt_context_info_t {
    size_t size;                      /**< Set by the caller to sizeof(gevt_context_info_t). Receives the number of bytes written. */
    gevt_backend_t backend;           /**< The backend. */
    int32_t device;                   /**< The device number; -1 if the backend does not list the device. */
    gevt_context_known_t known;       /**< GEVT_CONTEXT_HAS_... bits: which of the following are known. The others are 0. */
    uint32_t luid_node_mask;          /**< The device's bit in the node mask of its LUID. */
    uint8_t uuid[16];                 /**< The UUID of the device, the same in CUDA and in Vulkan. */
    uint8_t luid[8];                  /**< The locally unique identifier of the device, on Windows. */
    uint32_t pci_domain;              /**< The PCI domain. */
    uint32_t pci_bus;                 /**< The PCI bus. */
    uint32_t pci_device;              /**< The PCI device. */
    uint32_t pci_function;            /**< The PCI function. */
    char name[GEVT_DEVICE_NAME_SIZE]; /**< The name that the driver gives the device, in UTF-8, NUL-terminated; "host" for the host. */
} gevt_context_info_t;

/** A description of a stream, filled in by gevt_stream_get_info(). Later versions may add fields at the end. */
typedef struct gevt_stream_info_t {
    size_t size;               /**< Set by the caller to sizeof(gevt_stream_info_t). Receives the number of bytes written. */
    gevt_context_t context;    /**< The context handle with which the stream was made, even if it has been closed since. */
    gevt_backend_t backend;    /**< The backend. */
    int32_t device;            /**< The device number; -1 if the backend does not list the device. */
    gevt_stream_flags_t flags; /**< The flags with which the stream was created; 0 for default streams and for streams of the caller. */
    uint32_t queue_family;     /**< On Vulkan the queue family of the stream's queue; GEVT_NO_QUEUE_FAMILY on the other backends. */
    char name[GEVT_NAME_SIZE]; /**< The name in UTF-8, NUL-terminated; empty if the stream has none. */
} gevt_stream_info_t;

/** The bytes that identify an event to another process; see gevt_ipc_export(). They may be copied, sent and stored. */
typedef struct gevt_ipc_handle_t {
    uint8_t bytes[GEVT_IPC_HANDLE_SIZE]; /**< Opaque. */
} gevt_ipc_handle_t;

/* Vulkan's own structures, so that its handles have their types here without its headers. */
struct VkInstance_T;
struct VkPhysicalDevice_T;
struct VkDevice_T;
struct VkQueue_T;
struct VkCommandBuffer_T;

/** A vkGetInstanceProcAddr: PFN_vkGetInstanceProcAddr. */
typedef void (*(*gevt_vulkan_get_proc_fn_t)(struct VkInstance_T *instance, const char *name))(void);

/** A VkDevice of the caller; see gevt_vulkan_wrap_device(). Later versions may add fields at the end. */
typedef struct gevt_vulkan_device_t {
    size_t size; /**< Set by the caller to sizeof(gevt_vulkan_device_t). */
    struct VkInstance_T *instance; /**< The VkInstance. */
    struct VkPhysicalDevice_T *physical_device; /**< The VkPhysicalDevice. */
    struct VkDevice_T *device; /**< The VkDevice. */
    gevt_vulkan_get_proc_fn_t get_instance_proc_addr; /**< The caller's vkGetInstanceProcAddr. */
    uint32_t api_version; /**< The VkApplicationInfo::apiVersion of the instance, or the device's version if that is less. */
    uint32_t extension_count; /**< The number of extensions. */
    const char *const *extensions; /**< The VkDeviceCreateInfo::ppEnabledExtensionNames of the device. */
    gevt_vulkan_features_t features; /**< The enabled features: GEVT_VULKAN_TIMELINE_SEMAPHORE and others. */
    uint32_t reserved; /**< Set to 0. */
} gevt_vulkan_device_t;

typedef void (*gevt_vulkan_lock_fn_t)(void *user); /**< A function that locks or unlocks a VkQueue; see gevt_vulkan_queue_t. */

/** A VkQueue of the caller; see gevt_vulkan_wrap_queue(). Later versions may add fields at the end.
 *
 * gevt calls `lock` before it submits to the queue and `unlock` afterwards, on the same thread, and never blocks in between. Destroying
 * a stream with an open batch calls `unlock` on the destroying thread. The functions must not call gevt. Do not call gevt while you hold the
 * lock, except between gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(). The same functions with the same `user` may lock several
 * VkQueues of a device. If both are NULL, the stream takes only batches and waits, and the caller keeps other threads away from the
 * queue during a batch. */
typedef struct gevt_vulkan_queue_t {
    size_t size;                     /**< Set by the caller to sizeof(gevt_vulkan_queue_t). */
    struct VkQueue_T *queue;         /**< The VkQueue. */
    uint32_t family;                 /**< The queue family of the VkQueue. */
    gevt_vulkan_queue_flags_t flags; /**< 0, or GEVT_VULKAN_COLLECT_WAITS and GEVT_VULKAN_EXPORTABLE. */
    gevt_vulkan_lock_fn_t lock;      /**< Locks the queue for the calling thread; or NULL. */
    gevt_vulkan_lock_fn_t unlock;    /**< Unlocks the queue; or NULL. */
    void *user;                      /**< The argument of both functions. */
} gevt_vulkan_queue_t;

/** An open batch; see gevt_vulkan_submit_begin(). Later versions may add fields at the end.
 *
 * `waits` and `signal` are for vkQueueSubmit2, and the fields after `ticket` for vkQueueSubmit. The arrays are valid until
 * gevt_vulkan_submit_end() or gevt_vulkan_submit_cancel(). The caller may copy them and narrow the stages of the waits. */
typedef struct gevt_vulkan_batch_t {
    size_t size;                  /**< Set by the caller to sizeof(gevt_vulkan_batch_t). */
    const void *waits;            /**< A VkSemaphoreSubmitInfo[wait_count], for the submit's waits. */
    uint32_t wait_count;          /**< The number of waits; may be 0. */
    uint32_t reserved;            /**< Set to 0. */
    const void *signal;           /**< One VkSemaphoreSubmitInfo, for the submit's signals. */
    uint64_t ticket;              /**< Names the batch. */
    const void *wait_semaphores;  /**< A VkSemaphore[wait_count]. */
    const uint64_t *wait_values;  /**< The values of these semaphores. */
    const uint32_t *wait_stages;  /**< Their VkPipelineStageFlags. */
    const void *signal_semaphore; /**< One VkSemaphore. */
    const uint64_t *signal_value; /**< Its value. */
} gevt_vulkan_batch_t;

/** @} */
/** @addtogroup flags
 *  @{ */
#define GEVT_EVENT_DEFAULT 0x0           /**< An event with timing. A thread in gevt_sync() spins before it sleeps. */
#define GEVT_EVENT_BLOCKING_SYNC 0x1     /**< A thread in gevt_sync() does not spin, as it never does on Vulkan (CU_EVENT_BLOCKING_SYNC). */
#define GEVT_EVENT_DISABLE_TIMING 0x2    /**< Disables timing, which makes records cheaper (CU_EVENT_DISABLE_TIMING). */
#define GEVT_EVENT_INTERPROCESS 0x4      /**< Can be shared with other processes (CU_EVENT_INTERPROCESS). Requires GEVT_EVENT_DISABLE_TIMING. */
#define GEVT_EVENT_STRICT 0x10000        /**< Query, sync and stream wait fail if the event was never recorded, instead of succeeding as in CUDA. */
#define GEVT_EVENT_HOST_SIGNALED 0x20000 /**< The event is pending until gevt_signal(), and cannot be recorded. */

#define GEVT_STREAM_DEFAULT 0x0      /**< The stream is ordered against the default stream, both ways. */
#define GEVT_STREAM_NON_BLOCKING 0x1 /**< The stream is not ordered against the default stream (CU_STREAM_NON_BLOCKING). */

#define GEVT_RECORD_DEFAULT 0x0  /**< An ordinary record. */
#define GEVT_RECORD_EXTERNAL 0x1 /**< In a stream capture, adds a record node to the graph (CU_EVENT_RECORD_EXTERNAL). */

#define GEVT_WAIT_DEFAULT 0x0  /**< An ordinary wait. */
#define GEVT_WAIT_EXTERNAL 0x1 /**< In a stream capture, adds a wait node to the graph (CU_EVENT_WAIT_EXTERNAL). */

#define GEVT_VULKAN_TIMELINE_SEMAPHORE 0x1 /**< In gevt_vulkan_device_t::features: timelineSemaphore was enabled. gevt needs it. */
#define GEVT_VULKAN_SYNCHRONIZATION2 0x2   /**< In gevt_vulkan_device_t::features: synchronization2 was enabled. */
#define GEVT_VULKAN_HOST_QUERY_RESET 0x4   /**< In gevt_vulkan_device_t::features: hostQueryReset was enabled. */
#define GEVT_VULKAN_COLLECT_WAITS 0x1      /**< In gevt_vulkan_queue_t::flags: gevt_stream_wait() adds its waits to the next batch or record. */

/** In gevt_vulkan_queue_t::flags: the caller can export the stream's timeline semaphore, for another process or API. */
#define GEVT_VULKAN_EXPORTABLE 0x2

#define GEVT_TIMEOUT_INFINITE UINT64_MAX /**< A timeout that never expires. */

#define GEVT_BACKEND_AUTO 0   /**< What the variable GEVT_BACKEND names, or CUDA if it has a device, else the host. */
#define GEVT_BACKEND_HOST 1   /**< Threads of the CPU; always available. */
#define GEVT_BACKEND_CUDA 2   /**< NVIDIA GPUs, through the CUDA driver. */
#define GEVT_BACKEND_VULKAN 3 /**< Devices of Vulkan 1.2 (1.1 if wrapped), as vkEnumeratePhysicalDevices lists them. Never the default. */

#define GEVT_STATE_UNRECORDED 0 /**< The event was never recorded. */
#define GEVT_STATE_PENDING 1    /**< The last record has not completed yet. */
#define GEVT_STATE_COMPLETE 2   /**< The last record has completed. */
#define GEVT_STATE_CAPTURED 3   /**< The event was last recorded in a stream capture. */
#define GEVT_STATE_FAILED 4     /**< The last record cannot complete, or the event was signaled with a failure. gevt_query() returns the reason. */

#define GEVT_LOG_OFF 0   /**< No messages. */
#define GEVT_LOG_ERROR 1 /**< A context was lost, or gevt caught a bug of its own. */
#define GEVT_LOG_WARN 2  /**< A call failed, or a trace is incomplete. */
#define GEVT_LOG_INFO 3  /**< A decision, such as the choice of the default backend. */

/** @} */
/** @addtogroup statuses
 *  @{ */
#define GEVT_SUCCESS 0 /**< The call succeeded. */

#define GEVT_ERROR_INVALID_VALUE 1                 /**< An argument is out of range, or a required pointer is NULL. */
#define GEVT_ERROR_OUT_OF_MEMORY 2                 /**< Memory, threads, handles or file descriptors have run out. */
#define GEVT_ERROR_NOT_INITIALIZED 3               /**< The call was made in a forked child. */
#define GEVT_ERROR_DEINITIALIZED 4                 /**< The process is exiting. */
#define GEVT_ERROR_NO_DEVICE 100                   /**< The backend has no driver or no device. */
#define GEVT_ERROR_INVALID_DEVICE 101              /**< The backend has no device with this number. */
#define GEVT_ERROR_INVALID_CONTEXT 201             /**< The context cannot be used for this call. */
#define GEVT_ERROR_MAP_FAILED 205                  /**< The bytes are not those of an event that can be opened. */
#define GEVT_ERROR_OPERATING_SYSTEM 304            /**< A system call failed. */
#define GEVT_ERROR_INVALID_HANDLE 400              /**< A handle is NULL, stale or of the wrong kind, or does not fit the other arguments. */
#define GEVT_ERROR_ILLEGAL_STATE 401               /**< The object is not in a state that allows the call. */
#define GEVT_ERROR_NOT_READY 600                   /**< The work has not finished yet. */
#define GEVT_ERROR_CONTEXT_IS_DESTROYED 709        /**< The context was destroyed by its owner, or the process that made the last record has ended. */
#define GEVT_ERROR_LAUNCH_FAILED 719               /**< Work on the device failed, or the device was lost: the context cannot recover. */
#define GEVT_ERROR_NOT_SUPPORTED 801               /**< The backend does not support this. */
#define GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED 900  /**< The call is not allowed while a stream is being captured. */
#define GEVT_ERROR_STREAM_CAPTURE_INVALIDATED 901  /**< An earlier error invalidated the capture of the stream. */
#define GEVT_ERROR_STREAM_CAPTURE_MERGE 902        /**< The call would merge two captures. */
#define GEVT_ERROR_STREAM_CAPTURE_UNMATCHED 903    /**< The capture was not started on this stream. */
#define GEVT_ERROR_STREAM_CAPTURE_UNJOINED 904     /**< The capture has work that was not joined to the stream on which it was started. */
#define GEVT_ERROR_STREAM_CAPTURE_ISOLATION 905    /**< A captured stream would depend on work outside the capture. */
#define GEVT_ERROR_STREAM_CAPTURE_IMPLICIT 906     /**< The call would make a captured stream depend on the default stream. */
#define GEVT_ERROR_CAPTURED_EVENT 907              /**< The event was last recorded in a capture. */
#define GEVT_ERROR_STREAM_CAPTURE_WRONG_THREAD 908 /**< The capture was started by another thread. */
#define GEVT_ERROR_TIMEOUT 909                     /**< The timeout expired before the work finished. */
#define GEVT_ERROR_UNKNOWN 999                     /**< The cause is unknown. */

/** @} */
/** @addtogroup details
 *  @{ */
#define GEVT_DETAIL_NONE 0                /**< No call has failed on this thread. */
#define GEVT_DETAIL_NULL_HANDLE 1         /**< A handle argument is NULL. */
#define GEVT_DETAIL_UNKNOWN_HANDLE 2      /**< A handle argument is not a value that gevt issued. */
#define GEVT_DETAIL_STALE_HANDLE 3        /**< The object of the handle was destroyed or closed. */
#define GEVT_DETAIL_WRONG_KIND 4          /**< The handle is of the wrong kind, such as a stream in place of an event. */
#define GEVT_DETAIL_NULL_POINTER 5        /**< An output, array or function pointer is NULL. */
#define GEVT_DETAIL_BAD_FLAGS 6           /**< The function does not know a flag, or the flags do not go together. */
#define GEVT_DETAIL_BAD_ARGUMENT 7        /**< An argument other than a handle, pointer or flag is out of range. */
#define GEVT_DETAIL_BAD_DEVICE 8          /**< The backend has no device with this number. */
#define GEVT_DETAIL_NO_BACKEND 9          /**< The backend has no driver or no device on this machine. */
#define GEVT_DETAIL_NOT_RECORDED 10       /**< The event was never recorded. */
#define GEVT_DETAIL_TIMING_DISABLED 11    /**< The event was created without timing. */
#define GEVT_DETAIL_CONTEXT_MISMATCH 12   /**< The arguments belong to different contexts. */
#define GEVT_DETAIL_IMPORTED_NO_TIMING 13 /**< The event was imported, and imported events have no timing. */
#define GEVT_DETAIL_CAPTURED 14           /**< The event was last recorded in a stream capture. */
#define GEVT_DETAIL_NOT_CAPTURING 15      /**< The EXTERNAL flag was used on a stream that is not being captured. */
#define GEVT_DETAIL_WOULD_DEADLOCK 16     /**< A host function waits for work that starts only after it returns. */
#define GEVT_DETAIL_NOT_BOUND 17          /**< The event is not bound to a context yet. */
#define GEVT_DETAIL_NO_NATIVE 18          /**< The host backend has no native objects. */
#define GEVT_DETAIL_TIMED_OUT 19          /**< The timeout expired before the work finished. */
#define GEVT_DETAIL_OUT_OF_MEMORY 20      /**< Memory, threads, handles or room in a queue have run out. */
#define GEVT_DETAIL_FORKED 21             /**< The call was made in a forked child. */
#define GEVT_DETAIL_EXITING 22            /**< The call was made while the process exits. */
#define GEVT_DETAIL_CONTEXT_LOST 23       /**< The context was destroyed by its owner or cannot recover from an error. */
#define GEVT_DETAIL_BACKEND 24            /**< The backend returned an error code of its own, which is the status. */
#define GEVT_DETAIL_INTERNAL 25           /**< gevt caught a bug of its own. */
#define GEVT_DETAIL_TRACING 26            /**< A trace is already running. */
#define GEVT_DETAIL_NOT_TRACING 27        /**< No trace is running. */
#define GEVT_DETAIL_FILE 28               /**< A file cannot be created or written. */
#define GEVT_DETAIL_NOT_EXPORTABLE 29     /**< The event was created without INTERPROCESS, or was imported. */
#define GEVT_DETAIL_IPC_BAD_HANDLE 30     /**< The bytes are not those of an event that can be opened. */
#define GEVT_DETAIL_IPC_SAME_PROCESS 31   /**< The event was exported by this process. */
#define GEVT_DETAIL_IPC_PEER_GONE 32      /**< The process that exported the event, or that made its last record, has ended. */
#define GEVT_DETAIL_IPC_FOREIGN_USER 33   /**< The event belongs to a process of another user. */
#define GEVT_DETAIL_UNSUPPORTED 34        /**< The backend, the device or the queue does not support the call. */
#define GEVT_DETAIL_SUBMIT_FAILED 35      /**< The submit that should have completed the event failed, or its batch was canceled. */
#define GEVT_DETAIL_NO_TIME 36            /**< No timestamp was written for the event's last record. */
#define GEVT_DETAIL_BATCH 37              /**< A batch is open on the queue, or the named one is not. */
#define GEVT_DETAIL_VULKAN 38             /**< Vulkan returned an error that has no status of its own. */
#define GEVT_DETAIL_EVENT_FAILED 39       /**< The event was signaled with a failure, destroyed unsignaled, or recorded after a wait that failed. */
#define GEVT_DETAIL_HOST_SIGNALED 40      /**< The event is host-signaled, or is not, or is signaled already. */
#define GEVT_DETAIL_EXECUTOR 41           /**< The executor was set twice or too late, or a number of threads was set beside it. */
#define GEVT_DETAIL_NOT_CALIBRATED 42     /**< The device was too busy to compare its clock with the host's. */

/** @} */
/** @addtogroup events
 *  @{ */
/** Creates an event. Like cuEventCreate.
 *
 * No device is touched. The first record binds the event to the context of its stream, for good. The caller destroys the event with
 * gevt_destroy(). `flags` is a combination of GEVT_EVENT_... bits.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `flags` has GEVT_EVENT_INTERPROCESS without GEVT_EVENT_DISABLE_TIMING. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_create(gevt_event_t *out, gevt_event_flags_t flags) GEVT_NOEXCEPT;

/** Records an event on a stream. Like cuEventRecord.
 *
 * The event completes when all work submitted to the stream before this call has finished. A new record replaces the previous one. Waits
 * that were already issued keep waiting for the record they saw. Never blocks.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE The event is bound to another context than the stream's.
 * @retval GEVT_ERROR_ILLEGAL_STATE The event is host-signaled. On Vulkan also: this thread has a batch open on the queue.
 * @retval GEVT_ERROR_NOT_SUPPORTED On Vulkan, the queue has no lock functions, or the event is an interprocess event or a wrapped point.
 * @retval GEVT_ERROR_OUT_OF_MEMORY On the host also: 255 records of an interprocess event are pending, or 125 processes have recorded it. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_record(gevt_event_t ev, gevt_stream_t s) GEVT_NOEXCEPT;

/** Returns whether an event has completed. Like cuEventQuery.
 *
 * Never blocks. Once an event is known to be complete, the driver is not asked again.
 *
 * @retval GEVT_SUCCESS The last record has completed, or the event was never recorded.
 * @retval GEVT_ERROR_NOT_READY The last record is pending. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_query(gevt_event_t ev) GEVT_NOEXCEPT;

/** Blocks until an event completes. Like cuEventSynchronize.
 *
 * Waits for the record that is the last one at the time of the call. Returns at once if the event was never recorded. Host functions
 * that were queued before the record have returned; callbacks of gevt_on_complete() may still run. The event may be destroyed meanwhile.
 *
 * Spins for up to 20 microseconds of the caller's CPU time, then sleeps, except that CUDA's own wait spins all the time. With
 * GEVT_EVENT_BLOCKING_SYNC the call sleeps at once, which saves that time and wakes up some microseconds later. On Vulkan it sleeps at
 * once with and without the flag.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE With GEVT_DETAIL_WOULD_DEADLOCK, a host function waits for an event that its own stream reaches only
 *         later. No other deadlock is detected. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync(gevt_event_t ev) GEVT_NOEXCEPT;

/** Computes the time between two events in milliseconds. Like cuEventElapsedTime.
 *
 * The time runs from the completion of `start` to that of `end`, and is negative if `end` completed first. The resolution is 1 ns on the
 * host and the device's elsewhere. Never blocks. The errors are checked in this order.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE The events are bound to different contexts, one has no timing, or one was never recorded.
 * @retval GEVT_ERROR_CAPTURED_EVENT An event was last recorded in a stream capture.
 * @retval GEVT_ERROR_NOT_READY An event is pending.
 * @retval GEVT_ERROR_ILLEGAL_STATE With GEVT_DETAIL_NO_TIME, on Vulkan no timestamp was written for a record. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_elapsed(float *ms, gevt_event_t start, gevt_event_t end) GEVT_NOEXCEPT;

/** Destroys an event. Like cuEventDestroy.
 *
 * Never blocks. Waits and callbacks that were issued for the event remain, and threads inside a call with the event get their result. If
 * the event is host-signaled and was not signaled, its waiters get GEVT_ERROR_CONTEXT_IS_DESTROYED. */
GEVT_API gevt_status_t gevt_destroy(gevt_event_t ev) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup waits
 *  @{ */
/** Blocks until an event completes or the timeout expires. Otherwise like gevt_sync().
 *
 * `timeout_ns` is in nanoseconds. 0 checks once without blocking, and GEVT_TIMEOUT_INFINITE never expires.
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired first. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_timeout(gevt_event_t ev, uint64_t timeout_ns) GEVT_NOEXCEPT;

/** Blocks like gevt_sync_timeout(), and meanwhile runs queued host functions and callbacks on the calling thread.
 *
 * Hold no locks: any queued function of any host stream may run on this thread before the call returns. The thread runs functions while
 * fewer than gevt_host_get_threads() run. The call returns when the function that it runs at the moment has returned, which may be after
 * the timeout. Calls nest 4 deep on one thread; deeper calls only wait.
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired first.
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_sync(), for every host function that is suspended on this thread. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_helping(gevt_event_t ev, uint64_t timeout_ns) GEVT_NOEXCEPT;

/** Blocks until each of `n` events has completed or failed, or the timeout expires.
 *
 * `evs` may be NULL if `n` is 0. All handles are checked before the call blocks. If several events have failed, the first one in the
 * array decides the status. `timeout_ns` is as for gevt_sync_timeout().
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired first. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_all(const gevt_event_t *evs, size_t n, uint64_t timeout_ns) GEVT_NOEXCEPT;

/** Blocks until one of `n` events has completed or failed, or the timeout expires.
 *
 * `index` receives the lowest position of an event that has completed or failed. It is written on success, and with an event's failure.
 * All handles are checked before the call blocks. `timeout_ns` is as for gevt_sync_timeout().
 *
 * @retval GEVT_ERROR_INVALID_VALUE `n` is 0.
 * @retval GEVT_ERROR_TIMEOUT The timeout expired first.
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_sync(); with GEVT_DETAIL_WOULD_DEADLOCK only if it holds for all events. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_any(size_t *index, const gevt_event_t *evs, size_t n, uint64_t timeout_ns) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup more
 *  @{ */
/** Creates an event that is bound to a context from the start.
 *
 * `ctx` may be NULL for the current context. Otherwise like gevt_create().
 *
 * @retval GEVT_ERROR_INVALID_VALUE As for gevt_create().
 * @retval GEVT_ERROR_NOT_SUPPORTED `flags` has GEVT_EVENT_HOST_SIGNALED, and `ctx` is not a context of the host. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_create_in(gevt_event_t *out, gevt_context_t ctx, gevt_event_flags_t flags) GEVT_NOEXCEPT;

/** Records an event on a stream, with flags. Like cuEventRecordWithFlags.
 *
 * `flags` is GEVT_RECORD_DEFAULT, or GEVT_RECORD_EXTERNAL on a stream that is being captured. Otherwise like gevt_record().
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE GEVT_RECORD_EXTERNAL was used on a stream that is not being captured. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_record_with_flags(gevt_event_t ev, gevt_stream_t s, gevt_record_flags_t flags) GEVT_NOEXCEPT;

/** Completes a host-signaled event. Like vkSignalSemaphore.
 *
 * An event with GEVT_EVENT_HOST_SIGNALED is pending from its creation until this call, and again after gevt_reset(). It needs no stream,
 * belongs to the host backend, and cannot be recorded; all other functions take it. Its time is the time of this call. Never blocks.
 * Host functions and callbacks may call it.
 *
 * `status` is GEVT_SUCCESS or a failure. A failure is what query and sync functions return and what callbacks receive. Records that
 * streams of any backend make after a wait for the event fail with it as well, until gevt_stream_sync() or gevt_context_sync() has
 * returned it.
 *
 * With GEVT_EVENT_INTERPROCESS other processes can wait for the event, but only the process that created it can signal it.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `status` is GEVT_ERROR_NOT_READY or GEVT_ERROR_TIMEOUT.
 * @retval GEVT_ERROR_ILLEGAL_STATE The event is not host-signaled, or has been signaled already. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_signal(gevt_event_t ev, gevt_status_t status) GEVT_NOEXCEPT;

/** Makes a host-signaled event pending again. Like vkResetEvent.
 *
 * Waits that were already issued keep the signal, or the failure, that they were issued for. Does nothing if the event is pending.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE The event is not host-signaled. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_reset(gevt_event_t ev) GEVT_NOEXCEPT;

/** Computes the time between two events in nanoseconds, unrounded. Otherwise like gevt_elapsed().
 *
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_elapsed().
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_elapsed().
 * @retval GEVT_ERROR_NOT_READY As for gevt_elapsed().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_elapsed(). */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_elapsed_ns(int64_t *ns, gevt_event_t start, gevt_event_t end) GEVT_NOEXCEPT;

/** Computes the times between many pairs of events in one call.
 *
 * `statuses[i]` receives what gevt_elapsed_ns() returns for `starts[i]` and `ends[i]`. `ns[i]` receives the time if that is
 * GEVT_SUCCESS, and is not written otherwise. A pair without a time does not fail the call. The four arrays have `n` elements, must not
 * overlap, and may be NULL if `n` is 0. Never blocks. On Vulkan adjacent timestamps are read together.
 *
 * @retval GEVT_ERROR_INVALID_VALUE An array is NULL, or `n` is too large for an array. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_elapsed_n(int64_t *ns, gevt_status_t *statuses, const gevt_event_t *starts, const gevt_event_t *ends, size_t n) GEVT_NOEXCEPT;

/** Returns the time at which an event completed, on the host's clock.
 *
 * `ns` is in nanoseconds of CLOCK_MONOTONIC (on Windows, of QueryPerformanceCounter). `error_ns` is the greatest error, up or down. It
 * is 0 for events of the host. On a device it is the calibration error plus the timestamp's resolution plus 500 ppm of the time since
 * the calibration, so recent events are the most accurate.
 *
 * Never waits for the device. It uses the last calibration: that of gevt_context_calibrate(), or one that gevt made since. If the last one
 * is older than a second, Vulkan makes another one in this call (one driver call), and CUDA has one made on gevt's thread.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE The event has no timing or was never recorded.
 * @retval GEVT_ERROR_NOT_READY The event is pending; or, on CUDA, gevt's thread makes the context's first calibration.
 * @retval GEVT_ERROR_ILLEGAL_STATE With GEVT_DETAIL_NO_TIME, no timestamp was written; with GEVT_DETAIL_NOT_CALIBRATED, the device was too
 *         busy for the first calibration.
 * @retval GEVT_ERROR_NOT_SUPPORTED The VkDevice has no calibrated timestamps. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_time(int64_t *ns, uint64_t *error_ns, gevt_event_t ev) GEVT_NOEXCEPT;

/** Calls `fn(user, status)` once when an event completes or fails.
 *
 * It is the last record at the time of the call that counts; a later record or gevt_destroy() changes nothing. `status` is GEVT_SUCCESS
 * or the event's failure. The callback runs on a thread of gevt, never inside this call. It may call gevt and may block. Callbacks run
 * in any order, in parallel, and not in stream order: use gevt_stream_launch() for that. A callback that has not started when the
 * process exits does not run.
 *
 * If this function returns an error, `fn` is never called.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_query().
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_query(). */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_on_complete(gevt_event_t ev, gevt_complete_fn_t fn, void *user) GEVT_NOEXCEPT;

/** Describes an event and its state. Never blocks.
 *
 * Set `info->size` to sizeof(gevt_event_info_t) first. At most that many bytes are written, and `info->size` receives their number.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `info->size` is less than that of the structure's first version. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_get_info(gevt_event_info_t *info, gevt_event_t ev) GEVT_NOEXCEPT;

/** Names an event, for messages, traces and gevt_get_info().
 *
 * `name` is UTF-8 and is copied. A name longer than 63 bytes is cut at a character. NULL or "" removes the name.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `name` is not valid UTF-8. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_set_name(gevt_event_t ev, const char *name) GEVT_NOEXCEPT;

/** Creates an event for a CUevent of the caller.
 *
 * The CUevent remains the caller's and must live as long as the handle is used. `ctx` is its context, or NULL for the current context.
 * `flags` are the flags with which it was created; a CUevent from cuIpcOpenEventHandle has GEVT_EVENT_INTERPROCESS and
 * GEVT_EVENT_DISABLE_TIMING. Every query asks the driver, because others may record the CUevent.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `native` is NULL, `flags` is invalid as for gevt_create(), or has GEVT_EVENT_HOST_SIGNALED.
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is not of CUDA. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_wrap(gevt_event_t *out, gevt_context_t ctx, void *native, gevt_event_flags_t flags) GEVT_NOEXCEPT;

/** Returns the CUevent of an event, for graphs, launch attributes and other libraries.
 *
 * The CUevent belongs to gevt and lives as long as the event. From now on every query asks the driver, because others may record the
 * CUevent.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE The event is not bound to a context yet.
 * @retval GEVT_ERROR_NOT_SUPPORTED The event is not of CUDA. On Vulkan use gevt_vulkan_point(). */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_native(void **native, gevt_event_t ev) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup streams
 *  @{ */
/** Creates a stream, which runs its work in order. Like cuStreamCreate.
 *
 * `ctx` may be NULL for the current context. The caller destroys the stream with gevt_stream_destroy(). `flags` is GEVT_STREAM_DEFAULT
 * or GEVT_STREAM_NON_BLOCKING. On Vulkan both mean the same, and streams share the queues of the device. On CUDA the driver may
 * block this call until queued work has finished, so create streams before you queue work that waits for a signal. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_create(gevt_stream_t *out, gevt_context_t ctx, gevt_stream_flags_t flags) GEVT_NOEXCEPT;

/** Queues a call of `fn(user)` in stream order. Like cuLaunchHostFunc.
 *
 * The function runs after all work queued before it, and before all work queued after it. Never blocks. On the host and on Vulkan it
 * runs on a thread of gevt, may call gevt, and may block. On CUDA it runs on a thread of the driver and must not need the driver. A
 * function that has not started when the process exits does not run.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED On Vulkan, the stream has collected waits, and its queue has no lock functions. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_launch(gevt_stream_t s, gevt_host_fn_t fn, void *user) GEVT_NOEXCEPT;

/** Queues `n` calls of `fn(user, item, worker)`, with `item` from 0 to `n` - 1, that run in parallel. Host streams only.
 *
 * All calls run after the work queued before them, and before the work queued after them. Among themselves they run in any order. Never
 * blocks. `worker` is less than gevt_host_get_threads() is at this call. No two calls of one launch run at the same time with the same
 * `worker`, so it can be the index of scratch memory: a call sees what earlier calls with its `worker` wrote.
 *
 * An item may call gevt and may block, but must not wait for another item of the same launch. Items that have not started when the
 * process exits do not run.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not of the host. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_launch_n(gevt_stream_t s, size_t n, gevt_item_fn_t fn, void *user) GEVT_NOEXCEPT;

/** Makes later work of a stream wait for an event. Like cuStreamWaitEvent.
 *
 * Work queued on the stream after this call starts when the event's last record, as of this call, has completed. An event that was never
 * recorded is not waited for. Never blocks. The event may belong to any context, device or backend. `flags` is GEVT_WAIT_DEFAULT, or
 * GEVT_WAIT_EXTERNAL on a stream that is being captured. A stream that waits for a captured event joins the capture.
 *
 * If a host-signaled event, or an event of another backend, fails after this call, the stream continues. Later records on the stream
 * then fail with the same status, until gevt_stream_sync() or gevt_context_sync() has returned it.
 *
 * Stream waits cannot deadlock by themselves, because the record always comes first. A signal that never comes can block a stream
 * forever.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE GEVT_WAIT_EXTERNAL was used across backends.
 * @retval GEVT_ERROR_ILLEGAL_STATE GEVT_WAIT_EXTERNAL was used on a stream that is not being captured.
 * @retval GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED A stream that is being captured cannot wait for another backend.
 * @retval GEVT_ERROR_OUT_OF_MEMORY On CUDA also: 512 waits for other backends are pending in the context.
 * @retval GEVT_ERROR_NOT_SUPPORTED GEVT_WAIT_EXTERNAL was used for an event that was imported on another device. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_wait(gevt_stream_t s, gevt_event_t ev, gevt_wait_flags_t flags) GEVT_NOEXCEPT;

/** Returns whether a stream has finished all of its work. Like cuStreamQuery. Never blocks.
 *
 * @retval GEVT_SUCCESS The stream has finished.
 * @retval GEVT_ERROR_NOT_READY The stream has work left.
 * @return The status of an event, with GEVT_DETAIL_EVENT_FAILED or GEVT_DETAIL_IPC_PEER_GONE: the stream waited for an event that failed. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_query(gevt_stream_t s) GEVT_NOEXCEPT;

/** Blocks until a stream has finished the work queued before this call. Like cuStreamSynchronize.
 *
 * Callbacks of gevt_on_complete() may still run. If the stream waited for an event that failed, the call returns that failure, and later
 * work no longer fails with it.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE With GEVT_DETAIL_WOULD_DEADLOCK, the caller is a host function of this stream.
 * @return The status of an event, with GEVT_DETAIL_EVENT_FAILED or GEVT_DETAIL_IPC_PEER_GONE: the stream waited for an event that failed. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_sync(gevt_stream_t s) GEVT_NOEXCEPT;

/** Blocks like gevt_stream_sync() until the stream has finished or the timeout expires.
 *
 * `timeout_ns` is as for gevt_sync_timeout().
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired first. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_sync_timeout(gevt_stream_t s, uint64_t timeout_ns) GEVT_NOEXCEPT;

/** Names a stream, for messages and traces.
 *
 * `name` is as for gevt_set_name(). To name the default stream, name a handle that gevt_stream_wrap() made of 0.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `name` is not valid UTF-8. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_set_name(gevt_stream_t s, const char *name) GEVT_NOEXCEPT;

/** Describes a stream. Like cuStreamGetCtx and cuStreamGetFlags. Never blocks.
 *
 * Set `info->size` to sizeof(gevt_stream_info_t) first. At most that many bytes are written, and `info->size` receives their number.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `info->size` is less than that of the structure's first version. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_get_info(gevt_stream_info_t *info, gevt_stream_t s) GEVT_NOEXCEPT;

/** Returns the CUstream or VkQueue of a stream.
 *
 * The object is borrowed: do not destroy it. It lives as long as the handle. Work that you submit to the CUstream is part of the stream.
 * Several streams share a VkQueue, so submit to it only between gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(). A default
 * stream of CUDA gives CU_STREAM_LEGACY.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is of the host. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_native(void **native, gevt_stream_t s) GEVT_NOEXCEPT;

/** Destroys a stream. Like cuStreamDestroy.
 *
 * Never blocks: queued work still runs. A wrapped CUstream is not destroyed. The default stream, NULL, cannot be destroyed. */
GEVT_API gevt_status_t gevt_stream_destroy(gevt_stream_t s) GEVT_NOEXCEPT;

/** Creates a stream for a CUstream of the caller.
 *
 * The CUstream remains the caller's and must live as long as the handle is used. `ctx` is its context, or NULL for the current context.
 * On all backends `native` may be one of CUDA's special values: 0 and 1 are the context's default stream, and 2 is the per-thread stream
 * of the thread that uses the handle.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE The stream belongs to another context.
 * @retval GEVT_ERROR_NOT_SUPPORTED On the host and on Vulkan, `native` is not 0, 1 or 2. Use gevt_vulkan_wrap_queue() for a VkQueue. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_wrap(gevt_stream_t *out, gevt_context_t ctx, void *native) GEVT_NOEXCEPT;

/** Returns how many host functions, items and callbacks gevt runs at the same time.
 *
 * `n` is from 1 to 1,024. By default it is the number of cores that the process may use, by its affinity and its cgroup's quota, or the
 * value of the environment variable GEVT_HOST_THREADS. Functions that sleep do not count: another one runs instead, with a thread each
 * for up to 1,000 sleepers. A function that wakes up continues at once, so the limit can be exceeded briefly. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_get_threads(uint32_t *n) GEVT_NOEXCEPT;

/** Sets how many host functions, items and callbacks gevt runs at the same time.
 *
 * `n` is from 1 to 1,024, or 0 for the default. Takes effect at once. Functions that already run are not stopped.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `n` is greater than 1,024.
 * @retval GEVT_ERROR_ILLEGAL_STATE The program has set an executor. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_set_threads(uint32_t n) GEVT_NOEXCEPT;

/** Sets the program's job system. It then runs host functions, items and callbacks in place of gevt's threads.
 *
 * gevt calls `executor->submit(user, run, arg)` when work becomes ready, on the thread that made it ready, and inside `run`. Each call of `run`
 * executes ready work until none is left, and begins nothing more after 0.2 ms. It polls for some microseconds, but does not wait inside gevt.
 * `submit` must not call gevt or `run`, and must not wait for a call of `run`. If it returns another value than 0, threads of gevt's run the
 * work, and take part from then on. A function that blocks holds its thread of the job system, so functions should wait in
 * gevt_sync_helping(). `executor` is copied.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `executor` or `submit` is NULL, `threads` is greater than 1,024, or `size` is too small.
 * @retval GEVT_ERROR_ILLEGAL_STATE An executor was set before, or a stream or callback was made before. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_set_executor(const gevt_executor_t *executor) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup contexts
 *  @{ */
/** Returns the number of devices of a backend. Like cuDeviceGetCount.
 *
 * The host has 1 device, or as many as the environment variable GEVT_HOST_DEVICES says (1 to 64).
 *
 * @retval GEVT_ERROR_INVALID_VALUE `backend` is unknown, or is GEVT_BACKEND_AUTO while the variable GEVT_BACKEND names no backend.
 * @retval GEVT_ERROR_NO_DEVICE The backend has no driver or no device on this machine. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_device_count(int32_t *count, gevt_backend_t backend) GEVT_NOEXCEPT;

/** Opens a device of a backend. On CUDA like cuDevicePrimaryCtxRetain.
 *
 * `device` counts from 0. The caller closes the handle with gevt_context_close(). Opening a device twice gives two handles to one
 * context.
 *
 * @retval GEVT_ERROR_INVALID_VALUE As for gevt_device_count().
 * @retval GEVT_ERROR_NO_DEVICE As for gevt_device_count().
 * @retval GEVT_ERROR_INVALID_DEVICE The backend has no device with this number. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_open(gevt_context_t *out, gevt_backend_t backend, int32_t device) GEVT_NOEXCEPT;

/** Sets the calling thread's current context, for which NULL stands in other calls.
 *
 * NULL restores the default: the CUcontext that is current on the thread if there is one, else device 0 of GEVT_BACKEND_AUTO. The
 * thread's CUcontext does not change. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_set_current(gevt_context_t ctx) GEVT_NOEXCEPT;

/** Returns the calling thread's current context.
 *
 * If the thread has set none, the handle belongs to gevt: do not close it.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE The context that was set has been closed.
 * @retval GEVT_ERROR_INVALID_VALUE None was set, and the variable GEVT_BACKEND names no backend.
 * @retval GEVT_ERROR_NO_DEVICE None was set, and the backend that GEVT_BACKEND names has no driver or no device. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_get_current(gevt_context_t *out) GEVT_NOEXCEPT;

/** Compares a context's clock with the host's now, for gevt_host_time().
 *
 * Optional: call it where a comparison disturbs nothing. On CUDA it may wait for up to a millisecond; on Vulkan it takes one driver call;
 * on the host it does nothing. `ctx` may be NULL for the current context.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE With GEVT_DETAIL_NOT_CALIBRATED, the device was too busy.
 * @retval GEVT_ERROR_NOT_SUPPORTED The VkDevice has no calibrated timestamps. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_calibrate(gevt_context_t ctx) GEVT_NOEXCEPT;

/** Blocks until all streams of a context have finished the work queued before this call. Like cuCtxSynchronize.
 *
 * `ctx` may be NULL for the current context. The errors are those of gevt_stream_sync(), for any stream of the context. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_sync(gevt_context_t ctx) GEVT_NOEXCEPT;

/** Blocks like gevt_context_sync() until the context has finished or the timeout expires.
 *
 * `timeout_ns` is as for gevt_sync_timeout().
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired first.
 * @retval GEVT_ERROR_NOT_SUPPORTED The timeout is finite, and the CUDA driver is older than 12.5. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_sync_timeout(gevt_context_t ctx, uint64_t timeout_ns) GEVT_NOEXCEPT;

/** Closes a context handle.
 *
 * The context ends with the last of its handles, streams, events and pending waits. The call that ends a context of CUDA may block until
 * the driver has released it. A context of gevt_vulkan_wrap_device() ends with its last handle: see there. */
GEVT_API gevt_status_t gevt_context_close(gevt_context_t ctx) GEVT_NOEXCEPT;

/** Creates a context for a CUcontext of the caller.
 *
 * The CUcontext remains the caller's. If it is destroyed, or reset as a primary context, calls with its streams and events return
 * GEVT_ERROR_CONTEXT_IS_DESTROYED, and the driver sees none of their native handles. The first call that needs the driver finds this
 * out. Until then calls that need no driver succeed, such as gevt_create_in(), gevt_wrap(), and queries of events already seen complete.
 * Destroying and closing its handles succeeds. End a CUcontext only while no thread is in a call that uses it and when all callbacks
 * have run. With a driver older than CUDA 12.0, it must outlive all its handles.
 *
 * @retval GEVT_ERROR_INVALID_VALUE As for gevt_device_count(); or `native` is NULL.
 * @retval GEVT_ERROR_NO_DEVICE As for gevt_device_count(); or `native` is NULL.
 * @retval GEVT_ERROR_NOT_SUPPORTED `backend` is not CUDA. For Vulkan use gevt_vulkan_wrap_device(). */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_wrap(gevt_context_t *out, gevt_backend_t backend, void *native) GEVT_NOEXCEPT;

/** Describes a context and its device. Like cuDeviceGetName, cuDeviceGetUuid, cuDeviceGetLuid and cuDeviceGetPCIBusId. Never blocks.
 *
 * Set `info->size` to sizeof(gevt_context_info_t) first. At most that many bytes are written, and `info->size` receives their number.
 * CUDA and Vulkan give one GPU the same UUID.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `info->size` is less than that of the structure's first version. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_get_info(gevt_context_info_t *info, gevt_context_t ctx) GEVT_NOEXCEPT;

/** Returns the CUcontext or VkDevice of a context.
 *
 * The object is borrowed: do not destroy it. It lives as long as the handle.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is of the host. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_native(void **native, gevt_context_t ctx) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup ipc
 *  @{ */
/** Returns the bytes with which other processes can open an event. Like cuIpcGetEventHandle.
 *
 * The event must have been created with GEVT_EVENT_INTERPROCESS. If it is not bound yet, it is bound to the current context. The bytes
 * are the same each time, need not be released, and can be opened as long as this process keeps the event. From now on, the event's
 * state is that of the last record by any process.
 *
 * If a process ends or calls exec() before its record completes, waits on the host return GEVT_ERROR_CONTEXT_IS_DESTROYED with
 * GEVT_DETAIL_IPC_PEER_GONE within 100 ms. On CUDA they never return: use timeouts. Both processes must belong to the same user.
 * docs/INTERPROCESS.md has the limits and the costs.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE The event has no GEVT_EVENT_INTERPROCESS, or was imported.
 * @retval GEVT_ERROR_NOT_SUPPORTED The backend is Vulkan, the system is Windows, or /proc or memfd_create is missing. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_ipc_export(gevt_ipc_handle_t *handle, gevt_event_t ev) GEVT_NOEXCEPT;

/** Opens an event of another process. Like cuIpcOpenEventHandle.
 *
 * The new event has its own handle, flags and name. It can be recorded, queried and waited for, but has no timing and cannot be
 * exported. `ctx` must be of the exporter's backend; NULL is the current context. `handle` may have any alignment. Damaged or forged
 * bytes are refused.
 *
 * @retval GEVT_ERROR_INVALID_CONTEXT This process exported the event.
 * @retval GEVT_ERROR_MAP_FAILED The event cannot be opened. GEVT_DETAIL_IPC_BAD_HANDLE, GEVT_DETAIL_IPC_PEER_GONE or
 *         GEVT_DETAIL_IPC_FOREIGN_USER tells why.
 * @retval GEVT_ERROR_NOT_SUPPORTED As for gevt_ipc_export(). */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_ipc_import(gevt_event_t *out, gevt_context_t ctx, const gevt_ipc_handle_t *handle) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup vulkan
 *  @{ */
/** Creates a context for a VkDevice of the caller.
 *
 * `device` is read during the call only. All Vulkan calls go through its `get_instance_proc_addr`. gevt creates timeline semaphores,
 * query pools and command buffers, and uses only queues of gevt_vulkan_wrap_queue(). Wrapping a VkDevice twice gives two handles to one
 * context.
 *
 * The context ends when its last handle is closed, even if streams and events remain. That call waits for gevt's own submits, frees its
 * Vulkan objects, and fails blocked waits and all later calls with GEVT_ERROR_CONTEXT_IS_DESTROYED. Queued host functions do not run.
 * Before it, wait for your own submits that use a semaphore, batch or timestamp of gevt. The VkDevice must live until it returns.
 *
 * @retval GEVT_ERROR_INVALID_VALUE A pointer in `device` is NULL, its `size` is less than that of the first version, `features` has an
 *         unknown bit, or `reserved` is not 0.
 * @retval GEVT_ERROR_NOT_SUPPORTED `api_version` is less than Vulkan 1.1, timelineSemaphore is not enabled, or a function is missing.
 *         gevt_last_message() tells which. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_wrap_device(gevt_context_t *out, const gevt_vulkan_device_t *device) GEVT_NOEXCEPT;

/** Creates a stream for a VkQueue of a wrapped device.
 *
 * `queue` is read during the call only, but `lock` and `unlock` are called until the context ends. The caller destroys the stream with
 * gevt_stream_destroy(). A VkQueue may be wrapped several times with the same family and functions; its streams run in the order of
 * their submits.
 *
 * The stream knows the work that passes through gevt. If the queue has lock functions, a record and gevt_stream_sync() also wait for
 * work that the caller submitted to the VkQueue directly.
 *
 * With GEVT_VULKAN_EXPORTABLE the semaphore of gevt_vulkan_point() can be exported as VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT (on
 * Windows VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT). An importer may wait for it, and must not signal it.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `queue->queue` is NULL, its `size` is less than that of the first version, `flags` has an unknown bit,
 *         the family does not exist, only one of `lock` and `unlock` is NULL, or the VkQueue is wrapped with another family or other
 *         functions.
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is not one of gevt_vulkan_wrap_device(); or, with GEVT_VULKAN_EXPORTABLE, the device was
 *         made without VK_KHR_external_semaphore_fd (on Windows VK_KHR_external_semaphore_win32). */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_wrap_queue(gevt_stream_t *out, gevt_context_t ctx, const gevt_vulkan_queue_t *queue) GEVT_NOEXCEPT;

/** Begins a batch: a submit of the caller that also records `n` events and makes the stream's waits.
 *
 * The events are pending from this call on and complete with the submit. No event may occur twice. Set `batch->size` to
 * sizeof(gevt_vulkan_batch_t); the other fields are outputs. Then submit to the stream's VkQueue on the same thread: add `batch->waits`
 * to the waits of the first VkSubmitInfo2 and `batch->signal` to the signals of the last one. For vkQueueSubmit, `batch` has the same
 * as plain arrays. Your own waits and signals may stand beside them. Pass the result to gevt_vulkan_submit_end().
 *
 * Between the two calls the VkQueue is locked with its lock functions, or by the caller if it has none. Other threads that need the
 * VkQueue wait for the end of the batch; this thread is refused. The same applies to the device's other VkQueues with the same lock.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `batch->size` is less than that of the structure's first version, `records` is NULL, or an event is in
 *         it twice.
 * @retval GEVT_ERROR_INVALID_HANDLE An event is bound to another context.
 * @retval GEVT_ERROR_ILLEGAL_STATE An event is host-signaled. Or this thread has a batch open on the VkQueue, or on one with the same lock.
 *         Or the VkQueue has no lock, and another thread has a batch open on it.
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not of Vulkan, or an event cannot be recorded there. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_submit_begin(gevt_vulkan_batch_t *batch, gevt_stream_t s, const gevt_event_t *records, size_t n) GEVT_NOEXCEPT;

/** Ends a batch. `result` is the VkResult of the submit.
 *
 * If the submit failed, the batch's events fail with GEVT_DETAIL_SUBMIT_FAILED until they are recorded again, their waiters return, and
 * the stream continues. VK_ERROR_DEVICE_LOST marks the context as lost. If no submit was made, call gevt_vulkan_submit_cancel() instead.
 * `waits` and `signal` of the batch are no longer valid.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `batch->size` is less than that of the structure's first version.
 * @retval GEVT_ERROR_ILLEGAL_STATE The stream has no open batch with this ticket.
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not of Vulkan. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_submit_end(gevt_stream_t s, const gevt_vulkan_batch_t *batch, int32_t result) GEVT_NOEXCEPT;

/** Cancels a batch for which no submit is made.
 *
 * The batch's events fail with GEVT_ERROR_ILLEGAL_STATE and GEVT_DETAIL_SUBMIT_FAILED. Destroying the stream also cancels its open
 * batch, and calls `unlock`. So does the last close of a wrapped device's context, with GEVT_ERROR_CONTEXT_IS_DESTROYED for the events.
 *
 * @retval GEVT_ERROR_INVALID_VALUE As for gevt_vulkan_submit_end().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_vulkan_submit_end().
 * @retval GEVT_ERROR_NOT_SUPPORTED As for gevt_vulkan_submit_end(). */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_submit_cancel(gevt_stream_t s, const gevt_vulkan_batch_t *batch) GEVT_NOEXCEPT;

/** Makes the given stages of a stream's next batch wait for an event.
 *
 * Like gevt_stream_wait(), but nothing is submitted now: the wait is among the waits of the next batch, with `stages`
 * (VkPipelineStageFlags2 bits; those above bit 31 need synchronization2) as its stage mask. A submit that gevt makes before that takes
 * the wait instead, for all stages. So does a wait for an event of another context or backend, or for work that is not submitted yet.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `stages` is 0.
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not of Vulkan, or `stages` needs synchronization2. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_stream_wait(gevt_stream_t s, gevt_event_t ev, uint64_t stages) GEVT_NOEXCEPT;

/** Writes an event's timestamp into a command buffer of the caller. Like vkCmdWriteTimestamp2.
 *
 * The next batch that records the event takes its time from there: submit the command buffer with that batch. The event must have
 * timing, be bound to the command buffer's device, and live until the device has finished the command buffer. `stage` is one
 * VkPipelineStageFlags2 bit; bits beyond the 32nd need GEVT_VULKAN_SYNCHRONIZATION2. The caller keeps other threads away from the
 * command buffer and its pool.
 *
 * The call may be made inside a render pass. A timestamp holds one time, so submit the command buffer again only in a batch that was begun
 * after the event's last record completed. A batch that is begun earlier has no time.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `command_buffer` is NULL, or `stage` is not one bit.
 * @retval GEVT_ERROR_INVALID_HANDLE The event has no timing.
 * @retval GEVT_ERROR_ILLEGAL_STATE The event is not bound to a context yet.
 * @retval GEVT_ERROR_NOT_SUPPORTED The event is not of Vulkan, its device has no GEVT_VULKAN_HOST_QUERY_RESET, or `stage` needs
 *         synchronization2. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_write_time(gevt_event_t ev, struct VkCommandBuffer_T *command_buffer, uint64_t stage) GEVT_NOEXCEPT;

/** Returns the raw timestamp of an event.
 *
 * `ticks` is the device's counter, with the valid bits of the queue family that wrote it. `period` is the nanoseconds of a tick, as
 * VkPhysicalDeviceLimits::timestampPeriod.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE The event has no timing or was never recorded.
 * @retval GEVT_ERROR_NOT_READY The event is pending.
 * @retval GEVT_ERROR_ILLEGAL_STATE With GEVT_DETAIL_NO_TIME, no timestamp was written.
 * @retval GEVT_ERROR_NOT_SUPPORTED The event is not of Vulkan. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_ticks(uint64_t *ticks, double *period, gevt_event_t ev) GEVT_NOEXCEPT;

/** Returns the timeline semaphore and the value that it reaches when an event completes.
 *
 * Wait for them on the host or in a submit of any queue of the device. If a timed record follows a host function or a wait for
 * another backend's event, a submit to the queue of the record must not wait for it, because that wait would never end. The
 * semaphore belongs to gevt, lives as long as the context, and must not be signaled by others. An event that was never recorded
 * gives VK_NULL_HANDLE and 0: there is nothing to wait for.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED The event is not of Vulkan. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_point(uint64_t *semaphore, uint64_t *value, gevt_event_t ev) GEVT_NOEXCEPT;

/** Creates an event that completes when a timeline semaphore of the caller reaches a value.
 *
 * The semaphore remains the caller's and must outlive the event and all waits of the device for it. `ctx` is a context of its device, or
 * NULL for the current context. The event has no timing and cannot be recorded. A stream that waits for it makes its VkQueue wait, so a
 * signal submitted to that queue later never comes.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `semaphore` is VK_NULL_HANDLE.
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is not of Vulkan. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_wrap_point(gevt_event_t *out, gevt_context_t ctx, uint64_t semaphore, uint64_t value) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup errors
 *  @{ */
/** Returns the detail of the calling thread's last failure, or GEVT_DETAIL_NONE. Cannot fail.
 *
 * Successful calls and GEVT_ERROR_NOT_READY leave it unchanged. */
GEVT_API gevt_detail_t gevt_last_detail(void) GEVT_NOEXCEPT;

/** Returns a message about the calling thread's last failure. Cannot fail.
 *
 * The message names the function and the object, and says what is wrong and what to do. It is UTF-8, never NULL, empty if no call has
 * failed, and valid until the thread's next failure or its end. */
GEVT_API const char *gevt_last_message(void) GEVT_NOEXCEPT;

/** Returns the name of a status, such as "GEVT_ERROR_TIMEOUT". Like cuGetErrorName.
 *
 * The string is static, and "GEVT_ERROR_UNRECOGNIZED" for an unknown code. */
GEVT_API const char *gevt_status_name(gevt_status_t status) GEVT_NOEXCEPT;

/** Returns a sentence that describes a status. Like cuGetErrorString. The string is static and never NULL. */
GEVT_API const char *gevt_status_string(gevt_status_t status) GEVT_NOEXCEPT;

/** Returns the name of a detail, such as "GEVT_DETAIL_STALE_HANDLE".
 *
 * The string is static, and "GEVT_DETAIL_UNRECOGNIZED" for an unknown number. */
GEVT_API const char *gevt_detail_name(gevt_detail_t detail) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup log
 *  @{ */
/** Adds a log callback, changes its level, or removes it.
 *
 * `fn` and `user` together name one of many callbacks: a later call with both changes its level, and GEVT_LOG_OFF removes it. It gets
 * messages of `level` and of more important levels. `message` is one line of UTF-8, valid during the call.
 *
 * A callback runs on the reporting thread, and on several threads in parallel. It may call gevt; these calls are not logged and do not
 * change the last failure. A removed callback is not running on another thread when this call returns, unless a callback made the call.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `fn` is NULL, or `level` is not a level. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_set_log_callback(gevt_log_fn_t fn, void *user, gevt_log_level_t level) GEVT_NOEXCEPT;

/** Starts writing a trace of events and streams in Chrome's trace format, for Perfetto and chrome://tracing.
 *
 * `path` names a regular file, which is created or overwritten; on Windows it is UTF-8. The file is valid JSON at all times. After a
 * crash the last 10 milliseconds or so are missing. exit() ends the trace. The environment variable GEVT_TRACE=FILE traces a whole
 * program without this call. docs/TRACING.md describes the contents and the costs.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE A trace is already running.
 * @retval GEVT_ERROR_OPERATING_SYSTEM The file cannot be created or written, or another trace is being written to it. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_trace_start(const char *path) GEVT_NOEXCEPT;

/** Ends the trace and blocks until its file is written.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE No trace is running.
 * @retval GEVT_ERROR_OPERATING_SYSTEM The file could not be written to its end. The trace has ended. */
GEVT_NODISCARD GEVT_API gevt_status_t gevt_trace_stop(void) GEVT_NOEXCEPT;

/** @} */
/** @addtogroup version
 *  @{ */
/** Returns the version of the loaded library: major * 10000 + minor * 100 + patch. Compare it with GEVT_VERSION. Cannot fail. */
GEVT_API uint32_t gevt_version(void) GEVT_NOEXCEPT;

/** Returns the version of the loaded library as a static string, such as "0.2.0". Cannot fail. */
GEVT_API const char *gevt_version_string(void) GEVT_NOEXCEPT;

/** Returns the number of events that exist in this process, for leak checks. Cannot fail. It is 0 in a forked child and during exit. */
GEVT_API size_t gevt_live_events(void) GEVT_NOEXCEPT;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* GEVT_H */
