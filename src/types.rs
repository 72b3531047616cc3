//! The types and constants of the C API, other than the status and detail codes.

#![expect(non_camel_case_types, reason = "spelled as C spells them")]

use std::ffi::{c_char, c_int, c_void};

/// The result of a call: GEVT_SUCCESS or an error code.
///
/// The numbers are CUDA's. Newer drivers may add codes: treat every value except GEVT_SUCCESS and GEVT_ERROR_NOT_READY as a failure.
pub type gevt_status_t = i32;

/// The cause behind a status; see gevt_last_detail().
pub type gevt_detail_t = i32;

// In C they are pointers, of the same length, to structures that are never defined.
pub use gevt_core::{Context as gevt_context_t, Event as gevt_event_t, Stream as gevt_stream_t};

/// A backend: one of the GEVT_BACKEND_... values.
pub type gevt_backend_t = u32;
/// What the variable GEVT_BACKEND names, or CUDA if it has a device, else the host.
pub const GEVT_BACKEND_AUTO: gevt_backend_t = 0;
/// Threads of the CPU; always available.
pub const GEVT_BACKEND_HOST: gevt_backend_t = 1;
/// NVIDIA GPUs, through the CUDA driver.
pub const GEVT_BACKEND_CUDA: gevt_backend_t = 2;
/// Devices of Vulkan 1.2 (1.1 if wrapped), as vkEnumeratePhysicalDevices lists them. Never the default.
pub const GEVT_BACKEND_VULKAN: gevt_backend_t = 3;

/// The flags of an event: GEVT_EVENT_... bits.
pub type gevt_event_flags_t = u32;
/// An event with timing. A thread in gevt_sync() spins before it sleeps.
pub const GEVT_EVENT_DEFAULT: gevt_event_flags_t = 0x0;
/// A thread in gevt_sync() does not spin, as it never does on Vulkan (CU_EVENT_BLOCKING_SYNC).
pub const GEVT_EVENT_BLOCKING_SYNC: gevt_event_flags_t = 0x1;
/// Disables timing, which makes records cheaper (CU_EVENT_DISABLE_TIMING).
pub const GEVT_EVENT_DISABLE_TIMING: gevt_event_flags_t = 0x2;
/// Can be shared with other processes (CU_EVENT_INTERPROCESS). Requires GEVT_EVENT_DISABLE_TIMING.
pub const GEVT_EVENT_INTERPROCESS: gevt_event_flags_t = 0x4;
/// Query, sync and stream wait fail if the event was never recorded, instead of succeeding as in CUDA.
pub const GEVT_EVENT_STRICT: gevt_event_flags_t = 0x10000;
/// The event is pending until gevt_signal(), and cannot be recorded.
pub const GEVT_EVENT_HOST_SIGNALED: gevt_event_flags_t = 0x20000;

/// The flags of a stream: GEVT_STREAM_... bits.
pub type gevt_stream_flags_t = u32;
/// The stream is ordered against the default stream, both ways.
pub const GEVT_STREAM_DEFAULT: gevt_stream_flags_t = 0x0;
/// The stream is not ordered against the default stream (CU_STREAM_NON_BLOCKING).
pub const GEVT_STREAM_NON_BLOCKING: gevt_stream_flags_t = 0x1;

/// The flags of a record: GEVT_RECORD_... bits.
pub type gevt_record_flags_t = u32;
/// An ordinary record.
pub const GEVT_RECORD_DEFAULT: gevt_record_flags_t = 0x0;
/// In a stream capture, adds a record node to the graph (CU_EVENT_RECORD_EXTERNAL).
pub const GEVT_RECORD_EXTERNAL: gevt_record_flags_t = 0x1;

/// The flags of a wait: GEVT_WAIT_... bits.
pub type gevt_wait_flags_t = u32;
/// An ordinary wait.
pub const GEVT_WAIT_DEFAULT: gevt_wait_flags_t = 0x0;
/// In a stream capture, adds a wait node to the graph (CU_EVENT_WAIT_EXTERNAL).
pub const GEVT_WAIT_EXTERNAL: gevt_wait_flags_t = 0x1;

/// A timeout that never expires.
pub const GEVT_TIMEOUT_INFINITE: u64 = u64::MAX;

/// The state of an event: one of the GEVT_STATE_... values. See gevt_get_info().
pub type gevt_event_state_t = u32;
/// The event was never recorded.
pub const GEVT_STATE_UNRECORDED: gevt_event_state_t = 0;
/// The last record has not completed yet.
pub const GEVT_STATE_PENDING: gevt_event_state_t = 1;
/// The last record has completed.
pub const GEVT_STATE_COMPLETE: gevt_event_state_t = 2;
/// The event was last recorded in a stream capture.
pub const GEVT_STATE_CAPTURED: gevt_event_state_t = 3;
/// The last record cannot complete, or the event was signaled with a failure. gevt_query() returns the reason.
pub const GEVT_STATE_FAILED: gevt_event_state_t = 4;

/// The bytes that identify an event to another process; see gevt_ipc_export(). They may be copied, sent and stored.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gevt_ipc_handle_t {
    /// Opaque.
    pub bytes: [u8; GEVT_IPC_HANDLE_SIZE],
}

/// The size of gevt_ipc_handle_t in bytes.
pub const GEVT_IPC_HANDLE_SIZE: usize = 64;

/// The size of gevt_event_info_t::name in bytes, including the terminating NUL.
pub const GEVT_NAME_SIZE: usize = 64;

/// A description of an event, filled in by gevt_get_info(). Later versions may add fields at the end.
#[repr(C)]
pub struct gevt_event_info_t {
    /// Set by the caller to sizeof(gevt_event_info_t). Receives the number of bytes written.
    pub size: usize,
    /// The flags with which the event was created.
    pub flags: gevt_event_flags_t,
    /// The state of the event.
    pub state: gevt_event_state_t,
    /// The backend; GEVT_BACKEND_AUTO if the event is not bound to a context yet.
    pub backend: gevt_backend_t,
    /// The device number; -1 if the event is not bound yet.
    pub device: i32,
    /// The handle that bound the event, even if it is closed by now; NULL if not bound yet.
    pub context: gevt_context_t,
    /// 1 if the event was imported from another process, else 0.
    pub imported: u32,
    /// Always 0.
    pub reserved: u32,
    /// The number of records made through gevt, including failed ones, and of calls of gevt_reset().
    pub record_count: u64,
    /// The name in UTF-8, NUL-terminated; empty if the event has none.
    pub name: [c_char; GEVT_NAME_SIZE],
}

/// The size of gevt_context_info_t::name in bytes, including the terminating NUL.
pub const GEVT_DEVICE_NAME_SIZE: usize = 256;

/// What is known of a context: GEVT_CONTEXT_HAS_... bits.
pub type gevt_context_known_t = u32;
/// gevt_context_info_t::uuid is known.
pub const GEVT_CONTEXT_HAS_UUID: gevt_context_known_t = 0x1;
/// gevt_context_info_t::luid and luid_node_mask are known.
pub const GEVT_CONTEXT_HAS_LUID: gevt_context_known_t = 0x2;
/// The pci_... fields of gevt_context_info_t are known.
pub const GEVT_CONTEXT_HAS_PCI: gevt_context_known_t = 0x4;

/// A description of a context and its device, filled in by gevt_context_get_info(). Later versions may add fields at the end.
#[repr(C)]
pub struct gevt_context_info_t {
    /// Set by the caller to sizeof(gevt_context_info_t). Receives the number of bytes written.
    pub size: usize,
    /// The backend.
    pub backend: gevt_backend_t,
    /// The device number; -1 if the backend does not list the device.
    pub device: i32,
    /// GEVT_CONTEXT_HAS_... bits: which of the following are known. The others are 0.
    pub known: gevt_context_known_t,
    /// The device's bit in the node mask of its LUID.
    pub luid_node_mask: u32,
    /// The UUID of the device, the same in CUDA and in Vulkan.
    pub uuid: [u8; 16],
    /// The locally unique identifier of the device, on Windows.
    pub luid: [u8; 8],
    /// The PCI domain.
    pub pci_domain: u32,
    /// The PCI bus.
    pub pci_bus: u32,
    /// The PCI device.
    pub pci_device: u32,
    /// The PCI function.
    pub pci_function: u32,
    /// The name that the driver gives the device, in UTF-8, NUL-terminated; "host" for the host.
    pub name: [c_char; GEVT_DEVICE_NAME_SIZE],
}

/// The queue family of a stream that has no queue.
pub const GEVT_NO_QUEUE_FAMILY: u32 = 0xffffffff;

/// A description of a stream, filled in by gevt_stream_get_info(). Later versions may add fields at the end.
#[repr(C)]
pub struct gevt_stream_info_t {
    /// Set by the caller to sizeof(gevt_stream_info_t). Receives the number of bytes written.
    pub size: usize,
    /// The context handle with which the stream was made, even if it has been closed since.
    pub context: gevt_context_t,
    /// The backend.
    pub backend: gevt_backend_t,
    /// The device number; -1 if the backend does not list the device.
    pub device: i32,
    /// The flags with which the stream was created; 0 for default streams and for streams of the caller.
    pub flags: gevt_stream_flags_t,
    /// On Vulkan the queue family of the stream's queue; GEVT_NO_QUEUE_FAMILY on the other backends.
    pub queue_family: u32,
    /// The name in UTF-8, NUL-terminated; empty if the stream has none.
    pub name: [c_char; GEVT_NAME_SIZE],
}

/// The importance of a log message: one of the GEVT_LOG_... values.
pub type gevt_log_level_t = u32;
/// No messages.
pub const GEVT_LOG_OFF: gevt_log_level_t = 0;
/// A context was lost, or gevt caught a bug of its own.
pub const GEVT_LOG_ERROR: gevt_log_level_t = 1;
/// A call failed, or a trace is incomplete.
pub const GEVT_LOG_WARN: gevt_log_level_t = 2;
/// A decision, such as the choice of the default backend.
pub const GEVT_LOG_INFO: gevt_log_level_t = 3;

/// A function that receives log messages; see gevt_set_log_callback().
pub type gevt_log_fn_t = Option<extern "C" fn(user: *mut c_void, level: gevt_log_level_t, message: *const c_char)>;

/// A function that runs in stream order; see gevt_stream_launch().
pub type gevt_host_fn_t = Option<extern "C" fn(user: *mut c_void)>;

/// The program's job system; see gevt_host_set_executor(). Later versions may add fields at the end.
#[repr(C)]
pub struct gevt_executor_t {
    /// Set by the caller to sizeof(gevt_executor_t).
    pub size: usize,
    /// The first argument of `submit`.
    pub user: *mut c_void,
    /// Arranges that `run(arg)` is called once, soon, on any thread. Returns 0, or another value if it will not be called.
    pub submit: Option<extern "C" fn(user: *mut c_void, run: gevt_host_fn_t, arg: *mut c_void) -> c_int>,
    /// How many threads call `run`, at most 1,024, or 0 for the number of cores.
    pub threads: u32,
}

/// A function that runs once for each item of a launch; see gevt_stream_launch_n().
pub type gevt_item_fn_t = Option<extern "C" fn(user: *mut c_void, item: usize, worker: u32)>;

/// A function that runs when an event completes or fails; see gevt_on_complete().
pub type gevt_complete_fn_t = Option<extern "C" fn(user: *mut c_void, status: gevt_status_t)>;

/// The enabled features of a VkDevice: GEVT_VULKAN_... bits.
pub type gevt_vulkan_features_t = u32;
/// In gevt_vulkan_device_t::features: timelineSemaphore was enabled. gevt needs it.
pub const GEVT_VULKAN_TIMELINE_SEMAPHORE: gevt_vulkan_features_t = 0x1;
/// In gevt_vulkan_device_t::features: synchronization2 was enabled.
pub const GEVT_VULKAN_SYNCHRONIZATION2: gevt_vulkan_features_t = 0x2;
/// In gevt_vulkan_device_t::features: hostQueryReset was enabled.
pub const GEVT_VULKAN_HOST_QUERY_RESET: gevt_vulkan_features_t = 0x4;

/// The flags of a wrapped VkQueue: GEVT_VULKAN_COLLECT_WAITS and GEVT_VULKAN_EXPORTABLE.
pub type gevt_vulkan_queue_flags_t = u32;
/// In gevt_vulkan_queue_t::flags: gevt_stream_wait() adds its waits to the next batch or record.
pub const GEVT_VULKAN_COLLECT_WAITS: gevt_vulkan_queue_flags_t = 0x1;
/// In gevt_vulkan_queue_t::flags: the caller can export the stream's timeline semaphore, for another process or API.
pub const GEVT_VULKAN_EXPORTABLE: gevt_vulkan_queue_flags_t = 0x2;

/// A vkGetInstanceProcAddr: PFN_vkGetInstanceProcAddr.
pub type gevt_vulkan_get_proc_fn_t =
    Option<extern "C" fn(instance: *mut VkInstance_T, name: *const c_char) -> Option<extern "C" fn()>>;

/// A VkDevice of the caller; see gevt_vulkan_wrap_device(). Later versions may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gevt_vulkan_device_t {
    /// Set by the caller to sizeof(gevt_vulkan_device_t).
    pub size: usize,
    /// The VkInstance.
    pub instance: *mut VkInstance_T,
    /// The VkPhysicalDevice.
    pub physical_device: *mut VkPhysicalDevice_T,
    /// The VkDevice.
    pub device: *mut VkDevice_T,
    /// The caller's vkGetInstanceProcAddr.
    pub get_instance_proc_addr: gevt_vulkan_get_proc_fn_t,
    /// The VkApplicationInfo::apiVersion of the instance, or the device's version if that is less.
    pub api_version: u32,
    /// The number of extensions.
    pub extension_count: u32,
    /// The VkDeviceCreateInfo::ppEnabledExtensionNames of the device.
    pub extensions: *const *const c_char,
    /// The enabled features: GEVT_VULKAN_TIMELINE_SEMAPHORE and others.
    pub features: gevt_vulkan_features_t,
    /// Set to 0.
    pub reserved: u32,
}

// Vulkan's headers never define them either.
pub use std::ffi::{
    c_void as VkCommandBuffer_T, c_void as VkDevice_T, c_void as VkInstance_T, c_void as VkPhysicalDevice_T,
    c_void as VkQueue_T,
};

/// A function that locks or unlocks a VkQueue; see gevt_vulkan_queue_t.
pub type gevt_vulkan_lock_fn_t = Option<extern "C" fn(user: *mut c_void)>;

/// A VkQueue of the caller; see gevt_vulkan_wrap_queue(). Later versions may add fields at the end.
///
/// gevt calls `lock` before it submits to the queue and `unlock` afterwards, on the same thread, and never blocks in between. Destroying
/// a stream with an open batch calls `unlock` on the destroying thread. The functions must not call gevt. Do not call gevt while you hold the
/// lock, except between gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(). The same functions with the same `user` may lock several
/// VkQueues of a device. If both are NULL, the stream takes only batches and waits, and the caller keeps other threads away from the
/// queue during a batch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gevt_vulkan_queue_t {
    /// Set by the caller to sizeof(gevt_vulkan_queue_t).
    pub size: usize,
    /// The VkQueue.
    pub queue: *mut VkQueue_T,
    /// The queue family of the VkQueue.
    pub family: u32,
    /// 0, or GEVT_VULKAN_COLLECT_WAITS and GEVT_VULKAN_EXPORTABLE.
    pub flags: gevt_vulkan_queue_flags_t,
    /// Locks the queue for the calling thread; or NULL.
    pub lock: gevt_vulkan_lock_fn_t,
    /// Unlocks the queue; or NULL.
    pub unlock: gevt_vulkan_lock_fn_t,
    /// The argument of both functions.
    pub user: *mut c_void,
}

/// An open batch; see gevt_vulkan_submit_begin(). Later versions may add fields at the end.
///
/// `waits` and `signal` are for vkQueueSubmit2, and the fields after `ticket` for vkQueueSubmit. The arrays are valid until
/// gevt_vulkan_submit_end() or gevt_vulkan_submit_cancel(). The caller may copy them and narrow the stages of the waits.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct gevt_vulkan_batch_t {
    /// Set by the caller to sizeof(gevt_vulkan_batch_t).
    pub size: usize,
    /// A VkSemaphoreSubmitInfo[wait_count], for the submit's waits.
    pub waits: *const c_void,
    /// The number of waits; may be 0.
    pub wait_count: u32,
    /// Set to 0.
    pub reserved: u32,
    /// One VkSemaphoreSubmitInfo, for the submit's signals.
    pub signal: *const c_void,
    /// Names the batch.
    pub ticket: u64,
    /// A VkSemaphore[wait_count].
    pub wait_semaphores: *const c_void,
    /// The values of these semaphores.
    pub wait_values: *const u64,
    /// Their VkPipelineStageFlags.
    pub wait_stages: *const u32,
    /// One VkSemaphore.
    pub signal_semaphore: *const c_void,
    /// Its value.
    pub signal_value: *const u64,
}
