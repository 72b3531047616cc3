/**
 * @mainpage gevt: GPU events behind a C ABI
 *
 * An event marks a point in a stream of asynchronous work. A program can ask whether the stream has reached the event, block
 * until it has, make another stream wait for it, and measure the time between two events. gevt runs on CUDA, on Vulkan, and on
 * a host backend that needs no GPU.
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
 * ### Contents
 *
 * - Events: gevt_create(), gevt_record(), gevt_query(), gevt_sync(), gevt_elapsed(), gevt_destroy()
 * - Waiting for several events, with a timeout, or at work: gevt_sync_timeout(), gevt_sync_all(), gevt_sync_any(), gevt_sync_helping()
 * - Events that the program completes: gevt_signal(), gevt_reset()
 * - More about events: gevt_create_in(), gevt_on_complete(), gevt_get_info(), gevt_set_name()
 * - Streams: gevt_stream_create(), gevt_stream_launch(), gevt_stream_wait(), gevt_stream_sync(), gevt_stream_destroy()
 * - Functions of streams on many threads: gevt_stream_launch_n(), gevt_host_set_threads()
 * - Contexts, the devices of a backend: gevt_context_open(), gevt_context_set_current(), gevt_context_close()
 * - CUDA objects of the program: gevt_wrap(), gevt_stream_wrap(), gevt_context_wrap()
 * - What is behind a handle: gevt_context_get_info(), gevt_stream_get_info(), gevt_context_native(), gevt_stream_native(), gevt_native()
 * - Vulkan devices and queues of the program: gevt_vulkan_wrap_device(), gevt_vulkan_wrap_queue(), gevt_vulkan_submit_begin()
 * - Events between processes: gevt_ipc_export(), gevt_ipc_import()
 * - Errors: gevt_last_detail(), gevt_last_message(), gevt_status_name(), gevt_status_string()
 * - Log and trace: gevt_set_log_callback(), gevt_trace_start(), gevt_trace_stop()
 * - The library: gevt_version(), gevt_live_events()
 * - Constants: flags, states, backends, statuses, details
 *
 * ### Conventions
 *
 * They apply to every function unless its comment says otherwise.
 *
 * - **Results.** A function returns GEVT_SUCCESS (0) or an error, whose number is CUDA's. gevt_last_detail() and
 *   gevt_last_message() tell more about the calling thread's last failure. GEVT_ERROR_NOT_READY is an answer, not a failure.
 *   The comments list the errors that gevt itself returns. On CUDA a function may return any code of the driver, with
 *   GEVT_DETAIL_BACKEND, and the error that a context cannot recover from, with GEVT_DETAIL_CONTEXT_LOST. GEVT_ERROR_UNKNOWN
 *   with GEVT_DETAIL_INTERNAL is a bug in gevt.
 * - **Errors of every function.** The comments do not repeat these: GEVT_ERROR_INVALID_HANDLE for a handle that is not live,
 *   GEVT_ERROR_INVALID_VALUE for a NULL output, GEVT_ERROR_OUT_OF_MEMORY if memory, handles, threads or file descriptors have run out,
 *   GEVT_ERROR_CONTEXT_IS_DESTROYED if the context was destroyed, and the errors of gevt_context_get_current() if NULL stands for the
 *   current context or its default stream.
 * - **Memory.** gevt_create(), gevt_record(), gevt_query(), gevt_sync(), gevt_elapsed() and gevt_destroy() survive failed allocations in a
 *   context that is open. Other functions may end the process if the system has no memory.
 * - **Outputs** are the first parameters, and are written only on success. A NULL output is GEVT_ERROR_INVALID_VALUE.
 * - **Pointers** must be NULL or valid for the whole call. gevt keeps none of them, except `user` arguments.
 * - **Handles** look like pointers but are numbers, which are never dereferenced. A handle that is NULL, stale, of the wrong kind
 *   or made up is GEVT_ERROR_INVALID_HANDLE, and the detail says which. A NULL stream is the default stream of the calling
 *   thread's current context, see gevt_context_set_current().
 * - **Ownership.** Whoever creates, opens, wraps or imports an object destroys or closes its handle once, from any thread. An
 *   event outlives its stream, and a stream its context handle, except that a context of gevt_vulkan_wrap_device() ends with its last handle.
 * - **Threads.** Any thread may call any function at any time, also on the same object. Signal handlers may call none. The thread that
 *   calls gevt_vulkan_submit_begin() calls gevt_vulkan_submit_end() or gevt_vulkan_submit_cancel() as well.
 * - **Order.** The functions of gevt_stream_launch() run in stream order: they return before an event behind them completes and
 *   before gevt_sync() or gevt_stream_sync() returns. The callbacks of gevt_on_complete() are not part of a stream: they may run
 *   after such a wait has returned, in any order and in parallel.
 * - **Callbacks and host functions** run on threads of gevt's, and on those that call gevt_sync_helping(), and may call gevt.
 *   gevt's threads block all signals except SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP. No exception and no longjmp may leave the functions.
 * - **Exit.** Once exit() runs the handlers that gevt registered at its first use, destroy and close functions succeed and do
 *   nothing, and all others return GEVT_ERROR_DEINITIALIZED; so do waits that are blocked at that moment, unless they wait inside
 *   the CUDA driver. The library stays loaded after dlclose(). On Windows this begins when the program's own exit handlers have run
 *   and its other threads have ended, and the last 50 milliseconds or so of a trace are missing.
 * - **Fork.** In a forked child destroy and close functions succeed and do nothing, and all others return
 *   GEVT_ERROR_NOT_INITIALIZED. After exec() the new program can use gevt.
 *
 * For C++17, gevt.hpp has the same functions with owners, references, durations and exceptions or std::error_code.
 */

/**
 * @file gevt.h
 * GPU events: all functions, types and constants of the C API.
 */

#ifndef GEVT_H
#define GEVT_H

/* Generated from src/ by ci/header.sh. Do not edit. */

#include <stddef.h>
#include <stdint.h>

/**
 * @addtogroup version
 * @{
 */

/** The major version of this header. */
#define GEVT_VERSION_MAJOR 0
/** The minor version of this header. */
#define GEVT_VERSION_MINOR 2
/** The patch version of this header. */
#define GEVT_VERSION_PATCH 0

/**
 * The version of this header, with the number that gevt_version() returns for the library.
 *
 * A program compares versions when it is compiled and when it runs:
 *
 * @code{.c}
 * #if GEVT_VERSION < 100
 * #error "this program needs gevt 0.2.0 or newer"
 * #endif
 *
 * if (gevt_version() < GEVT_VERSION) {
 *     fprintf(stderr, "gevt %s is older than the one this program was built with\n", gevt_version_string());
 * }
 * @endcode
 */
#define GEVT_VERSION (GEVT_VERSION_MAJOR * 10000 + GEVT_VERSION_MINOR * 100 + GEVT_VERSION_PATCH)

/**
 * Makes a compiler warn if a program ignores the result. Define it as empty before including this header to turn that off.
 */
#ifndef GEVT_NODISCARD
#if defined(__cplusplus) && __cplusplus >= 201703L
#define GEVT_NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define GEVT_NODISCARD __attribute__((warn_unused_result))
#else
#define GEVT_NODISCARD
#endif
#endif

/**
 * noexcept in C++, as no function throws. Empty in C.
 */
#ifdef __cplusplus
#define GEVT_NOEXCEPT noexcept
#else
#define GEVT_NOEXCEPT
#endif

/** @} */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @addtogroup types
 * @{
 */

/**
 * The result of a call: GEVT_SUCCESS or an error code.
 *
 * The numbers are those of CUresult. A code that a newer driver adds is returned unchanged, so treat every value other than
 * GEVT_SUCCESS and GEVT_ERROR_NOT_READY as a failure.
 */
typedef int32_t gevt_status_t;

/** The cause behind a status; see gevt_last_detail(). */
typedef int32_t gevt_detail_t;

/** A handle to an event. The value is a number, not an address, and is never reused within a process. */
typedef struct gevt_event_s *gevt_event_t;

/** A handle to a stream. NULL is the default stream of the calling thread's current context. */
typedef struct gevt_stream_s *gevt_stream_t;

/** A handle to a context, which is one device of one backend. */
typedef struct gevt_context_s *gevt_context_t;

/** A backend: one of the GEVT_BACKEND_... values. */
typedef uint32_t gevt_backend_t;

/** The state of an event: one of the GEVT_STATE_... values. See gevt_get_info(). */
typedef uint32_t gevt_event_state_t;

/** The importance of a log message: one of the GEVT_LOG_... values. */
typedef uint32_t gevt_log_level_t;

/** A function that runs in stream order; see gevt_stream_launch(). No exception and no longjmp may leave it. */
typedef void (*gevt_host_fn_t)(void *user);

/**
 * A function for gevt_stream_launch_n(), which is called once for each item. `user` is what it was given with, `item` the number of the
 * item, and `worker` that of the thread among those that run items of the launch.
 *
 * It must return: no exception and no longjmp may leave it.
 */
typedef void (*gevt_item_fn_t)(void *user, size_t item, uint32_t worker);

/**
 * A function that gevt calls when an event completes or fails; see gevt_on_complete(). No exception and no longjmp may leave
 * it.
 */
typedef void (*gevt_complete_fn_t)(void *user, gevt_status_t status);

/** A function that receives log messages; see gevt_set_log_callback(). */
typedef void (*gevt_log_fn_t)(void *user, gevt_log_level_t level, const char *message);

/** The size of gevt_event_info_t::name in bytes, including the terminating NUL. */
#define GEVT_NAME_SIZE 64

/** A description of an event, filled in by gevt_get_info(). Later versions may add fields at the end. */
typedef struct gevt_event_info_t {
    /** Set by the caller to sizeof(gevt_event_info_t). Receives the number of bytes written. */
    size_t size;
    /** The flags with which the event was created. */
    uint32_t flags;
    /** The state of the event. */
    gevt_event_state_t state;
    /** The backend; GEVT_BACKEND_AUTO if the event is not bound to a context yet. */
    gevt_backend_t backend;
    /** The device number; -1 if the event is not bound yet. */
    int32_t device;
    /** The context handle through which the event was bound, even if it has been closed since; NULL if not bound yet. */
    gevt_context_t context;
    /** 1 if the event was imported from another process, else 0. */
    uint32_t imported;
    /** Always 0. */
    uint32_t reserved;
    /** The number of records made through gevt, including failed ones, and of calls of gevt_reset(). */
    uint64_t record_count;
    /** The name in UTF-8, NUL-terminated; empty if the event has none. */
    char name[GEVT_NAME_SIZE];
} gevt_event_info_t;

/** The size of gevt_context_info_t::name in bytes, including the terminating NUL. */
#define GEVT_DEVICE_NAME_SIZE 256

/** gevt_context_info_t::uuid is known. */
#define GEVT_CONTEXT_HAS_UUID 0x1

/** gevt_context_info_t::luid and luid_node_mask are known. */
#define GEVT_CONTEXT_HAS_LUID 0x2

/** The pci_... fields of gevt_context_info_t are known. */
#define GEVT_CONTEXT_HAS_PCI 0x4

/** The queue family of a stream that has no queue. */
#define GEVT_NO_QUEUE_FAMILY 0xffffffff

/** A description of a context and its device, filled in by gevt_context_get_info(). Later versions may add fields at the end. */
typedef struct gevt_context_info_t {
    /** Set by the caller to sizeof(gevt_context_info_t). Receives the number of bytes written. */
    size_t size;
    /** The backend. */
    gevt_backend_t backend;
    /** The device number; -1 if the backend does not list the device. */
    int32_t device;
    /** GEVT_CONTEXT_HAS_... bits: which of the following are known. The others are 0. */
    uint32_t known;
    /** The device's bit in the node mask of its LUID. */
    uint32_t luid_node_mask;
    /** The UUID of the device, the same in CUDA and in Vulkan. */
    uint8_t uuid[16];
    /** The locally unique identifier of the device, on Windows. */
    uint8_t luid[8];
    /** The PCI domain. */
    uint32_t pci_domain;
    /** The PCI bus. */
    uint32_t pci_bus;
    /** The PCI device. */
    uint32_t pci_device;
    /** The PCI function. */
    uint32_t pci_function;
    /** The name that the driver gives the device, in UTF-8, NUL-terminated; "host" for the host. */
    char name[GEVT_DEVICE_NAME_SIZE];
} gevt_context_info_t;

/** A description of a stream, filled in by gevt_stream_get_info(). Later versions may add fields at the end. */
typedef struct gevt_stream_info_t {
    /** Set by the caller to sizeof(gevt_stream_info_t). Receives the number of bytes written. */
    size_t size;
    /** The context handle with which the stream was made, even if it has been closed since. */
    gevt_context_t context;
    /** The backend. */
    gevt_backend_t backend;
    /** The device number; -1 if the backend does not list the device. */
    int32_t device;
    /** The flags with which the stream was created; 0 for default streams and for streams of the caller. */
    uint32_t flags;
    /** On Vulkan the queue family of the stream's queue; GEVT_NO_QUEUE_FAMILY on the other backends. */
    uint32_t queue_family;
    /** The name in UTF-8, NUL-terminated; empty if the stream has none. */
    char name[GEVT_NAME_SIZE];
} gevt_stream_info_t;

/** The size of gevt_ipc_handle_t in bytes. */
#define GEVT_IPC_HANDLE_SIZE 64

/**
 * The bytes that identify an event to another process; see gevt_ipc_export(). They may be copied, sent and stored, and are
 * valid as long as the exporting process runs and keeps the event.
 */
typedef struct gevt_ipc_handle_t {
    /** Opaque. */
    uint8_t bytes[GEVT_IPC_HANDLE_SIZE];
} gevt_ipc_handle_t;

/**
 * A VkDevice of the program's; see gevt_vulkan_wrap_device(). What a device was made with cannot be asked for later, so the
 * program says it here. Later versions may add fields at the end.
 */
typedef struct gevt_vulkan_device_t {
    /** Set by the caller to sizeof(gevt_vulkan_device_t). */
    size_t size;
    /** The VkInstance. */
    void *instance;
    /** The VkPhysicalDevice. */
    void *physical_device;
    /** The VkDevice. */
    void *device;
    /** The vkGetInstanceProcAddr through which the program calls Vulkan. */
    void *get_instance_proc_addr;
    /** The VkApplicationInfo::apiVersion of the instance, or the device's version if that is less. */
    uint32_t api_version;
    /** The number of extensions. */
    uint32_t extension_count;
    /**
     * The VkDeviceCreateInfo::ppEnabledExtensionNames of the device. Of interest are VK_EXT_calibrated_timestamps and
     * VK_KHR_calibrated_timestamps, which put the device's times on the host's clock in traces.
     */
    const char *const *extensions;
    /** The features that were enabled: GEVT_VULKAN_TIMELINE_SEMAPHORE and others. */
    uint32_t features;
    /** Set to 0. */
    uint32_t reserved;
} gevt_vulkan_device_t;

/** A function that locks or unlocks a VkQueue; see gevt_vulkan_queue_t. */
typedef void (*gevt_vulkan_lock_fn_t)(void *user);

/**
 * A VkQueue of the program's; see gevt_vulkan_wrap_queue(). Later versions may add fields at the end.
 *
 * A VkQueue may be used by one thread at a time. gevt calls `lock` before it submits to the queue and `unlock` afterwards, on the
 * same thread but for a batch that gevt_stream_destroy() takes back, and waits for nothing in between. Do not call gevt with the
 * lock held, except between gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(), which hold it; `lock` and `unlock` call
 * nothing of gevt's. If both are NULL, the stream only takes batches and waits, gevt_record() is not supported, and the caller
 * keeps other threads away from the queue during a batch.
 */
typedef struct gevt_vulkan_queue_t {
    /** Set by the caller to sizeof(gevt_vulkan_queue_t). */
    size_t size;
    /** The VkQueue. */
    void *queue;
    /** The queue family of the VkQueue. */
    uint32_t family;
    /** 0 or GEVT_VULKAN_COLLECT_WAITS. */
    uint32_t flags;
    /** Locks the queue for the calling thread; or NULL. */
    gevt_vulkan_lock_fn_t lock;
    /** Unlocks the queue; or NULL. */
    gevt_vulkan_lock_fn_t unlock;
    /** The argument of both functions. */
    void *user;
} gevt_vulkan_queue_t;

/** An open batch; see gevt_vulkan_submit_begin(). Later versions may add fields at the end. */
typedef struct gevt_vulkan_batch_t {
    /** Set by the caller to sizeof(gevt_vulkan_batch_t). */
    size_t size;
    /** A VkSemaphoreSubmitInfo[wait_count], for the submit's waits. Valid until gevt_vulkan_submit_end(). */
    const void *waits;
    /** The number of waits; may be 0. */
    uint32_t wait_count;
    /** Set to 0. */
    uint32_t reserved;
    /** One VkSemaphoreSubmitInfo, for the submit's signals. Valid until gevt_vulkan_submit_end(). */
    const void *signal;
    /** Names the batch. */
    uint64_t ticket;
} gevt_vulkan_batch_t;

/** @} */

/**
 * @addtogroup events
 * @{
 */

/**
 * Creates an event. Follows cuEventCreate.
 *
 * An event belongs to no context at first, and this call touches no device. The first record binds the event to the context of
 * that stream, for good. With GEVT_EVENT_HOST_SIGNALED it belongs to the host backend at once, see gevt_signal(). `out` receives a
 * handle that the caller destroys with gevt_destroy(). `flags` is a combination of GEVT_EVENT_... bits.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out` is NULL, `flags` has an unknown bit, or GEVT_EVENT_INTERPROCESS is set without
 *         GEVT_EVENT_DISABLE_TIMING.
 */
GEVT_NODISCARD gevt_status_t gevt_create(gevt_event_t *out, uint32_t flags) GEVT_NOEXCEPT;

/**
 * Records an event on a stream: the event completes when the stream has done everything that it was given before this call.
 * Follows cuEventRecord.
 *
 * Replaces the last record; waits that were already issued keep the record that they were issued for. Does not block. Several
 * threads may record one event at once; one of their records is then the last.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `ev` is not a live event, `s` is neither NULL nor a live stream, or the event is
 *         bound to another context than the stream's.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory left. On the host backend also if 255 records of one
 *         GEVT_EVENT_INTERPROCESS event are pending, or if 125 running processes have recorded it.
 * @retval GEVT_ERROR_NOT_SUPPORTED On Vulkan, the queue was wrapped without lock functions, or the event is
 *         GEVT_EVENT_INTERPROCESS or a point of gevt_vulkan_wrap_point().
 * @retval GEVT_ERROR_ILLEGAL_STATE The event was created with GEVT_EVENT_HOST_SIGNALED. On Vulkan also if this thread
 *         has a batch open on the queue.
 */
GEVT_NODISCARD gevt_status_t gevt_record(gevt_event_t ev, gevt_stream_t s) GEVT_NOEXCEPT;

/**
 * Returns whether the event's last record is complete. Follows cuEventQuery.
 *
 * Does not block. Once the record is known to be complete, the answer comes from memory, without a call into the driver.
 *
 * @retval GEVT_SUCCESS The record is complete, or the event was never recorded.
 * @retval GEVT_ERROR_NOT_READY The record is pending.
 * @retval GEVT_ERROR_ILLEGAL_STATE A GEVT_EVENT_STRICT event was never recorded.
 * @retval GEVT_ERROR_CAPTURED_EVENT The event was last recorded in a stream capture.
 * @return The status of gevt_signal(), with GEVT_DETAIL_EVENT_FAILED: the event was signalled with a failure, or was
 *         recorded behind a wait for such an event.
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED The context was destroyed. With GEVT_DETAIL_IPC_PEER_GONE: the process that
 *         made the last record has ended, see gevt_ipc_export().
 */
GEVT_NODISCARD gevt_status_t gevt_query(gevt_event_t ev) GEVT_NOEXCEPT;

/**
 * Blocks until the event's last record is complete. Follows cuEventSynchronize.
 *
 * The record is the last one at the time of this call. Returns at once if it is complete or if the event was never recorded. The
 * event may be destroyed during the call, which then still waits for the record. On the host backend the thread spins for some
 * microseconds before it sleeps; on CUDA it waits as the driver does. With GEVT_EVENT_BLOCKING_SYNC it sleeps at once on both.
 *
 * Everything that the stream was given before the record has finished when the call returns: functions of gevt_stream_launch()
 * have returned. Callbacks of gevt_on_complete() may still run or may not have started. What CUDA kernels have printed appears at the
 * latest when gevt_stream_sync() or gevt_context_sync() returns: if the event is complete already, cuEventSynchronize is not called.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE A GEVT_EVENT_STRICT event was never recorded. With GEVT_DETAIL_WOULD_DEADLOCK: the
 *         call comes from a host function of a host or Vulkan stream, and the event was recorded on that stream after
 *         the function. Other waits that can never end are not detected.
 * @retval GEVT_ERROR_CAPTURED_EVENT The event was last recorded in a stream capture.
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
 */
GEVT_NODISCARD gevt_status_t gevt_sync(gevt_event_t ev) GEVT_NOEXCEPT;

/**
 * Computes the time between two events in milliseconds. Follows cuEventElapsedTime.
 *
 * `ms` receives the time from the completion of `start` to that of `end`; it is negative if `end` came first. The resolution is
 * a nanosecond on the host backend and that of the driver on CUDA. Does not block. The errors up to
 * GEVT_ERROR_CAPTURED_EVENT are checked in the order of this list.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `start` or `end` is not a live event, they are bound to different contexts, one has
 *         no timing, or one was never recorded.
 * @retval GEVT_ERROR_CAPTURED_EVENT An event was last recorded in a stream capture.
 * @retval GEVT_ERROR_NOT_READY An event is pending.
 * @retval GEVT_ERROR_ILLEGAL_STATE On Vulkan, with GEVT_DETAIL_NO_TIME, no timestamp was written for a record.
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query(), for either event.
 */
GEVT_NODISCARD gevt_status_t gevt_elapsed(float *ms, gevt_event_t start, gevt_event_t end) GEVT_NOEXCEPT;

/**
 * Destroys an event. Follows cuEventDestroy.
 *
 * Never blocks and cancels nothing: stream waits and callbacks that were issued for the event remain, and a thread that is inside
 * a call with the event gets its result. A thread that waits for a host-signalled event which was not signalled gets
 * GEVT_ERROR_CONTEXT_IS_DESTROYED. Later calls with the handle fail. In a forked child and during exit the call succeeds
 * and does nothing.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `ev` is not a live event.
 */
gevt_status_t gevt_destroy(gevt_event_t ev) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup waits
 * @{
 */

/**
 * Blocks until the event's last record is complete or the timeout expires. Otherwise like gevt_sync().
 *
 * `timeout_ns` is in nanoseconds. 0 checks once and does not block; GEVT_TIMEOUT_INFINITE never expires.
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired.
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_sync().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_sync().
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_sync().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_sync().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
 */
GEVT_NODISCARD gevt_status_t gevt_sync_timeout(gevt_event_t ev, uint64_t timeout_ns) GEVT_NOEXCEPT;

/**
 * Blocks until the event's last record is complete or the timeout expires, and meanwhile runs functions of host streams and callbacks on the
 * calling thread. Otherwise like gevt_sync_timeout().
 *
 * Only for a thread that holds no lock, and is in no state, that such functions may need: any function of any host stream may run inside
 * this call, with `worker` numbers of gevt_stream_launch_n() as on any other thread. The thread runs functions while fewer than
 * gevt_host_get_threads() run; inside a host function it counts as one of them already. The call returns when the event is
 * complete and the function that it runs has returned, which may be later than the timeout.
 *
 * Inside a function that runs inside this call it may be called again, up to 4 deep on one thread; deeper, it only waits. If the call is
 * made in a host function, a function that runs inside it cannot wait for what comes after that host function in its stream: the wait is
 * refused with GEVT_DETAIL_WOULD_DEADLOCK.
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired.
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_sync().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_sync().
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_sync().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_sync().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
 */
GEVT_NODISCARD gevt_status_t gevt_sync_helping(gevt_event_t ev, uint64_t timeout_ns) GEVT_NOEXCEPT;

/**
 * Blocks until each of `n` events is complete or has failed, or the timeout expires.
 *
 * `evs` is an array of `n` handles; it may be NULL if `n` is 0, which succeeds. `timeout_ns` is as for gevt_sync_timeout(). All
 * handles are checked before the call blocks. An event that has failed does not end the call while others are pending. If several have
 * failed, the result is that of the first one in the array.
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired.
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_sync().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_sync().
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_sync().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_sync().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
 */
GEVT_NODISCARD gevt_status_t gevt_sync_all(const gevt_event_t *evs, size_t n, uint64_t timeout_ns) GEVT_NOEXCEPT;

/**
 * Blocks until one of `n` events is complete or the timeout expires.
 *
 * `index` receives the position in `evs` of an event that is complete, the lowest one if there are several. `evs` is an array of
 * `n` handles. `timeout_ns` is as for gevt_sync_timeout(). All handles are checked before the call blocks. An event that has failed ends
 * the call with its status, unless one before it in the array is complete; `index` then receives the position of the event that
 * failed. No other error writes `index`.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `index` or `evs` is NULL, or `n` is 0.
 * @retval GEVT_ERROR_TIMEOUT The timeout expired.
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_sync(), for the first event that fails.
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_sync(), for the first event that fails.
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_sync(), for the first event that fails.
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_sync(); with GEVT_DETAIL_WOULD_DEADLOCK only if all of the events were
 *         recorded after the calling host function on its own stream.
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query(), for the first event that fails.
 */
GEVT_NODISCARD gevt_status_t gevt_sync_any(size_t *index, const gevt_event_t *evs, size_t n, uint64_t timeout_ns) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup more
 * @{
 */

/**
 * Creates an event that is bound to a context from the start.
 *
 * `out` receives a handle that the caller destroys. `ctx` may be NULL for the calling thread's current context. `flags` is a
 * combination of GEVT_EVENT_... bits.
 *
 * @retval GEVT_ERROR_INVALID_VALUE As for gevt_create().
 * @retval GEVT_ERROR_NOT_SUPPORTED `flags` has GEVT_EVENT_HOST_SIGNALED, and `ctx` is not a context of the host.
 */
GEVT_NODISCARD gevt_status_t gevt_create_in(gevt_event_t *out, gevt_context_t ctx, uint32_t flags) GEVT_NOEXCEPT;

/**
 * Records an event on a stream, with flags. Follows cuEventRecordWithFlags.
 *
 * `flags` is GEVT_RECORD_DEFAULT, or GEVT_RECORD_EXTERNAL on a stream that is being captured.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `flags` has an unknown bit.
 * @retval GEVT_ERROR_ILLEGAL_STATE GEVT_RECORD_EXTERNAL was used on a stream that is not being captured. Otherwise as
 *         for gevt_record().
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_record().
 * @retval GEVT_ERROR_OUT_OF_MEMORY As for gevt_record().
 * @retval GEVT_ERROR_NOT_SUPPORTED As for gevt_record().
 */
GEVT_NODISCARD gevt_status_t gevt_record_with_flags(gevt_event_t ev, gevt_stream_t s, uint32_t flags) GEVT_NOEXCEPT;

/**
 * Completes an event that was created with GEVT_EVENT_HOST_SIGNALED.
 *
 * `status` is GEVT_SUCCESS, or the failure that everybody gets who waits for the event: gevt_query() and the sync functions return it,
 * callbacks are called with it, and what a stream records behind a wait for the event fails with it, until gevt_stream_sync()
 * or gevt_context_sync() has returned it. Does not block. Any thread may call it, also host functions and callbacks.
 *
 * A host-signalled event is pending from its creation on, and again after gevt_reset(). It needs no stream and is bound to the host
 * backend: to its first device by gevt_create(), to that of the context by gevt_create_in(). Its time is that of the signal. It
 * cannot be recorded; every other function takes it. If it is destroyed before it was signalled, those who wait for it get
 * GEVT_ERROR_CONTEXT_IS_DESTROYED. gevt cannot see who is going to signal it: a thread that waits for a signal of its own waits
 * for ever, and so does a stream that waits for a signal by a function that it has been given after the wait.
 *
 * Other processes can wait for a host-signalled event that was created with GEVT_EVENT_INTERPROCESS, see gevt_ipc_export(). Only the process
 * that created it signals it. If that process ends before, they get GEVT_ERROR_CONTEXT_IS_DESTROYED.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `status` is GEVT_ERROR_NOT_READY or GEVT_ERROR_TIMEOUT, which say that an event is
 *         pending.
 * @retval GEVT_ERROR_ILLEGAL_STATE The event was created without GEVT_EVENT_HOST_SIGNALED, or has been signalled
 *         already.
 */
GEVT_NODISCARD gevt_status_t gevt_signal(gevt_event_t ev, gevt_status_t status) GEVT_NOEXCEPT;

/**
 * Makes an event that was created with GEVT_EVENT_HOST_SIGNALED pending again.
 *
 * Waits that were issued before keep the signal that they were issued for, or its failure. Does nothing to an event that was not
 * signalled yet.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE The event was created without GEVT_EVENT_HOST_SIGNALED.
 */
GEVT_NODISCARD gevt_status_t gevt_reset(gevt_event_t ev) GEVT_NOEXCEPT;

/**
 * Computes the time between two events in nanoseconds, without rounding it to a float. Otherwise like gevt_elapsed().
 *
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_elapsed().
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_elapsed().
 * @retval GEVT_ERROR_NOT_READY As for gevt_elapsed().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_elapsed().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_elapsed().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_elapsed().
 */
GEVT_NODISCARD gevt_status_t gevt_elapsed_ns(int64_t *ns, gevt_event_t start, gevt_event_t end) GEVT_NOEXCEPT;

/**
 * Computes the times between many pairs of events, like gevt_elapsed_ns() for each, in one call.
 *
 * `starts` and `ends` are arrays of `n` handles. `statuses[i]` receives what gevt_elapsed_ns() returns for `starts[i]` and `ends[i]`;
 * `ns[i]` receives the time if that is GEVT_SUCCESS, and is not written otherwise. A pair without a time does not fail the call.
 * gevt_last_detail() does not speak of single pairs. The four arrays must not overlap; they may be NULL if `n` is 0.
 *
 * Never blocks. On Vulkan one vkGetQueryPoolResults reads all timestamps that lie next to each other in a query pool, as those of
 * events do whose first timestamps were written one after the other.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `ns`, `statuses`, `starts` or `ends` is NULL, or `n` is too large for an array.
 */
GEVT_NODISCARD gevt_status_t gevt_elapsed_n(int64_t *ns, gevt_status_t *statuses, const gevt_event_t *starts, const gevt_event_t *ends, size_t n) GEVT_NOEXCEPT;

/**
 * Returns when an event completed, on the host's clock, so that events of different contexts and backends can be compared.
 *
 * `ns` receives the nanoseconds that CLOCK_MONOTONIC showed when the event's last record completed; `error_ns` receives how far that may
 * be wrong, up or down. On the host backend, and for GEVT_EVENT_HOST_SIGNALED, the time was read from that clock and the error is 0. On
 * CUDA and Vulkan the device's clock is compared with the host's at the first use, and again when the last comparison is more than
 * a second old. The error is that of the comparison and of the device's resolution, and a two-thousandth of the time between
 * comparison and event: it holds unless the clocks drift apart faster than that, or one is set. So it is smallest for an event that
 * completed lately. The comparison on
 * CUDA records an event on a stream of gevt's own and waits for it, for a millisecond at most.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `ev` is not a live event, has no timing, or was never recorded.
 * @retval GEVT_ERROR_CAPTURED_EVENT The event was last recorded in a stream capture.
 * @retval GEVT_ERROR_NOT_READY The event is pending.
 * @retval GEVT_ERROR_ILLEGAL_STATE With GEVT_DETAIL_NO_TIME, no timestamp was written for the record, or on CUDA the
 *         device was too busy to compare the clocks.
 * @retval GEVT_ERROR_NOT_SUPPORTED The event's VkDevice has neither VK_KHR_calibrated_timestamps nor
 *         VK_EXT_calibrated_timestamps.
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_query().
 */
GEVT_NODISCARD gevt_status_t gevt_host_time(int64_t *ns, uint64_t *error_ns, gevt_event_t ev) GEVT_NOEXCEPT;

/**
 * Calls `fn(user, status)` once when the event's last record completes or fails.
 *
 * The record is the last one at the time of this call; a later record, or destroying the event, changes nothing. If the record is
 * complete already, the callback runs right away. `status` is GEVT_SUCCESS, or the reason for which the event cannot complete.
 *
 * The callback runs on a thread of gevt's, never on the caller's, and may call any gevt function and block. Callbacks are not
 * part of a stream: gevt_sync() and everything behind the record in its stream may finish before, during or after the callback,
 * and callbacks run in no particular order and in parallel. gevt_stream_launch() runs a function in stream order. A callback that
 * has not started when the process exits does not run.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_query().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_query().
 * @retval GEVT_ERROR_CAPTURED_EVENT As for gevt_query().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_query().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: the event has failed already, as for gevt_query(); `fn` is not
 *         called.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory or thread left to run the callback.
 */
GEVT_NODISCARD gevt_status_t gevt_on_complete(gevt_event_t ev, gevt_complete_fn_t fn, void *user) GEVT_NOEXCEPT;

/**
 * Describes an event and its state. Does not block.
 *
 * The caller sets `info->size` to sizeof(gevt_event_info_t). At most that many bytes are written, and `info->size` receives their
 * number. A program and a library built with different versions of this header therefore work together.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `info` is NULL, or `info->size` is less than 12.
 */
GEVT_NODISCARD gevt_status_t gevt_get_info(gevt_event_info_t *info, gevt_event_t ev) GEVT_NOEXCEPT;

/**
 * Names an event. Messages, traces and gevt_get_info() show the name.
 *
 * `name` is a string in UTF-8, which is copied. Names longer than 63 bytes are cut at a character. NULL or an empty string
 * removes the name.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `name` is not valid UTF-8.
 */
GEVT_NODISCARD gevt_status_t gevt_set_name(gevt_event_t ev, const char *name) GEVT_NOEXCEPT;

/**
 * Creates a handle for a CUevent that the caller owns.
 *
 * `out` receives a handle that the caller destroys; the CUevent remains the caller's and must live as long as the handle is used.
 * `ctx` is the event's context; NULL is the calling thread's current context. `flags` are the flags with which the CUevent was
 * created; one that cuIpcOpenEventHandle opened has GEVT_EVENT_INTERPROCESS and GEVT_EVENT_DISABLE_TIMING. Others may record the
 * CUevent, so every query asks the driver. gevt cannot detect a CUevent that was destroyed while its context lives on.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out` or `native` is NULL, or `flags` is invalid, as for gevt_create(), or has
 *         GEVT_EVENT_HOST_SIGNALED.
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is one of the host or of Vulkan, which have no native events.
 */
GEVT_NODISCARD gevt_status_t gevt_wrap(gevt_event_t *out, gevt_context_t ctx, void *native, uint32_t flags) GEVT_NOEXCEPT;

/**
 * Returns the CUevent behind an event, for use in a graph node, in a launch attribute or by another library.
 *
 * `native` receives the CUevent. It belongs to gevt, which destroys it, and lives as long as the event. Others may record it from
 * now on, so every query asks the driver.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE The event is not bound to a context yet.
 * @retval GEVT_ERROR_NOT_SUPPORTED The event is bound to the host or to Vulkan, which have no native events; see
 *         gevt_vulkan_point().
 */
GEVT_NODISCARD gevt_status_t gevt_native(void **native, gevt_event_t ev) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup streams
 * @{
 */

/**
 * Creates a stream, whose work runs in the order in which it was given. Follows cuStreamCreate.
 *
 * `out` receives a handle that the caller destroys with gevt_stream_destroy(). `ctx` may be NULL for the calling thread's current
 * context. `flags` is GEVT_STREAM_DEFAULT or GEVT_STREAM_NON_BLOCKING. A stream that is not GEVT_STREAM_NON_BLOCKING waits for
 * what the context's default stream was given before, and the default stream waits for it.
 *
 * On Vulkan the flag makes no difference: the default stream is a stream like the others and orders nothing. Streams take the queues
 * of the device in turn; in a context of gevt_vulkan_wrap_device() these are the wrapped queues that have lock functions. Streams
 * that share a queue may wait for each other's work, but not for each other's host functions.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out` is NULL, or `flags` has an unknown bit.
 */
GEVT_NODISCARD gevt_status_t gevt_stream_create(gevt_stream_t *out, gevt_context_t ctx, uint32_t flags) GEVT_NOEXCEPT;

/**
 * Calls `fn(user)` in stream order: after everything that the stream was given before, and before anything that it is given
 * later. Follows cuLaunchHostFunc.
 *
 * Does not block. On the host backend the function runs on a thread of gevt's. It may call any gevt function and may block; that
 * holds back its own stream only, as long as no more than 1,000 functions block at once. As many functions run at once as
 * gevt_host_get_threads() says, and those that block do not count. On CUDA it runs on a thread of the
 * driver's, may make no call that needs the driver, and holds back the functions of other streams. On Vulkan it runs on a thread of
 * gevt's and holds back its own stream, but a batch behind it holds back the whole VkQueue. A function that has not started when the
 * process exits, or when the last handle of a gevt_vulkan_wrap_device() context is closed, does not run.
 *
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory or thread left to run the function: 1,000 others block.
 * @retval GEVT_ERROR_NOT_SUPPORTED On Vulkan, the stream has collected waits, and its queue has no lock functions.
 */
GEVT_NODISCARD gevt_status_t gevt_stream_launch(gevt_stream_t s, gevt_host_fn_t fn, void *user) GEVT_NOEXCEPT;

/**
 * Calls `fn(user, item, worker)` for each item from 0 to `n` - 1, several at once, in stream order: after everything that the stream was
 * given before, and before anything that it is given later.
 *
 * Does not block. The stream must be one of the host backend. `n` may be any number; with 0, nothing is called. Nothing is allocated for
 * an item, and items are called in no order, on threads of gevt's and on those in gevt_sync_helping(). Work of other streams has its
 * turn meanwhile.
 *
 * `worker` is less than what gevt_host_get_threads() returns at the time of this call, whatever number is set later, and no two items of this
 * launch run at the same time with the same `worker`: it may be the index of memory that an item uses for itself alone. When an item
 * begins, it sees everything that items with the same `worker` wrote before.
 *
 * An item may call any gevt function and may block, as a function of gevt_stream_launch() may; it then keeps its `worker`, so that the other
 * items of the launch have one fewer. An item must not wait for another one of the launch, which may come later on the same thread. Items
 * that have not started when the process exits do not run.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not one of the host backend.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory, or no thread left to run an item, see gevt_stream_launch().
 */
GEVT_NODISCARD gevt_status_t gevt_stream_launch_n(gevt_stream_t s, size_t n, gevt_item_fn_t fn, void *user) GEVT_NOEXCEPT;

/**
 * Makes everything that the stream is given from now on wait for the event's last record. Follows cuStreamWaitEvent.
 *
 * Does not block. The record is the last one at the time of this call; a later record does not change the wait. An event that was
 * never recorded is not waited for. The event may belong to another context, device or backend. `flags` is
 * GEVT_WAIT_DEFAULT, or GEVT_WAIT_EXTERNAL on a stream that is being captured. A stream that waits for an event of a capture
 * joins the capture; errors of the driver about captures are returned unchanged.
 *
 * If the event belongs to another backend, or was created with GEVT_EVENT_HOST_SIGNALED, the host lets the stream go on when the event completes.
 * The stream holds no thread meanwhile: on CUDA it waits for a word in memory (cuStreamWaitValue32), or, if the driver has no such wait, on
 * the thread that runs host functions. The stream may not be captured. If the event fails, or can no longer complete, the stream
 * goes on and what is recorded behind the wait has that failure, until gevt_stream_sync() or gevt_context_sync() has returned it. On CUDA,
 * work that was enqueued behind the wait runs all the same. During exit all such waits of CUDA streams end.
 *
 * The streams of a CUDA context share CUDA_DEVICE_MAX_CONNECTIONS queues of the device, 8 by default: one that waits may hold up others that
 * share its queue. A queue holds about a thousand pieces of work, and the driver's calls block while it is full. So that a stream which waits
 * for the program does not block it, gevt puts at most 512 such waits into the queues of a context: more are refused until some have ended.
 * The program's own work behind the waits is not counted.
 *
 * Waits between streams cannot deadlock by themselves: the record always comes first. A host function that waits, or a signal that never comes,
 * can. gevt_sync() says which wait is refused with GEVT_DETAIL_WOULD_DEADLOCK.
 *
 * On Vulkan the wait is a semaphore wait of the queue, for the stream's own events and completed ones, too, so that the waiting work
 * sees what the event's work has written. A wait of a stream with GEVT_VULKAN_COLLECT_WAITS goes into its next submit.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `flags` has an unknown bit.
 * @retval GEVT_ERROR_INVALID_HANDLE `s` is neither NULL nor a live stream, or `ev` is not a live event. With
 *         GEVT_WAIT_EXTERNAL also if they belong to different backends.
 * @retval GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED The event belongs to another backend, and the stream is being captured.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory, or 512 waits for events of other backends stand in the queues of
 *         the CUDA context.
 * @return The status of the event, with GEVT_DETAIL_EVENT_FAILED: it has failed already, and the stream does not wait.
 * @retval GEVT_ERROR_ILLEGAL_STATE GEVT_WAIT_EXTERNAL was used on a stream that is not being captured, or a
 *         GEVT_EVENT_STRICT event was never recorded.
 * @retval GEVT_ERROR_NOT_SUPPORTED GEVT_WAIT_EXTERNAL was used for an event of another process that was imported on
 *         another device.
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED The context was destroyed. With GEVT_DETAIL_IPC_PEER_GONE: the record can no
 *         longer complete because its process has ended, and the stream does not wait for it.
 */
GEVT_NODISCARD gevt_status_t gevt_stream_wait(gevt_stream_t s, gevt_event_t ev, uint32_t flags) GEVT_NOEXCEPT;

/**
 * Returns whether the stream has finished everything that it was given. Follows cuStreamQuery.
 *
 * @retval GEVT_SUCCESS The stream has finished.
 * @retval GEVT_ERROR_NOT_READY The stream has work left.
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED The context was destroyed. With GEVT_DETAIL_IPC_PEER_GONE: the stream has
 *         finished, but the record of another process that it had to wait for never completed, see gevt_ipc_export().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: the stream waited for an event that failed, see gevt_stream_wait().
 */
GEVT_NODISCARD gevt_status_t gevt_stream_query(gevt_stream_t s) GEVT_NOEXCEPT;

/**
 * Blocks until the stream has finished everything that it was given before the call. Follows cuStreamSynchronize.
 *
 * Functions of gevt_stream_launch() have returned then. Callbacks of gevt_on_complete() may still run or may not have started.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE The call comes from a host function of this stream, as for gevt_sync().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_stream_query(). With GEVT_DETAIL_IPC_PEER_GONE, work that the
 *         stream is given after this call no longer fails for that reason.
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_stream_query(). Work that the stream is given after this
 *         call no longer fails for that reason.
 */
GEVT_NODISCARD gevt_status_t gevt_stream_sync(gevt_stream_t s) GEVT_NOEXCEPT;

/**
 * Blocks until the stream has finished everything that it was given before the call, or until the timeout expires. Otherwise
 * like gevt_stream_sync().
 *
 * `timeout_ns` is in nanoseconds. 0 checks once and does not block; GEVT_TIMEOUT_INFINITE never expires. On CUDA, a finite
 * timeout records an event on the stream and waits for it.
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired.
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_stream_sync().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_stream_sync().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_stream_sync().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_stream_sync().
 */
GEVT_NODISCARD gevt_status_t gevt_stream_sync_timeout(gevt_stream_t s, uint64_t timeout_ns) GEVT_NOEXCEPT;

/**
 * Names a stream. Messages about the stream and traces show the name.
 *
 * `name` is a string in UTF-8, which is copied. Names longer than 63 bytes are cut at a character. NULL or an empty string
 * removes the name. The default stream has a name if a handle for it has one: gevt_stream_wrap() makes such a handle of 0.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `s` is not a live stream. NULL, the default stream, cannot be named.
 * @retval GEVT_ERROR_INVALID_VALUE `name` is not valid UTF-8.
 */
GEVT_NODISCARD gevt_status_t gevt_stream_set_name(gevt_stream_t s, const char *name) GEVT_NOEXCEPT;

/**
 * Describes a stream. Does not block.
 *
 * The caller sets `info->size` to sizeof(gevt_stream_info_t). At most that many bytes are written, and `info->size` receives their
 * number. `s` may be NULL: the default stream of the current context. Like cuStreamGetCtx and cuStreamGetFlags.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `info` is NULL, or `info->size` is less than that of the structure's first version.
 */
GEVT_NODISCARD gevt_status_t gevt_stream_get_info(gevt_stream_info_t *info, gevt_stream_t s) GEVT_NOEXCEPT;

/**
 * Returns the native object behind a stream: its CUstream, or its VkQueue.
 *
 * `native` receives the object, which stays gevt's or its owner's: do not destroy it. It lives as long as the handle `s`. Work that the
 * caller submits to a CUstream is part of the stream, so that records and waits order it. A default stream gives CU_STREAM_LEGACY.
 *
 * Several streams share a VkQueue. Submit to it only between gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(), which keep
 * other threads away from the queue; gevt_stream_get_info() tells its queue family. `s` may be NULL: the default stream of the current
 * context.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is of the host, which has no native objects.
 */
GEVT_NODISCARD gevt_status_t gevt_stream_native(void **native, gevt_stream_t s) GEVT_NOEXCEPT;

/**
 * Destroys a stream. Follows cuStreamDestroy.
 *
 * Never blocks: work that the stream was given still runs. A wrapped CUstream lives on. In a forked child and during exit the
 * call succeeds and does nothing.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `s` is not a live stream. NULL, the default stream, cannot be destroyed.
 */
gevt_status_t gevt_stream_destroy(gevt_stream_t s) GEVT_NOEXCEPT;

/**
 * Creates a handle for a CUstream that the caller owns.
 *
 * `out` receives a handle that the caller destroys; the CUstream remains the caller's and must live as long as the handle is
 * used. `ctx` is the stream's context; NULL is the calling thread's current context. `native` may also be one of CUDA's special
 * values, on all backends: 0 and 1 are the context's default stream, 2 is the per-thread stream of whichever thread uses
 * the handle.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `ctx` is neither NULL nor a live context, or the stream belongs to another context.
 * @retval GEVT_ERROR_NOT_SUPPORTED On the host and on Vulkan, `native` is not 0, 1 or 2; see gevt_vulkan_wrap_queue().
 */
GEVT_NODISCARD gevt_status_t gevt_stream_wrap(gevt_stream_t *out, gevt_context_t ctx, void *native) GEVT_NOEXCEPT;

/**
 * Returns how many functions gevt runs at once on its own threads: those of gevt_stream_launch() and
 * gevt_stream_launch_n() on host streams, and callbacks of gevt_on_complete().
 *
 * `n` receives the number, from 1 to 1,024. By default it is the number of cores that the process may use, by its affinity and the
 * quota of its cgroup (rounded down, but at least 1), or what the environment variable GEVT_HOST_THREADS says when gevt first needs the number.
 *
 * Only functions that run count. One that sleeps, in gevt or in the kernel, lets another one run in its place, and there is a thread for
 * each of up to 1,000 such functions. The CPU time that a thread uses decides: a function that spins while it waits for
 * another one counts as running. A function that wakes continues at once, even if `n` others run. Until one of them ends or sleeps,
 * no new one begins.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `n` is NULL.
 */
GEVT_NODISCARD gevt_status_t gevt_host_get_threads(uint32_t *n) GEVT_NOEXCEPT;

/**
 * Sets how many functions gevt runs at once on its own threads, see gevt_host_get_threads().
 *
 * `n` is from 1 to 1,024; 0 restores the default. Takes effect at once, and may be called at any time, from a host function
 * too. Functions that run already continue: if `n` is less than before, no new one begins until fewer than `n` run.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `n` is greater than 1,024.
 */
GEVT_NODISCARD gevt_status_t gevt_host_set_threads(uint32_t n) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup contexts
 * @{
 */

/**
 * Counts the devices of a backend. Follows cuDeviceGetCount.
 *
 * `count` receives the number. The host backend has 1 device, or as many as the environment variable GEVT_HOST_DEVICES says when
 * gevt is first used, from 1 to 64.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `count` is NULL, or `backend` is not a backend, or is GEVT_BACKEND_AUTO and the
 *         environment variable GEVT_BACKEND names none.
 * @retval GEVT_ERROR_NO_DEVICE The backend has no driver or no device on this machine.
 */
GEVT_NODISCARD gevt_status_t gevt_device_count(int32_t *count, gevt_backend_t backend) GEVT_NOEXCEPT;

/**
 * Opens a device of a backend. On CUDA this retains the device's primary context, like cuDevicePrimaryCtxRetain.
 *
 * `out` receives a handle that the caller closes with gevt_context_close(). `device` counts from 0. Opening a device twice gives
 * two handles to one context.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out` is NULL, or `backend` is not a backend, or is GEVT_BACKEND_AUTO and the
 *         environment variable GEVT_BACKEND names none.
 * @retval GEVT_ERROR_NO_DEVICE The backend has no driver or no device on this machine.
 * @retval GEVT_ERROR_INVALID_DEVICE The backend has no device with this number.
 */
GEVT_NODISCARD gevt_status_t gevt_context_open(gevt_context_t *out, gevt_backend_t backend, int32_t device) GEVT_NOEXCEPT;

/**
 * Sets the calling thread's current context, which is the one that NULL stands for.
 *
 * NULL restores the default: the CUcontext that is current on the thread if there is one, else device 0 of the backend that
 * GEVT_BACKEND_AUTO selects. The thread's current CUcontext does not change.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `ctx` is neither NULL nor a live context.
 */
GEVT_NODISCARD gevt_status_t gevt_context_set_current(gevt_context_t ctx) GEVT_NOEXCEPT;

/**
 * Returns the calling thread's current context.
 *
 * `out` receives the handle that was set, or one that belongs to gevt if none was set. The caller does not close it.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out` is NULL. With GEVT_DETAIL_BAD_ARGUMENT: the thread has not set a context, and
 *         the environment variable GEVT_BACKEND names no backend.
 * @retval GEVT_ERROR_NO_DEVICE The thread has not set a context, and the backend that GEVT_BACKEND names has no driver
 *         or no device on this machine.
 * @retval GEVT_ERROR_INVALID_HANDLE The handle that was set has been closed.
 */
GEVT_NODISCARD gevt_status_t gevt_context_get_current(gevt_context_t *out) GEVT_NOEXCEPT;

/**
 * Blocks until all streams of the context have finished everything that they were given before the call. Follows
 * cuCtxSynchronize.
 *
 * `ctx` may be NULL for the calling thread's current context.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE The call comes from a host function of a stream of the context, as for gevt_sync().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_stream_sync(), for any stream of the context.
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_stream_sync(), for any stream of the context.
 */
GEVT_NODISCARD gevt_status_t gevt_context_sync(gevt_context_t ctx) GEVT_NOEXCEPT;

/**
 * Blocks until all streams of the context have finished everything that they were given before the call, or until the timeout
 * expires. Otherwise like gevt_context_sync().
 *
 * `ctx` may be NULL for the calling thread's current context. `timeout_ns` is in nanoseconds. 0 checks once and does not block;
 * GEVT_TIMEOUT_INFINITE never expires. On CUDA, a finite timeout waits for an event of cuCtxRecordEvent, at least for 100
 * microseconds.
 *
 * @retval GEVT_ERROR_TIMEOUT The timeout expired.
 * @retval GEVT_ERROR_NOT_SUPPORTED The timeout is finite, and the driver is older than CUDA 12.5.
 * @retval GEVT_ERROR_INVALID_HANDLE As for gevt_context_sync().
 * @retval GEVT_ERROR_ILLEGAL_STATE As for gevt_context_sync().
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED As for gevt_context_sync().
 * @return A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_context_sync().
 */
GEVT_NODISCARD gevt_status_t gevt_context_sync_timeout(gevt_context_t ctx, uint64_t timeout_ns) GEVT_NOEXCEPT;

/**
 * Closes a context handle.
 *
 * Streams and events of the context live on. The context ends with the last of its handles, streams, events and pending waits for events of
 * other backends. On CUDA, the call
 * that ends a context may block until the driver has released it. A context of gevt_vulkan_wrap_device() ends with its last handle:
 * see there. In a forked child and during exit the call succeeds and does
 * nothing.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `ctx` is not a live context.
 */
gevt_status_t gevt_context_close(gevt_context_t ctx) GEVT_NOEXCEPT;

/**
 * Creates a handle for a CUcontext that the caller owns.
 *
 * `out` receives a handle that the caller closes; the CUcontext remains the caller's and should live as long as the handle and its
 * streams and events are used.
 *
 * If the CUcontext is destroyed earlier, or is a primary context that is reset, further calls with its streams and events fail
 * with GEVT_ERROR_CONTEXT_IS_DESTROYED, and none of their native handles reaches the driver; destroying and closing them succeeds.
 * The same holds for contexts of gevt_context_open(). gevt cannot detect a context that ends on another thread while a call is
 * in progress: end it when no thread is in a call that uses it and the callbacks of gevt_on_complete() have run. A driver older
 * than CUDA 12.0 does not say whether a context was destroyed: there the CUcontext must live until the last handle is gone.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out` or `native` is NULL, or `backend` is not a backend, or is GEVT_BACKEND_AUTO
 *         and the environment variable GEVT_BACKEND names none.
 * @retval GEVT_ERROR_NOT_SUPPORTED `backend` is the host, which has no native contexts, or Vulkan, which has
 *         gevt_vulkan_wrap_device().
 * @retval GEVT_ERROR_NO_DEVICE The backend has no driver or no device on this machine.
 */
GEVT_NODISCARD gevt_status_t gevt_context_wrap(gevt_context_t *out, gevt_backend_t backend, void *native) GEVT_NOEXCEPT;

/**
 * Describes a context and its device. Does not block.
 *
 * The caller sets `info->size` to sizeof(gevt_context_info_t). At most that many bytes are written, and `info->size` receives their
 * number. The UUID of a CUDA device is that of the VkPhysicalDevice of the same GPU (VkPhysicalDeviceIDProperties::deviceUUID). Like
 * cuDeviceGetName, cuDeviceGetUuid, cuDeviceGetLuid and cuDeviceGetPCIBusId.
 *
 * `ctx` may be NULL: the current context.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `info` is NULL, or `info->size` is less than that of the structure's first version.
 */
GEVT_NODISCARD gevt_status_t gevt_context_get_info(gevt_context_info_t *info, gevt_context_t ctx) GEVT_NOEXCEPT;

/**
 * Returns the native object behind a context: its CUcontext, or its VkDevice.
 *
 * `native` receives the object, which stays gevt's or its owner's: do not destroy it. A CUcontext lives as long as the handle `ctx`, and
 * so does a VkDevice. `ctx` may be NULL: the current context.
 *
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is of the host, which has no native objects.
 */
GEVT_NODISCARD gevt_status_t gevt_context_native(void **native, gevt_context_t ctx) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup ipc
 * @{
 */

/**
 * Returns the bytes with which other processes can open an event. Follows cuIpcGetEventHandle.
 *
 * `handle` receives the bytes, the same ones each time; they need not be released. `ev` must have been created with
 * GEVT_EVENT_INTERPROCESS. An event without a context is bound to the calling thread's current one, for good. From now on each
 * process sees the records of all the others. The event's state is that of the last record, whichever process made it. The bytes
 * can be opened as long as this process keeps the event; importers keep it even longer.
 *
 * If a process ends, or calls exec(), before its stream has reached the last record:
 * - On the host backend all waits return GEVT_ERROR_CONTEXT_IS_DESTROYED with GEVT_DETAIL_IPC_PEER_GONE within 100 ms, and the
 *   event is in GEVT_STATE_FAILED until it is recorded again. A stream that waits for the event continues. Events that are
 *   recorded on it behind that wait, and streams that wait for those, fail in the same way until gevt_stream_sync() or
 *   gevt_context_sync() has returned the failure.
 * - On CUDA all waits last for ever. Use functions with a timeout.
 *
 * On the host backend both processes must run as the same user, with access to the same /proc, and the exporter must be dumpable:
 * a process that has changed its user must call prctl(PR_SET_DUMPABLE, 1). docs/INTERPROCESS.md has the details and the costs.
 *
 * @retval GEVT_ERROR_INVALID_HANDLE `ev` is not a live event, was created without GEVT_EVENT_INTERPROCESS, or was
 *         imported.
 * @retval GEVT_ERROR_NOT_SUPPORTED The host backend needs /proc and memfd_create, and one is missing; or the backend is
 *         Vulkan.
 * @retval GEVT_ERROR_NO_DEVICE The event is not bound yet, and the default backend cannot be used: see
 *         gevt_context_get_current(), also for GEVT_ERROR_INVALID_VALUE.
 */
GEVT_NODISCARD gevt_status_t gevt_ipc_export(gevt_ipc_handle_t *handle, gevt_event_t ev) GEVT_NOEXCEPT;

/**
 * Opens an event of another process. Follows cuIpcOpenEventHandle.
 *
 * `out` receives the handle of a new event, which the caller destroys. It has its own flags and name, and can be recorded, queried
 * and waited for like any other event, but has no timing and cannot be exported. `ctx` is the context in which the event is
 * opened; NULL is the calling thread's current context. It must be of the exporter's backend. `handle` points to the bytes from
 * gevt_ipc_export(), with any alignment. Bytes that were damaged or made up are refused.
 *
 * @retval GEVT_ERROR_INVALID_CONTEXT The event was exported by this process.
 * @retval GEVT_ERROR_MAP_FAILED The event cannot be opened. The detail is GEVT_DETAIL_IPC_BAD_HANDLE or, on the host
 *         backend, GEVT_DETAIL_IPC_PEER_GONE if the exporter has ended and GEVT_DETAIL_IPC_FOREIGN_USER if it belongs
 *         to another user.
 * @retval GEVT_ERROR_NOT_SUPPORTED As for gevt_ipc_export().
 */
GEVT_NODISCARD gevt_status_t gevt_ipc_import(gevt_event_t *out, gevt_context_t ctx, const gevt_ipc_handle_t *handle) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup vulkan
 * @{
 */

/**
 * Creates a context for a VkDevice that the caller owns.
 *
 * `out` receives a handle that the caller closes with gevt_context_close(). `device` describes the VkDevice; gevt reads it during
 * the call alone. Wrapping a VkDevice twice gives two handles to one context. The device number of the context is the place of
 * the physical device in the list of vkEnumeratePhysicalDevices.
 *
 * All calls go through `device->get_instance_proc_addr`, so that they pass the layers of the instance. gevt makes one timeline
 * semaphore for each stream, query pools and command buffers for times, and uses only queues of gevt_vulkan_wrap_queue().
 *
 * The VkDevice must live until the last handle of its context has been closed. That call frees gevt's Vulkan objects before it
 * returns; it waits for submits of gevt's that the device has not finished, and gives waits that are blocked
 * GEVT_ERROR_CONTEXT_IS_DESTROYED, as every later call with the context's streams and events gets. Host functions that have not begun
 * do not run. From then on nothing of gevt's touches the device. Before that call, the program's own submits must have finished that
 * wait for a point of gevt_vulkan_point(), belong to a batch, or have a timestamp of gevt_vulkan_write_time().
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out`, `device` or a pointer in it is NULL, `device->size` is less than that of the
 *         structure's first version, `device->features` has a bit that gevt does not know, or `device->reserved` is not
 *         0.
 * @retval GEVT_ERROR_NOT_SUPPORTED `device->api_version` is less than Vulkan 1.2, GEVT_VULKAN_TIMELINE_SEMAPHORE is
 *         missing in `device->features`, or a function of the device cannot be found. gevt_last_message() says which.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory or handle left.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_wrap_device(gevt_context_t *out, const gevt_vulkan_device_t *device) GEVT_NOEXCEPT;

/**
 * Creates a stream for a VkQueue of a wrapped device.
 *
 * `out` receives a handle that the caller destroys with gevt_stream_destroy(). `ctx` is a context of gevt_vulkan_wrap_device();
 * NULL is the calling thread's current context. `queue` describes the VkQueue; gevt reads it during the call alone, but calls
 * `lock` and `unlock` with `user` until the context ends.
 *
 * A VkQueue may be wrapped several times, with the same family and the same functions: each stream then has a timeline of its
 * own, and the device finishes the streams' work in the order of their submits. Once no stream uses it any more, it may be
 * wrapped with others.
 *
 * A stream knows the work that passes through gevt: records, waits, host functions and batches. gevt_stream_query() speaks of that. If
 * the queue has lock functions, a record and gevt_stream_sync() also wait for what the caller has submitted to the VkQueue itself.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out`, `queue` or `queue->queue` is NULL, `queue->size` is less than that of the
 *         structure's first version, `queue->flags` has an unknown bit, the physical device has no such family, one of
 *         `lock` and `unlock` is NULL and the other is not, or the VkQueue is wrapped with another family or other
 *         functions.
 * @retval GEVT_ERROR_INVALID_HANDLE `ctx` is neither NULL nor a live context.
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is not one of gevt_vulkan_wrap_device().
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory or handle left.
 * @retval GEVT_ERROR_NO_DEVICE `ctx` is NULL, and the default backend cannot be used: see gevt_context_get_current(),
 *         also for GEVT_ERROR_INVALID_VALUE.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_wrap_queue(gevt_stream_t *out, gevt_context_t ctx, const gevt_vulkan_queue_t *queue) GEVT_NOEXCEPT;

/**
 * Begins a batch: the caller's submit, which also records events and makes the stream's waits.
 *
 * `s` is a stream of gevt_vulkan_wrap_queue(), or one that gevt_stream_create() made in the same context. `records` are `n` events
 * that the batch records; none may be in it twice. They are pending from this call on, as after gevt_record(), and complete when
 * the device has finished the submit. `n` may be 0. The caller sets `batch->size`; `batch` receives the rest.
 *
 * The caller then submits to the VkQueue of the stream, on the same thread, with `batch->waits` among the waits of its first
 * VkSubmitInfo2 and `batch->signal` among the signals of its last one, and passes the result to gevt_vulkan_submit_end(). On a
 * device without synchronization2 it takes semaphore, value and stages from there for vkQueueSubmit.
 *
 * Between the two calls the VkQueue is locked: gevt_vulkan_submit_begin() calls the `lock` of gevt_vulkan_queue_t, and
 * gevt_vulkan_submit_end() calls `unlock`. Without such functions the caller keeps other threads away from the queue. Other calls
 * that need the VkQueue wait for the end of the batch on other threads, and are refused on this one.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `batch` is NULL, `batch->size` is less than that of the structure's first version,
 *         or `records` is NULL and `n` is not 0, or an event is in it twice.
 * @retval GEVT_ERROR_INVALID_HANDLE `s` is neither NULL nor a live stream, or an event is not a live one, or is bound
 *         to another context.
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not one of the Vulkan backend, or an event cannot be recorded there.
 * @retval GEVT_ERROR_ILLEGAL_STATE An event was created with GEVT_EVENT_HOST_SIGNALED, or a batch is open on the
 *         VkQueue, begun by this thread; or by any, if the queue has no lock.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory left.
 * @retval GEVT_ERROR_NO_DEVICE `s` is NULL, and the default backend cannot be used: see gevt_context_get_current(),
 *         also for GEVT_ERROR_INVALID_VALUE.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_submit_begin(gevt_vulkan_batch_t *batch, gevt_stream_t s, const gevt_event_t *records, size_t n) GEVT_NOEXCEPT;

/**
 * Ends a batch.
 *
 * `batch` is what gevt_vulkan_submit_begin() filled in, and `result` is the VkResult of the submit: 0 (VK_SUCCESS) if it was made.
 * `waits` and `signal` are no longer valid from this call on.
 *
 * If `result` is anything else, the batch is taken back: the events that it recorded fail with GEVT_DETAIL_SUBMIT_FAILED and the status
 * for `result`. Their state is GEVT_STATE_FAILED until they are recorded again. Their waiters return, and the stream continues.
 * VK_ERROR_DEVICE_LOST (-4) marks the context as lost. If no submit is made, call gevt_vulkan_submit_cancel() instead.
 *
 * The call succeeds for every `result`, and if the context has been lost since the batch began. During process exit it also calls
 * `unlock`, and returns GEVT_ERROR_DEINITIALIZED.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `batch` is NULL, or `batch->size` is less than that of the structure's first
 *         version.
 * @retval GEVT_ERROR_INVALID_HANDLE `s` is neither NULL nor a live stream.
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not one of the Vulkan backend.
 * @retval GEVT_ERROR_ILLEGAL_STATE The stream has no open batch with that ticket.
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED The last handle of the context has been closed, which has taken the batch
 *         back.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_submit_end(gevt_stream_t s, const gevt_vulkan_batch_t *batch, int32_t result) GEVT_NOEXCEPT;

/**
 * Cancels a batch: the caller makes no submit for it.
 *
 * The batch is taken back as by gevt_vulkan_submit_end() for a failed submit, and its events fail with GEVT_ERROR_ILLEGAL_STATE and
 * GEVT_DETAIL_SUBMIT_FAILED. Destroying the stream cancels an open batch as well; gevt_stream_destroy() then calls `unlock`. Closing the
 * last handle of a wrapped device's context does the same, with GEVT_ERROR_CONTEXT_IS_DESTROYED for the events.
 *
 * The call succeeds if the context has been lost since the batch began. During process exit it also calls `unlock`, and returns
 * GEVT_ERROR_DEINITIALIZED.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `batch` is NULL, or `batch->size` is less than that of the structure's first
 *         version.
 * @retval GEVT_ERROR_INVALID_HANDLE `s` is neither NULL nor a live stream.
 * @retval GEVT_ERROR_NOT_SUPPORTED The stream is not one of the Vulkan backend.
 * @retval GEVT_ERROR_ILLEGAL_STATE The stream has no open batch with that ticket.
 * @retval GEVT_ERROR_CONTEXT_IS_DESTROYED The last handle of the context has been closed, which has canceled the batch.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_submit_cancel(gevt_stream_t s, const gevt_vulkan_batch_t *batch) GEVT_NOEXCEPT;

/**
 * Writes an event's timestamp into the caller's command buffer. Like vkCmdWriteTimestamp2.
 *
 * The next batch that records the event takes its time from there: submit the command buffer with that batch. `ev` is an event
 * with timing that is bound to the context of the command buffer's device, by gevt_create_in() or an earlier record.
 * `command_buffer` is a VkCommandBuffer in the recording state. `stage` is one VkPipelineStageFlags2 bit; bits beyond the 32nd need
 * GEVT_VULKAN_SYNCHRONIZATION2.
 *
 * With GEVT_VULKAN_HOST_QUERY_RESET the call may stand inside a render pass. Without it the call also writes vkCmdResetQueryPool, and
 * so needs a graphics or compute queue and a place outside of a render pass. The event must live until the device has finished the
 * command buffer.
 *
 * A command buffer may be submitted again, and several may have a timestamp of one event. A timestamp's query holds one time, so each
 * submit needs its own batch, begun after the event's last record completed. A batch that is begun earlier has no time.
 *
 * An event that a batch records without such a timestamp has no time: gevt_elapsed() refuses it. gevt_record() writes the timestamp
 * itself, unless its stream has to wait for a host function that a batch in the same VkQueue waits for.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `command_buffer` is NULL, or `stage` is not one bit.
 * @retval GEVT_ERROR_INVALID_HANDLE `ev` is not a live event, or was created with GEVT_EVENT_DISABLE_TIMING.
 * @retval GEVT_ERROR_ILLEGAL_STATE The event is not bound to a context yet.
 * @retval GEVT_ERROR_NOT_SUPPORTED The event is bound to another backend, or `stage` needs synchronization2.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory left.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_write_time(gevt_event_t ev, void *command_buffer, uint64_t stage) GEVT_NOEXCEPT;

/**
 * Returns the point of an event's last record: a timeline semaphore and the value that it reaches when the event completes.
 *
 * `semaphore` receives the VkSemaphore, `value` the value, for a wait of the caller's own, on the host or in a submit of any queue of
 * the device. The semaphore belongs to gevt, must not be signalled by others, and lives as long as the context. An event that was
 * never recorded has the semaphore VK_NULL_HANDLE and the value 0, and there is nothing to wait for.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `semaphore` or `value` is NULL.
 * @retval GEVT_ERROR_INVALID_HANDLE `ev` is not a live event.
 * @retval GEVT_ERROR_NOT_SUPPORTED The event is bound to another backend.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_point(uint64_t *semaphore, uint64_t *value, gevt_event_t ev) GEVT_NOEXCEPT;

/**
 * Creates an event that completes when a timeline semaphore of the caller's reaches a value.
 *
 * `out` receives a handle that the caller destroys. `ctx` is a Vulkan context of the semaphore's device; NULL is the calling thread's
 * current context. The semaphore remains the caller's and must live as long as the event, and as long as the device works on waits
 * for it. The event is recorded already, has no timing, and cannot be recorded again. A stream that waits for it makes its VkQueue
 * wait: a signal that the caller submits to the same VkQueue later never comes.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `out` is NULL, or `semaphore` is VK_NULL_HANDLE.
 * @retval GEVT_ERROR_INVALID_HANDLE `ctx` is neither NULL nor a live context.
 * @retval GEVT_ERROR_NOT_SUPPORTED The context is not one of Vulkan.
 * @retval GEVT_ERROR_OUT_OF_MEMORY There is no memory or handle left.
 */
GEVT_NODISCARD gevt_status_t gevt_vulkan_wrap_point(gevt_event_t *out, gevt_context_t ctx, uint64_t semaphore, uint64_t value) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup errors
 * @{
 */

/**
 * Returns the detail of the calling thread's last failure, or GEVT_DETAIL_NONE if no call has failed. Cannot fail.
 *
 * Successful calls and GEVT_ERROR_NOT_READY leave it unchanged.
 */
gevt_detail_t gevt_last_detail(void) GEVT_NOEXCEPT;

/**
 * Returns a message about the calling thread's last failure: the function, the event and its name, what is wrong, and what to
 * do. Cannot fail.
 *
 * The string is in UTF-8 and valid until the next failure on the same thread, or until the thread ends. It is empty if no call
 * has failed. Never NULL.
 */
const char *gevt_last_message(void) GEVT_NOEXCEPT;

/**
 * Returns the name of a status as this header spells it. Follows cuGetErrorName.
 *
 * The string is static, and "GEVT_ERROR_UNRECOGNIZED" for a code without a name. Never NULL. Cannot fail.
 */
const char *gevt_status_name(gevt_status_t status) GEVT_NOEXCEPT;

/**
 * Returns one sentence that says what a status means. Follows cuGetErrorString.
 *
 * The string is static. Never NULL. Cannot fail.
 */
const char *gevt_status_string(gevt_status_t status) GEVT_NOEXCEPT;

/**
 * Returns the name of a detail as this header spells it.
 *
 * The string is static, and "GEVT_DETAIL_UNRECOGNIZED" for an unknown number. Never NULL. Cannot fail.
 */
const char *gevt_detail_name(gevt_detail_t detail) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup log
 * @{
 */

/**
 * Sets the function that receives gevt's log messages, in place of the previous one.
 *
 * `fn(user, level, message)` is called for messages as important as `level` or more so: GEVT_LOG_WARN also selects
 * GEVT_LOG_ERROR. A NULL `fn` or GEVT_LOG_OFF turns the log off. `message` is a line in UTF-8 without a newline, valid during the
 * call.
 *
 * The callback runs on the thread whose gevt call has something to report, before that call returns, and on several threads in
 * parallel. No lock of gevt's is held: it may call gevt, but those calls are not logged and do not change the last failure. It
 * does not run in a forked child or during exit.
 *
 * When this function returns, no thread is inside a previous callback, so its data may be freed. The exception is a call from
 * within a log callback, which does not wait for the others.
 *
 * @retval GEVT_ERROR_INVALID_VALUE `level` is not a level.
 */
GEVT_NODISCARD gevt_status_t gevt_set_log_callback(gevt_log_fn_t fn, void *user, gevt_log_level_t level) GEVT_NOEXCEPT;

/**
 * Starts writing a trace of what events and streams do, in Chrome's trace format, for Perfetto and chrome://tracing.
 *
 * `path` names a regular file, which is created or overwritten. On Windows it is in UTF-8. The file is valid JSON at all times; after a crash the last
 * 50 milliseconds or so are missing. exit() ends the trace. The environment variable GEVT_TRACE=FILE traces a whole program without
 * this call. docs/TRACING.md describes the contents and the costs.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE A trace is already running. A process has one at a time.
 * @retval GEVT_ERROR_OPERATING_SYSTEM The file cannot be created or written, or another trace is being written to it.
 */
GEVT_NODISCARD gevt_status_t gevt_trace_start(const char *path) GEVT_NOEXCEPT;

/**
 * Ends the trace and blocks until its file is written.
 *
 * @retval GEVT_ERROR_ILLEGAL_STATE No trace is running.
 * @retval GEVT_ERROR_OPERATING_SYSTEM The disk is full, or the file could not be written for another reason. The trace
 *         has ended, and the file holds what was written before.
 */
GEVT_NODISCARD gevt_status_t gevt_trace_stop(void) GEVT_NOEXCEPT;

/** @} */

/**
 * @addtogroup version
 * @{
 */

/**
 * Returns the version of the library that is loaded: major * 10000 + minor * 100 + patch. Cannot fail.
 *
 * Compare it with GEVT_VERSION, the version of the header.
 */
uint32_t gevt_version(void) GEVT_NOEXCEPT;

/** Returns the version of the library that is loaded as a static string, such as "0.2.0". Cannot fail. */
const char *gevt_version_string(void) GEVT_NOEXCEPT;

/**
 * Returns the number of events that were created, wrapped or imported and not destroyed yet, for leak checks. Cannot fail.
 *
 * Events that other threads create or destroy meanwhile may or may not be counted. The result is 0 in a forked child and during
 * exit.
 */
size_t gevt_live_events(void) GEVT_NOEXCEPT;

/** @} */

#ifdef __cplusplus
}
#endif

/**
 * @addtogroup flags
 * @{
 */

/** An event with timing. A thread in gevt_sync() spins before it sleeps. */
#define GEVT_EVENT_DEFAULT 0x0

/** A thread in gevt_sync() sleeps at once instead of spinning (CU_EVENT_BLOCKING_SYNC). */
#define GEVT_EVENT_BLOCKING_SYNC 0x1

/** Disables timing, which makes records cheaper (CU_EVENT_DISABLE_TIMING). */
#define GEVT_EVENT_DISABLE_TIMING 0x2

/** The event can be shared with other processes (CU_EVENT_INTERPROCESS). Requires GEVT_EVENT_DISABLE_TIMING. */
#define GEVT_EVENT_INTERPROCESS 0x4

/**
 * Query, sync and stream wait fail with GEVT_ERROR_ILLEGAL_STATE if the event was never recorded. Without this flag they
 * succeed, as in CUDA.
 */
#define GEVT_EVENT_STRICT 0x10000

/** The event is pending until the program calls gevt_signal(), and cannot be recorded. */
#define GEVT_EVENT_HOST_SIGNALED 0x20000

/** The stream is ordered against the default stream, both ways. */
#define GEVT_STREAM_DEFAULT 0x0

/** The stream is not ordered against the default stream (CU_STREAM_NON_BLOCKING). */
#define GEVT_STREAM_NON_BLOCKING 0x1

/** An ordinary record. */
#define GEVT_RECORD_DEFAULT 0x0

/** In a stream capture, adds a record node to the graph (CU_EVENT_RECORD_EXTERNAL). */
#define GEVT_RECORD_EXTERNAL 0x1

/** An ordinary wait. */
#define GEVT_WAIT_DEFAULT 0x0

/** In a stream capture, adds a wait node to the graph (CU_EVENT_WAIT_EXTERNAL). */
#define GEVT_WAIT_EXTERNAL 0x1

/** In gevt_vulkan_device_t::features: timelineSemaphore was enabled. gevt needs it. */
#define GEVT_VULKAN_TIMELINE_SEMAPHORE 0x1

/** In gevt_vulkan_device_t::features: synchronization2 was enabled. */
#define GEVT_VULKAN_SYNCHRONIZATION2 0x2

/** In gevt_vulkan_device_t::features: hostQueryReset was enabled. Times then work on transfer queues, too. */
#define GEVT_VULKAN_HOST_QUERY_RESET 0x4

/**
 * In gevt_vulkan_queue_t::flags: gevt_stream_wait() collects waits for the stream's next batch or record, and submits nothing
 * itself. A queue without lock functions always does so.
 */
#define GEVT_VULKAN_COLLECT_WAITS 0x1

/** @} */

/**
 * @addtogroup values
 * @{
 */

/** A timeout that never expires. */
#define GEVT_TIMEOUT_INFINITE UINT64_MAX

/**
 * The backend that the environment variable GEVT_BACKEND names (host, cuda, vulkan or auto). If it is not set: CUDA if there is
 * a driver and a device, else the host.
 */
#define GEVT_BACKEND_AUTO 0

/** Threads of the host. Available on every machine. */
#define GEVT_BACKEND_HOST 1

/** NVIDIA GPUs, through the CUDA driver. */
#define GEVT_BACKEND_CUDA 2

/**
 * Devices of Vulkan 1.2 or later with timeline semaphores, numbered as vkEnumeratePhysicalDevices lists them. Used only if it is
 * asked for. gevt_context_open() makes a VkDevice of gevt's own; gevt_vulkan_wrap_device() takes one of the program's.
 */
#define GEVT_BACKEND_VULKAN 3

/** The event was never recorded. */
#define GEVT_STATE_UNRECORDED 0

/** The stream has not reached the last record yet. */
#define GEVT_STATE_PENDING 1

/** The stream has reached the last record. */
#define GEVT_STATE_COMPLETE 2

/** The event was last recorded in a stream capture. */
#define GEVT_STATE_CAPTURED 3

/**
 * The event was signaled with a failure, its context is lost, the submit of its last record failed, or the process that made the last
 * record ended before its stream reached it. A record behind a failed event fails as well.
 */
#define GEVT_STATE_FAILED 4

/** No messages. */
#define GEVT_LOG_OFF 0

/** A context was lost, or gevt caught a bug of its own. */
#define GEVT_LOG_ERROR 1

/** A call failed, or a trace is incomplete. */
#define GEVT_LOG_WARN 2

/** A decision or an event in gevt's life, such as the choice of the default backend or the start of a trace. */
#define GEVT_LOG_INFO 3

/** @} */

/**
 * @addtogroup statuses
 * @{
 */

/** The call succeeded. */
#define GEVT_SUCCESS 0

/** An argument is out of range, or a required pointer is NULL. */
#define GEVT_ERROR_INVALID_VALUE 1

/** There is no memory, thread or handle slot left. */
#define GEVT_ERROR_OUT_OF_MEMORY 2

/** The call was made in a forked child. */
#define GEVT_ERROR_NOT_INITIALIZED 3

/** The process is exiting. */
#define GEVT_ERROR_DEINITIALIZED 4

/** The backend has no driver or no device. */
#define GEVT_ERROR_NO_DEVICE 100

/** The backend has no device with this number. */
#define GEVT_ERROR_INVALID_DEVICE 101

/** The context cannot be used for this call. */
#define GEVT_ERROR_INVALID_CONTEXT 201

/** The bytes are not those of an event that can be opened. */
#define GEVT_ERROR_MAP_FAILED 205

/** A system call failed. */
#define GEVT_ERROR_OPERATING_SYSTEM 304

/** A handle is NULL, stale or of the wrong kind, or does not fit the other arguments. */
#define GEVT_ERROR_INVALID_HANDLE 400

/** The object is not in a state that allows the call. */
#define GEVT_ERROR_ILLEGAL_STATE 401

/** The work has not finished yet. */
#define GEVT_ERROR_NOT_READY 600

/** The context was destroyed by its owner, or the process that made the last record has ended. */
#define GEVT_ERROR_CONTEXT_IS_DESTROYED 709

/** Work on the device failed, or the device was lost: the context cannot recover. */
#define GEVT_ERROR_LAUNCH_FAILED 719

/** The backend does not support this. */
#define GEVT_ERROR_NOT_SUPPORTED 801

/** The call is not allowed while a stream is being captured. */
#define GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED 900

/** An earlier error invalidated the capture of the stream. */
#define GEVT_ERROR_STREAM_CAPTURE_INVALIDATED 901

/** The call would merge two captures. */
#define GEVT_ERROR_STREAM_CAPTURE_MERGE 902

/** The capture was not started on this stream. */
#define GEVT_ERROR_STREAM_CAPTURE_UNMATCHED 903

/** The capture has work that was not joined to the stream on which it was started. */
#define GEVT_ERROR_STREAM_CAPTURE_UNJOINED 904

/** A captured stream would depend on work outside the capture. */
#define GEVT_ERROR_STREAM_CAPTURE_ISOLATION 905

/** The call would make a captured stream depend on the default stream. */
#define GEVT_ERROR_STREAM_CAPTURE_IMPLICIT 906

/** The event was last recorded in a capture. */
#define GEVT_ERROR_CAPTURED_EVENT 907

/** The capture was started by another thread. */
#define GEVT_ERROR_STREAM_CAPTURE_WRONG_THREAD 908

/** The timeout expired before the work finished. */
#define GEVT_ERROR_TIMEOUT 909

/** The cause is unknown. */
#define GEVT_ERROR_UNKNOWN 999

/** @} */

/**
 * @addtogroup details
 * @{
 */

/** No call has failed on this thread. */
#define GEVT_DETAIL_NONE 0

/** A handle argument is NULL. */
#define GEVT_DETAIL_NULL_HANDLE 1

/** A handle argument is not a value that gevt issued. */
#define GEVT_DETAIL_UNKNOWN_HANDLE 2

/** The object of the handle was destroyed or closed. */
#define GEVT_DETAIL_STALE_HANDLE 3

/** The handle is of the wrong kind, such as a stream in place of an event. */
#define GEVT_DETAIL_WRONG_KIND 4

/** An output, array or function pointer is NULL. */
#define GEVT_DETAIL_NULL_POINTER 5

/** The function does not know a flag, or the flags do not go together. */
#define GEVT_DETAIL_BAD_FLAGS 6

/** An argument other than a handle, pointer or flag is out of range. */
#define GEVT_DETAIL_BAD_ARGUMENT 7

/** The backend has no device with this number. */
#define GEVT_DETAIL_BAD_DEVICE 8

/** The backend has no driver or no device on this machine. */
#define GEVT_DETAIL_NO_BACKEND 9

/** The event was never recorded. */
#define GEVT_DETAIL_NOT_RECORDED 10

/** The event was created without timing. */
#define GEVT_DETAIL_TIMING_DISABLED 11

/** The arguments belong to different contexts. */
#define GEVT_DETAIL_CONTEXT_MISMATCH 12

/** The event was imported, and imported events have no timing. */
#define GEVT_DETAIL_IMPORTED_NO_TIMING 13

/** The event was last recorded in a stream capture. */
#define GEVT_DETAIL_CAPTURED 14

/** The EXTERNAL flag was used on a stream that is not being captured. */
#define GEVT_DETAIL_NOT_CAPTURING 15

/** A host function waits for what can only come after it has returned. */
#define GEVT_DETAIL_WOULD_DEADLOCK 16

/** The event is not bound to a context yet. */
#define GEVT_DETAIL_NOT_BOUND 17

/** The host backend has no native objects. */
#define GEVT_DETAIL_NO_NATIVE 18

/** The timeout expired before the work finished. */
#define GEVT_DETAIL_TIMED_OUT 19

/** There is no memory, thread, handle slot or room in a queue left. */
#define GEVT_DETAIL_OUT_OF_MEMORY 20

/** The call was made in a forked child. */
#define GEVT_DETAIL_FORKED 21

/** The call was made while the process exits. */
#define GEVT_DETAIL_EXITING 22

/** The context was destroyed by its owner or cannot recover from an error. */
#define GEVT_DETAIL_CONTEXT_LOST 23

/** The backend returned an error code of its own, which is the status. */
#define GEVT_DETAIL_BACKEND 24

/** gevt caught a bug of its own. */
#define GEVT_DETAIL_INTERNAL 25

/** A trace is already running. */
#define GEVT_DETAIL_TRACING 26

/** No trace is running. */
#define GEVT_DETAIL_NOT_TRACING 27

/** A file cannot be created or written. */
#define GEVT_DETAIL_FILE 28

/** The event was created without INTERPROCESS, or was imported. */
#define GEVT_DETAIL_NOT_EXPORTABLE 29

/** The bytes are not those of an event that can be opened. */
#define GEVT_DETAIL_IPC_BAD_HANDLE 30

/** The event was exported by this process. */
#define GEVT_DETAIL_IPC_SAME_PROCESS 31

/** The process that exported the event, or that made its last record, has ended. */
#define GEVT_DETAIL_IPC_PEER_GONE 32

/** The event belongs to a process of another user. */
#define GEVT_DETAIL_IPC_FOREIGN_USER 33

/** The backend, the device or the queue does not support the call. */
#define GEVT_DETAIL_UNSUPPORTED 34

/** The submit that should have completed the event failed, or its batch was canceled. */
#define GEVT_DETAIL_SUBMIT_FAILED 35

/** No timestamp was written for the event's last record. */
#define GEVT_DETAIL_NO_TIME 36

/** A batch is open on the queue, or the named one is not. */
#define GEVT_DETAIL_BATCH 37

/** Vulkan returned an error that has no status of its own. */
#define GEVT_DETAIL_VULKAN 38

/** The event was signalled with a failure, destroyed before it was signalled, or recorded behind a wait that failed. */
#define GEVT_DETAIL_EVENT_FAILED 39

/** A host-signalled event cannot be recorded; another event cannot be signalled or reset, and none be signalled twice. */
#define GEVT_DETAIL_HOST_SIGNALED 40

/** @} */

#endif /* GEVT_H */
