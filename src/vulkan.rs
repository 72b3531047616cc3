//! The exported functions of Vulkan objects: the program's devices and queues, and events in its submits.

use super::boundary::{CHandle, Out, call};
use super::sized::{self, sized};
use super::sync::list;
use super::types::{
    gevt_context_t, gevt_event_t, gevt_status_t, gevt_stream_t, gevt_vulkan_batch_t, gevt_vulkan_device_t,
    gevt_vulkan_queue_t,
};
use gevt_core::vulkan::{
    self, Batch, DeviceInfo, Point, ProgramCommands, ProgramDevice, ProgramPoint, ProgramQueue, QueueInfo,
};
use gevt_core::{Error, Handle};
use std::ffi::c_void;

sized!(gevt_vulkan_device_t, "device", reserved: u32);
sized!(gevt_vulkan_queue_t, "queue", user: *mut c_void);
sized!(gevt_vulkan_batch_t, "batch", ticket: u64);

/// Creates a context for a VkDevice that the caller owns.
///
/// `out` receives a handle that the caller closes with gevt_context_close(). `device` describes the VkDevice; gevt reads it during
/// the call alone. Wrapping a VkDevice twice gives two handles to one context. The device number of the context is the place of
/// the physical device in the list of vkEnumeratePhysicalDevices.
///
/// All calls go through `device->get_instance_proc_addr`, so that they pass the layers of the instance. gevt makes one timeline
/// semaphore for each stream, query pools and command buffers for times, and uses only queues of gevt_vulkan_wrap_queue().
///
/// The VkDevice must live until the last handle of its context has been closed. That call frees gevt's Vulkan objects before it
/// returns; it waits for submits of gevt's that the device has not finished, and gives waits that are blocked
/// GEVT_ERROR_CONTEXT_IS_DESTROYED, as every later call with the context's streams and events gets. Host functions that have not begun
/// do not run. From then on nothing of gevt's touches the device. Before that call, the program's own submits must have finished that
/// wait for a point of gevt_vulkan_point(), belong to a batch, or have a timestamp of gevt_vulkan_write_time().
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `out`, `device` or a pointer in it is NULL, `device->size` is less than that of the structure's first version, `device->features` has
///   a bit that gevt does not know, or `device->reserved` is not 0.
/// - GEVT_ERROR_NOT_SUPPORTED: `device->api_version` is less than Vulkan 1.2, GEVT_VULKAN_TIMELINE_SEMAPHORE is missing in
///   `device->features`, or a function of the device cannot be found. gevt_last_message() says which.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory or handle left.
///
/// # Safety
/// `out` must be NULL or valid for a write. `device` must be NULL or point to `device->size` readable bytes, which describe a live
/// VkDevice as the structure says.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_wrap_device(
    out: *mut gevt_context_t,
    device: *const gevt_vulkan_device_t,
) -> gevt_status_t {
    call("gevt_vulkan_wrap_device", Handle::NULL, || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        // SAFETY: this function requires `device` to be NULL or to have the size that it says.
        let device = unsafe { sized::read(device) }?;
        if device.reserved != 0 {
            return Err(Error::BadArgument("device->reserved"));
        }
        let info = DeviceInfo {
            instance: device.instance as u64,
            physical_device: device.physical_device as u64,
            device: device.device as u64,
            get_instance_proc_addr: device.get_instance_proc_addr,
            api_version: device.api_version,
            features: device.features,
            extensions: device.extensions,
            extension_count: device.extension_count,
        };
        // SAFETY: this function requires the structure to describe a live device.
        let device = unsafe { ProgramDevice::new(info) };
        vulkan::wrap_device(&device).map(|context| out.write(CHandle::from_named(context)))
    })
}

/// Creates a stream for a VkQueue of a wrapped device.
///
/// `out` receives a handle that the caller destroys with gevt_stream_destroy(). `ctx` is a context of gevt_vulkan_wrap_device();
/// NULL is the calling thread's current context. `queue` describes the VkQueue; gevt reads it during the call alone, but calls
/// `lock` and `unlock` with `user` until the context ends.
///
/// A VkQueue may be wrapped several times, with the same family and the same functions: each stream then has a timeline of its
/// own, and the device finishes the streams' work in the order of their submits. Once no stream uses it any more, it may be
/// wrapped with others.
///
/// A stream knows the work that passes through gevt: records, waits, host functions and batches. gevt_stream_query() speaks of that. If
/// the queue has lock functions, a record and gevt_stream_sync() also wait for what the caller has submitted to the VkQueue itself.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `out`, `queue` or `queue->queue` is NULL, `queue->size` is less than that of the structure's first version, `queue->flags`
///   has an unknown bit, the physical device has no such family, one of `lock` and `unlock` is NULL and the other is not, or the
///   VkQueue is wrapped with another family or other functions.
/// - GEVT_ERROR_INVALID_HANDLE: `ctx` is neither NULL nor a live context.
/// - GEVT_ERROR_NOT_SUPPORTED: the context is not one of gevt_vulkan_wrap_device().
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory or handle left.
/// - GEVT_ERROR_NO_DEVICE: `ctx` is NULL, and the default backend cannot be used: see gevt_context_get_current(), also for
///   GEVT_ERROR_INVALID_VALUE.
///
/// # Safety
/// `out` must be NULL or valid for a write. `queue` must be NULL or point to `queue->size` readable bytes, which describe a VkQueue
/// of the device as the structure says.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_wrap_queue(
    out: *mut gevt_stream_t,
    ctx: gevt_context_t,
    queue: *const gevt_vulkan_queue_t,
) -> gevt_status_t {
    call("gevt_vulkan_wrap_queue", ctx.bits(), || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        // SAFETY: this function requires `queue` to be NULL or to have the size that it says.
        let queue = unsafe { sized::read(queue) }?;
        let info = QueueInfo {
            queue: queue.queue as u64,
            family: queue.family,
            flags: queue.flags,
            lock: queue.lock,
            unlock: queue.unlock,
            user: queue.user,
        };
        // SAFETY: this function requires the structure to describe a queue of the device.
        let queue = unsafe { ProgramQueue::new(info) };
        vulkan::wrap_queue(ctx.named(), queue).map(|stream| out.write(CHandle::from_named(stream)))
    })
}

/// Begins a batch: the caller's submit, which also records events and makes the stream's waits.
///
/// `s` is a stream of gevt_vulkan_wrap_queue(), or one that gevt_stream_create() made in the same context. `records` are `n` events
/// that the batch records; none may be in it twice. They are pending from this call on, as after gevt_record(), and complete when
/// the device has finished the submit. `n` may be 0. The caller sets `batch->size`; `batch` receives the rest.
///
/// The caller then submits to the VkQueue of the stream, on the same thread, with `batch->waits` among the waits of its first
/// VkSubmitInfo2 and `batch->signal` among the signals of its last one, and passes the result to gevt_vulkan_submit_end(). On a
/// device without synchronization2 it takes semaphore, value and stages from there for vkQueueSubmit.
///
/// Between the two calls the VkQueue is locked: gevt_vulkan_submit_begin() calls the `lock` of gevt_vulkan_queue_t, and
/// gevt_vulkan_submit_end() calls `unlock`. Without such functions the caller keeps other threads away from the queue. Other calls
/// that need the VkQueue wait for the end of the batch on other threads, and are refused on this one.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `batch` is NULL, `batch->size` is less than that of the structure's first version, or `records` is NULL and `n` is not 0, or
///   an event is in it twice.
/// - GEVT_ERROR_INVALID_HANDLE: `s` is neither NULL nor a live stream, or an event is not a live one, or is bound to another context.
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not one of the Vulkan backend, or an event cannot be recorded there.
/// - GEVT_ERROR_ILLEGAL_STATE: an event was created with GEVT_EVENT_HOST_SIGNALED, or a batch is open on the VkQueue, begun by this
///   thread; or by any, if the queue has no lock.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory left.
/// - GEVT_ERROR_NO_DEVICE: `s` is NULL, and the default backend cannot be used: see gevt_context_get_current(), also for
///   GEVT_ERROR_INVALID_VALUE.
///
/// # Safety
/// `records` must be NULL or point to `n` handles. `batch` must be NULL or point to `batch->size` bytes that are valid for reads and
/// writes.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_submit_begin(
    batch: *mut gevt_vulkan_batch_t,
    s: gevt_stream_t,
    records: *const gevt_event_t,
    n: usize,
) -> gevt_status_t {
    call("gevt_vulkan_submit_begin", s.bits(), || {
        // SAFETY: this function requires `batch` to be NULL or to have the size that it says.
        let given = unsafe { sized::read(batch.cast_const()) }?;
        // SAFETY: this function requires `records` to be NULL or to point to `n` handles.
        let events = unsafe { list(records, n, "records") }?;
        let Batch { waits, wait_count, signal, ticket } = vulkan::submit_begin(s.named(), events)?;
        let size = given.size.min(size_of::<gevt_vulkan_batch_t>());
        let begun = gevt_vulkan_batch_t { size, waits, wait_count, reserved: 0, signal, ticket };
        // SAFETY: this function requires `batch` to have the size that it says, and to be writable.
        unsafe { sized::write(batch, size, &begun) };
        Ok(())
    })
}

/// Ends a batch.
///
/// `batch` is what gevt_vulkan_submit_begin() filled in, and `result` is the VkResult of the submit: 0 (VK_SUCCESS) if it was made.
/// `waits` and `signal` are no longer valid from this call on.
///
/// If `result` is anything else, the batch is taken back: the events that it recorded fail with GEVT_DETAIL_SUBMIT_FAILED and the status
/// for `result`. Their state is GEVT_STATE_FAILED until they are recorded again. Their waiters return, and the stream continues.
/// VK_ERROR_DEVICE_LOST (-4) marks the context as lost. If no submit is made, call gevt_vulkan_submit_cancel() instead.
///
/// The call succeeds for every `result`, and if the context has been lost since the batch began. During process exit it also calls
/// `unlock`, and returns GEVT_ERROR_DEINITIALIZED.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `batch` is NULL, or `batch->size` is less than that of the structure's first version.
/// - GEVT_ERROR_INVALID_HANDLE: `s` is neither NULL nor a live stream.
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not one of the Vulkan backend.
/// - GEVT_ERROR_ILLEGAL_STATE: the stream has no open batch with that ticket.
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: the last handle of the context has been closed, which has taken the batch back.
///
/// # Safety
/// `batch` must be NULL or point to `batch->size` readable bytes.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_submit_end(
    s: gevt_stream_t,
    batch: *const gevt_vulkan_batch_t,
    result: i32,
) -> gevt_status_t {
    call("gevt_vulkan_submit_end", s.bits(), || {
        // SAFETY: this function requires `batch` to be NULL or to have the size that it says.
        let batch = unsafe { sized::read(batch) }?;
        vulkan::submit_end(s.named(), batch.ticket, result)
    })
}

/// Cancels a batch: the caller makes no submit for it.
///
/// The batch is taken back as by gevt_vulkan_submit_end() for a failed submit, and its events fail with GEVT_ERROR_ILLEGAL_STATE and
/// GEVT_DETAIL_SUBMIT_FAILED. Destroying the stream cancels an open batch as well; gevt_stream_destroy() then calls `unlock`. Closing the
/// last handle of a wrapped device's context does the same, with GEVT_ERROR_CONTEXT_IS_DESTROYED for the events.
///
/// The call succeeds if the context has been lost since the batch began. During process exit it also calls `unlock`, and returns
/// GEVT_ERROR_DEINITIALIZED.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `batch` is NULL, or `batch->size` is less than that of the structure's first version.
/// - GEVT_ERROR_INVALID_HANDLE: `s` is neither NULL nor a live stream.
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not one of the Vulkan backend.
/// - GEVT_ERROR_ILLEGAL_STATE: the stream has no open batch with that ticket.
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: the last handle of the context has been closed, which has canceled the batch.
///
/// # Safety
/// `batch` must be NULL or point to `batch->size` readable bytes.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_submit_cancel(
    s: gevt_stream_t,
    batch: *const gevt_vulkan_batch_t,
) -> gevt_status_t {
    call("gevt_vulkan_submit_cancel", s.bits(), || {
        // SAFETY: this function requires `batch` to be NULL or to have the size that it says.
        let batch = unsafe { sized::read(batch) }?;
        vulkan::submit_cancel(s.named(), batch.ticket)
    })
}

/// Writes an event's timestamp into the caller's command buffer. Like vkCmdWriteTimestamp2.
///
/// The next batch that records the event takes its time from there: submit the command buffer with that batch. `ev` is an event
/// with timing that is bound to the context of the command buffer's device, by gevt_create_in() or an earlier record.
/// `command_buffer` is a VkCommandBuffer in the recording state. `stage` is one VkPipelineStageFlags2 bit; bits beyond the 32nd need
/// GEVT_VULKAN_SYNCHRONIZATION2.
///
/// With GEVT_VULKAN_HOST_QUERY_RESET the call may stand inside a render pass. Without it the call also writes vkCmdResetQueryPool, and
/// so needs a graphics or compute queue and a place outside of a render pass. The event must live until the device has finished the
/// command buffer.
///
/// A command buffer may be submitted again, and several may have a timestamp of one event. A timestamp's query holds one time, so each
/// submit needs its own batch, begun after the event's last record completed. A batch that is begun earlier has no time.
///
/// An event that a batch records without such a timestamp has no time: gevt_elapsed() refuses it. gevt_record() writes the timestamp
/// itself, unless its stream has to wait for a host function that a batch in the same VkQueue waits for.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `command_buffer` is NULL, or `stage` is not one bit.
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event, or was created with GEVT_EVENT_DISABLE_TIMING.
/// - GEVT_ERROR_ILLEGAL_STATE: the event is not bound to a context yet.
/// - GEVT_ERROR_NOT_SUPPORTED: the event is bound to another backend, or `stage` needs synchronization2.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory left.
///
/// # Safety
/// `command_buffer` must be NULL or a VkCommandBuffer of the device that no other thread uses during the call.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_write_time(
    ev: gevt_event_t,
    command_buffer: *mut c_void,
    stage: u64,
) -> gevt_status_t {
    call("gevt_vulkan_write_time", ev.bits(), || {
        // SAFETY: this function requires it to be NULL or a command buffer that this thread may record.
        let commands = unsafe { ProgramCommands::new(command_buffer as u64) };
        vulkan::write_time(ev.named(), commands, stage)
    })
}

/// Returns the point of an event's last record: a timeline semaphore and the value that it reaches when the event completes.
///
/// `semaphore` receives the VkSemaphore, `value` the value, for a wait of the caller's own, on the host or in a submit of any queue of
/// the device. The semaphore belongs to gevt, must not be signalled by others, and lives as long as the context. An event that was
/// never recorded has the semaphore VK_NULL_HANDLE and the value 0, and there is nothing to wait for.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `semaphore` or `value` is NULL.
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event.
/// - GEVT_ERROR_NOT_SUPPORTED: the event is bound to another backend.
///
/// # Safety
/// `semaphore` and `value` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_point(semaphore: *mut u64, value: *mut u64, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_vulkan_point", ev.bits(), || {
        // SAFETY: this function requires `semaphore` to be NULL or valid for a write until it returns.
        let semaphore = unsafe { Out::new(semaphore, "semaphore") }?;
        // SAFETY: as above.
        let value = unsafe { Out::new(value, "value") }?;
        let point = vulkan::point(ev.named())?;
        semaphore.write(point.semaphore);
        value.write(point.value);
        Ok(())
    })
}

/// Creates an event that completes when a timeline semaphore of the caller's reaches a value.
///
/// `out` receives a handle that the caller destroys. `ctx` is a Vulkan context of the semaphore's device; NULL is the calling thread's
/// current context. The semaphore remains the caller's and must live as long as the event, and as long as the device works on waits
/// for it. The event is recorded already, has no timing, and cannot be recorded again. A stream that waits for it makes its VkQueue
/// wait: a signal that the caller submits to the same VkQueue later never comes.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `out` is NULL, or `semaphore` is VK_NULL_HANDLE.
/// - GEVT_ERROR_INVALID_HANDLE: `ctx` is neither NULL nor a live context.
/// - GEVT_ERROR_NOT_SUPPORTED: the context is not one of Vulkan.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory or handle left.
///
/// # Safety
/// `out` must be NULL or valid for a write. `semaphore` must be VK_NULL_HANDLE or a timeline semaphore of the context's device that
/// outlives the event.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_wrap_point(
    out: *mut gevt_event_t,
    ctx: gevt_context_t,
    semaphore: u64,
    value: u64,
) -> gevt_status_t {
    call("gevt_vulkan_wrap_point", ctx.bits(), || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        // SAFETY: this function requires it to be a timeline semaphore that outlives the event.
        let point = unsafe { ProgramPoint::new(Point { semaphore, value }) };
        vulkan::wrap_point(ctx.named(), point).map(|event| out.write(CHandle::from_named(event)))
    })
}
