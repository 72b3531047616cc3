#ifndef GEVT_H
#define GEVT_H
#include <stddef.h>
#include <stdint.h>
#define GEVT_VERSION_MAJOR 0
#define GEVT_VERSION_MINOR 2
#define GEVT_VERSION_PATCH 0
#define GEVT_VERSION (GEVT_VERSION_MAJOR * 10000 + GEVT_VERSION_MINOR * 100 + GEVT_VERSION_PATCH)
#ifndef GEVT_NODISCARD
#if defined(__cplusplus) && __cplusplus >= 201703L
#define GEVT_NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define GEVT_NODISCARD __attribute__((warn_unused_result))
#else
#define GEVT_NODISCARD
#endif
#endif
#if defined(_WIN32) && !defined(GEVT_STATIC)
#define GEVT_API __declspec(dllimport)
#else
#define GEVT_API
#endif
#ifdef __cplusplus
#define GEVT_NOEXCEPT noexcept
#else
#define GEVT_NOEXCEPT
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef int32_t gevt_status_t;
typedef int32_t gevt_detail_t;
typedef struct gevt_event_s *gevt_event_t;
typedef struct gevt_stream_s *gevt_stream_t;
typedef struct gevt_context_s *gevt_context_t;
typedef uint32_t gevt_backend_t;
typedef uint32_t gevt_event_state_t;
typedef uint32_t gevt_log_level_t;
typedef uint32_t gevt_event_flags_t;
typedef uint32_t gevt_stream_flags_t;
typedef uint32_t gevt_record_flags_t;
typedef uint32_t gevt_wait_flags_t;
typedef uint32_t gevt_context_known_t;
typedef uint32_t gevt_vulkan_features_t;
typedef uint32_t gevt_vulkan_queue_flags_t;
typedef void (*gevt_host_fn_t)(void *user);
typedef void (*gevt_item_fn_t)(void *user, size_t item, uint32_t worker);
typedef void (*gevt_complete_fn_t)(void *user, gevt_status_t status);
typedef void (*gevt_log_fn_t)(void *user, gevt_log_level_t level, const char *message);
#define GEVT_NAME_SIZE 64
#define GEVT_DEVICE_NAME_SIZE 256
#define GEVT_IPC_HANDLE_SIZE 64
#define GEVT_NO_QUEUE_FAMILY 0xffffffff
typedef struct gevt_executor_t {
    size_t size;
    void *user;
    int (*submit)(void *user, gevt_host_fn_t run, void *arg);
    uint32_t threads;
} gevt_executor_t;
typedef struct gevt_event_info_t {
    size_t size;
    gevt_event_flags_t flags;
    gevt_event_state_t state;
    gevt_backend_t backend;
    int32_t device;
    gevt_context_t context;
    uint32_t imported;
    uint32_t reserved;
    uint64_t record_count;
    char name[GEVT_NAME_SIZE];
} gevt_event_info_t;
#define GEVT_CONTEXT_HAS_UUID 0x1
#define GEVT_CONTEXT_HAS_LUID 0x2
#define GEVT_CONTEXT_HAS_PCI 0x4
typedef struct gevt_context_info_t {
    size_t size;
    gevt_backend_t backend;
    int32_t device;
    gevt_context_known_t known;
    uint32_t luid_node_mask;
    uint8_t uuid[16];
    uint8_t luid[8];
    uint32_t pci_domain;
    uint32_t pci_bus;
    uint32_t pci_device;
    uint32_t pci_function;
    char name[GEVT_DEVICE_NAME_SIZE];
} gevt_context_info_t;
typedef struct gevt_stream_info_t {
    size_t size;
    gevt_context_t context;
    gevt_backend_t backend;
    int32_t device;
    gevt_stream_flags_t flags;
    uint32_t queue_family;
    char name[GEVT_NAME_SIZE];
} gevt_stream_info_t;
typedef struct gevt_ipc_handle_t {
    uint8_t bytes[GEVT_IPC_HANDLE_SIZE];
} gevt_ipc_handle_t;
struct VkInstance_T;
struct VkPhysicalDevice_T;
struct VkDevice_T;
struct VkQueue_T;
struct VkCommandBuffer_T;
typedef void (*(*gevt_vulkan_get_proc_fn_t)(struct VkInstance_T *instance, const char *name))(void);
typedef struct gevt_vulkan_device_t {
    size_t size;
    struct VkInstance_T *instance;
    struct VkPhysicalDevice_T *physical_device;
    struct VkDevice_T *device;
    gevt_vulkan_get_proc_fn_t get_instance_proc_addr;
    uint32_t api_version;
    uint32_t extension_count;
    const char *const *extensions;
    gevt_vulkan_features_t features;
    uint32_t reserved;
} gevt_vulkan_device_t;
typedef void (*gevt_vulkan_lock_fn_t)(void *user);
typedef struct gevt_vulkan_queue_t {
    size_t size;
    struct VkQueue_T *queue;
    uint32_t family;
    gevt_vulkan_queue_flags_t flags;
    gevt_vulkan_lock_fn_t lock;
    gevt_vulkan_lock_fn_t unlock;
    void *user;
} gevt_vulkan_queue_t;
typedef struct gevt_vulkan_batch_t {
    size_t size;
    const void *waits;
    uint32_t wait_count;
    uint32_t reserved;
    const void *signal;
    uint64_t ticket;
    const void *wait_semaphores;
    const uint64_t *wait_values;
    const uint32_t *wait_stages;
    const void *signal_semaphore;
    const uint64_t *signal_value;
} gevt_vulkan_batch_t;
#define GEVT_EVENT_DEFAULT 0x0
#define GEVT_EVENT_BLOCKING_SYNC 0x1
#define GEVT_EVENT_DISABLE_TIMING 0x2
#define GEVT_EVENT_INTERPROCESS 0x4
#define GEVT_EVENT_STRICT 0x10000
#define GEVT_EVENT_HOST_SIGNALED 0x20000
#define GEVT_STREAM_DEFAULT 0x0
#define GEVT_STREAM_NON_BLOCKING 0x1
#define GEVT_RECORD_DEFAULT 0x0
#define GEVT_RECORD_EXTERNAL 0x1
#define GEVT_WAIT_DEFAULT 0x0
#define GEVT_WAIT_EXTERNAL 0x1
#define GEVT_VULKAN_TIMELINE_SEMAPHORE 0x1
#define GEVT_VULKAN_SYNCHRONIZATION2 0x2
#define GEVT_VULKAN_HOST_QUERY_RESET 0x4
#define GEVT_VULKAN_COLLECT_WAITS 0x1
#define GEVT_VULKAN_EXPORTABLE 0x2
#define GEVT_TIMEOUT_INFINITE UINT64_MAX
#define GEVT_BACKEND_AUTO 0
#define GEVT_BACKEND_HOST 1
#define GEVT_BACKEND_CUDA 2
#define GEVT_BACKEND_VULKAN 3
#define GEVT_STATE_UNRECORDED 0
#define GEVT_STATE_PENDING 1
#define GEVT_STATE_COMPLETE 2
#define GEVT_STATE_CAPTURED 3
#define GEVT_STATE_FAILED 4
#define GEVT_LOG_OFF 0
#define GEVT_LOG_ERROR 1
#define GEVT_LOG_WARN 2
#define GEVT_LOG_INFO 3
#define GEVT_SUCCESS 0
#define GEVT_ERROR_INVALID_VALUE 1
#define GEVT_ERROR_OUT_OF_MEMORY 2
#define GEVT_ERROR_NOT_INITIALIZED 3
#define GEVT_ERROR_DEINITIALIZED 4
#define GEVT_ERROR_NO_DEVICE 100
#define GEVT_ERROR_INVALID_DEVICE 101
#define GEVT_ERROR_INVALID_CONTEXT 201
#define GEVT_ERROR_MAP_FAILED 205
#define GEVT_ERROR_OPERATING_SYSTEM 304
#define GEVT_ERROR_INVALID_HANDLE 400
#define GEVT_ERROR_ILLEGAL_STATE 401
#define GEVT_ERROR_NOT_READY 600
#define GEVT_ERROR_CONTEXT_IS_DESTROYED 709
#define GEVT_ERROR_LAUNCH_FAILED 719
#define GEVT_ERROR_NOT_SUPPORTED 801
#define GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED 900
#define GEVT_ERROR_STREAM_CAPTURE_INVALIDATED 901
#define GEVT_ERROR_STREAM_CAPTURE_MERGE 902
#define GEVT_ERROR_STREAM_CAPTURE_UNMATCHED 903
#define GEVT_ERROR_STREAM_CAPTURE_UNJOINED 904
#define GEVT_ERROR_STREAM_CAPTURE_ISOLATION 905
#define GEVT_ERROR_STREAM_CAPTURE_IMPLICIT 906
#define GEVT_ERROR_CAPTURED_EVENT 907
#define GEVT_ERROR_STREAM_CAPTURE_WRONG_THREAD 908
#define GEVT_ERROR_TIMEOUT 909
#define GEVT_ERROR_UNKNOWN 999
#define GEVT_DETAIL_NONE 0
#define GEVT_DETAIL_NULL_HANDLE 1
#define GEVT_DETAIL_UNKNOWN_HANDLE 2
#define GEVT_DETAIL_STALE_HANDLE 3
#define GEVT_DETAIL_WRONG_KIND 4
#define GEVT_DETAIL_NULL_POINTER 5
#define GEVT_DETAIL_BAD_FLAGS 6
#define GEVT_DETAIL_BAD_ARGUMENT 7
#define GEVT_DETAIL_BAD_DEVICE 8
#define GEVT_DETAIL_NO_BACKEND 9
#define GEVT_DETAIL_NOT_RECORDED 10
#define GEVT_DETAIL_TIMING_DISABLED 11
#define GEVT_DETAIL_CONTEXT_MISMATCH 12
#define GEVT_DETAIL_IMPORTED_NO_TIMING 13
#define GEVT_DETAIL_CAPTURED 14
#define GEVT_DETAIL_NOT_CAPTURING 15
#define GEVT_DETAIL_WOULD_DEADLOCK 16
#define GEVT_DETAIL_NOT_BOUND 17
#define GEVT_DETAIL_NO_NATIVE 18
#define GEVT_DETAIL_TIMED_OUT 19
#define GEVT_DETAIL_OUT_OF_MEMORY 20
#define GEVT_DETAIL_FORKED 21
#define GEVT_DETAIL_EXITING 22
#define GEVT_DETAIL_CONTEXT_LOST 23
#define GEVT_DETAIL_BACKEND 24
#define GEVT_DETAIL_INTERNAL 25
#define GEVT_DETAIL_TRACING 26
#define GEVT_DETAIL_NOT_TRACING 27
#define GEVT_DETAIL_FILE 28
#define GEVT_DETAIL_NOT_EXPORTABLE 29
#define GEVT_DETAIL_IPC_BAD_HANDLE 30
#define GEVT_DETAIL_IPC_SAME_PROCESS 31
#define GEVT_DETAIL_IPC_PEER_GONE 32
#define GEVT_DETAIL_IPC_FOREIGN_USER 33
#define GEVT_DETAIL_UNSUPPORTED 34
#define GEVT_DETAIL_SUBMIT_FAILED 35
#define GEVT_DETAIL_NO_TIME 36
#define GEVT_DETAIL_BATCH 37
#define GEVT_DETAIL_VULKAN 38
#define GEVT_DETAIL_EVENT_FAILED 39
#define GEVT_DETAIL_HOST_SIGNALED 40
#define GEVT_DETAIL_EXECUTOR 41
#define GEVT_DETAIL_NOT_CALIBRATED 42
GEVT_NODISCARD GEVT_API gevt_status_t gevt_create(gevt_event_t *out, gevt_event_flags_t flags) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_record(gevt_event_t ev, gevt_stream_t s) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_query(gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync(gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_elapsed(float *ms, gevt_event_t start, gevt_event_t end) GEVT_NOEXCEPT;
GEVT_API gevt_status_t gevt_destroy(gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_timeout(gevt_event_t ev, uint64_t timeout_ns) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_helping(gevt_event_t ev, uint64_t timeout_ns) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_all(const gevt_event_t *evs, size_t n, uint64_t timeout_ns) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_sync_any(size_t *index, const gevt_event_t *evs, size_t n, uint64_t timeout_ns) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_create_in(gevt_event_t *out, gevt_context_t ctx, gevt_event_flags_t flags) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_record_with_flags(gevt_event_t ev, gevt_stream_t s, gevt_record_flags_t flags) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_signal(gevt_event_t ev, gevt_status_t status) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_reset(gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_elapsed_ns(int64_t *ns, gevt_event_t start, gevt_event_t end) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_elapsed_n(int64_t *ns, gevt_status_t *statuses, const gevt_event_t *starts, const gevt_event_t *ends, size_t n) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_time(int64_t *ns, uint64_t *error_ns, gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_on_complete(gevt_event_t ev, gevt_complete_fn_t fn, void *user) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_get_info(gevt_event_info_t *info, gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_set_name(gevt_event_t ev, const char *name) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_wrap(gevt_event_t *out, gevt_context_t ctx, void *native, gevt_event_flags_t flags) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_native(void **native, gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_create(gevt_stream_t *out, gevt_context_t ctx, gevt_stream_flags_t flags) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_launch(gevt_stream_t s, gevt_host_fn_t fn, void *user) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_launch_n(gevt_stream_t s, size_t n, gevt_item_fn_t fn, void *user) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_wait(gevt_stream_t s, gevt_event_t ev, gevt_wait_flags_t flags) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_query(gevt_stream_t s) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_sync(gevt_stream_t s) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_sync_timeout(gevt_stream_t s, uint64_t timeout_ns) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_set_name(gevt_stream_t s, const char *name) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_get_info(gevt_stream_info_t *info, gevt_stream_t s) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_native(void **native, gevt_stream_t s) GEVT_NOEXCEPT;
GEVT_API gevt_status_t gevt_stream_destroy(gevt_stream_t s) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_stream_wrap(gevt_stream_t *out, gevt_context_t ctx, void *native) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_get_threads(uint32_t *n) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_set_threads(uint32_t n) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_host_set_executor(const gevt_executor_t *executor) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_device_count(int32_t *count, gevt_backend_t backend) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_open(gevt_context_t *out, gevt_backend_t backend, int32_t device) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_set_current(gevt_context_t ctx) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_get_current(gevt_context_t *out) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_calibrate(gevt_context_t ctx) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_sync(gevt_context_t ctx) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_sync_timeout(gevt_context_t ctx, uint64_t timeout_ns) GEVT_NOEXCEPT;
GEVT_API gevt_status_t gevt_context_close(gevt_context_t ctx) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_wrap(gevt_context_t *out, gevt_backend_t backend, void *native) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_get_info(gevt_context_info_t *info, gevt_context_t ctx) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_context_native(void **native, gevt_context_t ctx) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_ipc_export(gevt_ipc_handle_t *handle, gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_ipc_import(gevt_event_t *out, gevt_context_t ctx, const gevt_ipc_handle_t *handle) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_wrap_device(gevt_context_t *out, const gevt_vulkan_device_t *device) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_wrap_queue(gevt_stream_t *out, gevt_context_t ctx, const gevt_vulkan_queue_t *queue) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_submit_begin(gevt_vulkan_batch_t *batch, gevt_stream_t s, const gevt_event_t *records, size_t n) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_submit_end(gevt_stream_t s, const gevt_vulkan_batch_t *batch, int32_t result) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_submit_cancel(gevt_stream_t s, const gevt_vulkan_batch_t *batch) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_stream_wait(gevt_stream_t s, gevt_event_t ev, uint64_t stages) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_write_time(gevt_event_t ev, struct VkCommandBuffer_T *command_buffer, uint64_t stage) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_ticks(uint64_t *ticks, double *period, gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_point(uint64_t *semaphore, uint64_t *value, gevt_event_t ev) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_vulkan_wrap_point(gevt_event_t *out, gevt_context_t ctx, uint64_t semaphore, uint64_t value) GEVT_NOEXCEPT;
GEVT_API gevt_detail_t gevt_last_detail(void) GEVT_NOEXCEPT;
GEVT_API const char *gevt_last_message(void) GEVT_NOEXCEPT;
GEVT_API const char *gevt_status_name(gevt_status_t status) GEVT_NOEXCEPT;
GEVT_API const char *gevt_status_string(gevt_status_t status) GEVT_NOEXCEPT;
GEVT_API const char *gevt_detail_name(gevt_detail_t detail) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_set_log_callback(gevt_log_fn_t fn, void *user, gevt_log_level_t level) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_trace_start(const char *path) GEVT_NOEXCEPT;
GEVT_NODISCARD GEVT_API gevt_status_t gevt_trace_stop(void) GEVT_NOEXCEPT;
GEVT_API uint32_t gevt_version(void) GEVT_NOEXCEPT;
GEVT_API const char *gevt_version_string(void) GEVT_NOEXCEPT;
GEVT_API size_t gevt_live_events(void) GEVT_NOEXCEPT;
#ifdef __cplusplus
}
#endif
#endif
