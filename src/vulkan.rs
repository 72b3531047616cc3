//! The exported functions of Vulkan objects: the program's devices and queues, and events in its submits.

use super::array::list;
use super::boundary::{call, call_for};
use super::out::Out;
use super::sized::{self, SizedOut, sized};
use super::types::{
    VkCommandBuffer_T, gevt_context_t, gevt_event_t, gevt_status_t, gevt_stream_t, gevt_vulkan_batch_t,
    gevt_vulkan_device_t, gevt_vulkan_queue_t,
};
use gevt_core::vulkan::{self, DeviceInfo, Point, QueueInfo};
use gevt_core::{Error, Handle};
use std::ffi::c_void;
use std::ptr::null;

sized!(gevt_vulkan_device_t, "device", reserved: u32);
sized!(gevt_vulkan_queue_t, "queue", user: *mut c_void);
sized!(gevt_vulkan_batch_t, "batch", ticket: u64);

/// Creates a context for a VkDevice of the caller.
///
/// `device` is read during the call only. All Vulkan calls go through its `get_instance_proc_addr`. gevt creates timeline semaphores,
/// query pools and command buffers, and uses only queues of gevt_vulkan_wrap_queue(). Wrapping a VkDevice twice gives two handles to one
/// context.
///
/// The context ends when its last handle is closed, even if streams and events remain. That call waits for gevt's own submits, frees its
/// Vulkan objects, and fails blocked waits and all later calls with GEVT_ERROR_CONTEXT_IS_DESTROYED. Queued host functions do not run.
/// Before it, wait for your own submits that use a semaphore, batch or timestamp of gevt. The VkDevice must live until it returns.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: a pointer in `device` is NULL, its `size` is less than that of the first version, `features` has an
///   unknown bit, or `reserved` is not 0.
/// - GEVT_ERROR_NOT_SUPPORTED: `api_version` is less than Vulkan 1.1, timelineSemaphore is not enabled, or a function is missing.
///   gevt_last_message() tells which.
///
/// # Safety
/// `device` must be NULL or point to `device->size` readable bytes, which describe a live
/// VkDevice as the structure says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_wrap_device(
    out: Out<gevt_context_t>,
    device: *const gevt_vulkan_device_t,
) -> gevt_status_t {
    call_for("gevt_vulkan_wrap_device", Handle::NULL, out.check("out"), || {
        // SAFETY: this function requires `device` to be NULL or to have the size that it says.
        let device = unsafe { sized::read(device) }?;
        if device.reserved != 0 {
            return Err(Error::BadArgument("device->reserved"));
        }
        let info = DeviceInfo {
            instance: device.instance as u64,
            physical_device: device.physical_device as u64,
            device: device.device as u64,
            get_instance_proc_addr: device.get_instance_proc_addr.map_or(null(), |get| get as *const c_void),
            api_version: device.api_version,
            features: device.features,
            extensions: device.extensions,
            extension_count: device.extension_count,
        };
        // SAFETY: this function requires the structure to describe a live device.
        unsafe { vulkan::wrap_device(&info) }
    })
}

/// Creates a stream for a VkQueue of a wrapped device.
///
/// `queue` is read during the call only, but `lock` and `unlock` are called until the context ends. The caller destroys the stream with
/// gevt_stream_destroy(). A VkQueue may be wrapped several times with the same family and functions; its streams run in the order of
/// their submits.
///
/// The stream knows the work that passes through gevt. If the queue has lock functions, a record and gevt_stream_sync() also wait for
/// work that the caller submitted to the VkQueue directly.
///
/// With GEVT_VULKAN_EXPORTABLE the semaphore of gevt_vulkan_point() can be exported as VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT (on
/// Windows VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT). An importer may wait for it, and must not signal it.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `queue->queue` is NULL, its `size` is less than that of the first version, `flags` has an unknown bit, the
///   family does not exist, only one of `lock` and `unlock` is NULL, or the VkQueue is wrapped with another family or other functions.
/// - GEVT_ERROR_NOT_SUPPORTED: the context is not one of gevt_vulkan_wrap_device(); or, with GEVT_VULKAN_EXPORTABLE, the device was made
///   without VK_KHR_external_semaphore_fd (on Windows VK_KHR_external_semaphore_win32).
///
/// # Safety
/// `queue` must be NULL or point to `queue->size` readable bytes, which describe a VkQueue
/// of the device as the structure says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_wrap_queue(
    out: Out<gevt_stream_t>,
    ctx: gevt_context_t,
    queue: *const gevt_vulkan_queue_t,
) -> gevt_status_t {
    call_for("gevt_vulkan_wrap_queue", ctx.handle(), out.check("out"), || {
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
        unsafe { vulkan::wrap_queue(ctx, info) }
    })
}

/// Begins a batch: a submit of the caller that also records `n` events and makes the stream's waits.
///
/// The events are pending from this call on and complete with the submit. No event may occur twice. Set `batch->size` to
/// sizeof(gevt_vulkan_batch_t); the other fields are outputs. Then submit to the stream's VkQueue on the same thread: add `batch->waits`
/// to the waits of the first VkSubmitInfo2 and `batch->signal` to the signals of the last one. For vkQueueSubmit, `batch` has the same
/// as plain arrays. Your own waits and signals may stand beside them. Pass the result to gevt_vulkan_submit_end().
///
/// Between the two calls the VkQueue is locked with its lock functions, or by the caller if it has none. Other threads that need the
/// VkQueue wait for the end of the batch; this thread is refused. The same applies to the device's other VkQueues with the same lock.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `batch->size` is less than that of the structure's first version, `records` is NULL, or an event is in it
///   twice.
/// - GEVT_ERROR_INVALID_HANDLE: an event is bound to another context.
/// - GEVT_ERROR_ILLEGAL_STATE: an event is host-signaled. Or this thread has a batch open on the VkQueue, or on one with the same lock. Or
///   the VkQueue has no lock, and another thread has a batch open on it.
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not of Vulkan, or an event cannot be recorded there.
///
/// # Safety
/// `records` must be NULL or point to `n` handles. `batch` must be NULL or point to `batch->size` bytes that are valid for reads and
/// writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_submit_begin(
    batch: *mut gevt_vulkan_batch_t,
    s: gevt_stream_t,
    records: *const gevt_event_t,
    n: usize,
) -> gevt_status_t {
    call("gevt_vulkan_submit_begin", s.handle(), || {
        // SAFETY: this function requires `batch` to be NULL or to have the size that it says, and to be writable.
        let batch = unsafe { SizedOut::new(batch) }?;
        // SAFETY: this function requires `records` to be NULL or to point to `n` handles.
        let events = unsafe { list(records, n, "records") }?;
        let made = vulkan::submit_begin(s, events)?;
        // The signal stands behind the waits.
        let signal = made.wait_count as usize;
        batch.write(|size| gevt_vulkan_batch_t {
            size,
            waits: made.infos.cast(),
            wait_count: made.wait_count,
            reserved: 0,
            signal: made.infos.wrapping_add(signal).cast(),
            ticket: made.ticket,
            wait_semaphores: made.semaphores.cast(),
            wait_values: made.values,
            wait_stages: made.stages.cast(),
            signal_semaphore: made.semaphores.wrapping_add(signal).cast(),
            signal_value: made.values.wrapping_add(signal),
        });
        Ok(())
    })
}

/// Ends a batch. `result` is the VkResult of the submit.
///
/// If the submit failed, the batch's events fail with GEVT_DETAIL_SUBMIT_FAILED until they are recorded again, their waiters return, and
/// the stream continues. VK_ERROR_DEVICE_LOST marks the context as lost. If no submit was made, call gevt_vulkan_submit_cancel() instead.
/// `waits` and `signal` of the batch are no longer valid.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `batch->size` is less than that of the structure's first version.
/// - GEVT_ERROR_ILLEGAL_STATE: the stream has no open batch with this ticket.
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not of Vulkan.
///
/// # Safety
/// `batch` must be NULL or point to `batch->size` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_submit_end(
    s: gevt_stream_t,
    batch: *const gevt_vulkan_batch_t,
    result: i32,
) -> gevt_status_t {
    call("gevt_vulkan_submit_end", s.handle(), || {
        // SAFETY: this function requires `batch` to be NULL or to have the size that it says.
        let batch = unsafe { sized::read(batch) }?;
        vulkan::submit_end(s, batch.ticket, result)
    })
}

/// Cancels a batch for which no submit is made.
///
/// The batch's events fail with GEVT_ERROR_ILLEGAL_STATE and GEVT_DETAIL_SUBMIT_FAILED. Destroying the stream also cancels its open
/// batch, and calls `unlock`. So does the last close of a wrapped device's context, with GEVT_ERROR_CONTEXT_IS_DESTROYED for the events.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_NOT_SUPPORTED: as for gevt_vulkan_submit_end().
///
/// # Safety
/// `batch` must be NULL or point to `batch->size` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_submit_cancel(
    s: gevt_stream_t,
    batch: *const gevt_vulkan_batch_t,
) -> gevt_status_t {
    call("gevt_vulkan_submit_cancel", s.handle(), || {
        // SAFETY: this function requires `batch` to be NULL or to have the size that it says.
        let batch = unsafe { sized::read(batch) }?;
        vulkan::submit_cancel(s, batch.ticket)
    })
}

/// Makes the given stages of a stream's next batch wait for an event.
///
/// Like gevt_stream_wait(), but nothing is submitted now: the wait is among the waits of the next batch, with `stages`
/// (VkPipelineStageFlags2 bits; those above bit 31 need synchronization2) as its stage mask. A submit that gevt makes before that takes
/// the wait instead, for all stages. So does a wait for an event of another context or backend, or for work that is not submitted yet.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `stages` is 0.
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not of Vulkan, or `stages` needs synchronization2.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_vulkan_stream_wait(s: gevt_stream_t, ev: gevt_event_t, stages: u64) -> gevt_status_t {
    call("gevt_vulkan_stream_wait", ev.handle(), || vulkan::stream_wait(s, ev, stages))
}

/// Returns the raw timestamp of an event.
///
/// `ticks` is the device's counter, with the valid bits of the queue family that wrote it. `period` is the nanoseconds of a tick, as
/// VkPhysicalDeviceLimits::timestampPeriod.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: the event has no timing or was never recorded.
/// - GEVT_ERROR_NOT_READY: the event is pending.
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_NO_TIME, no timestamp was written.
/// - GEVT_ERROR_NOT_SUPPORTED: the event is not of Vulkan.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_vulkan_ticks(ticks: Out<u64>, period: Out<f64>, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_vulkan_ticks", ev.handle(), || {
        let (ticks, period) = (ticks.check("ticks")?, period.check("period")?);
        let known = vulkan::ticks(ev)?;
        if let Some((count, ns)) = known {
            ticks.write(count);
            period.write(ns);
        }
        Ok(known.is_some())
    })
}

/// Writes an event's timestamp into a command buffer of the caller. Like vkCmdWriteTimestamp2.
///
/// The next batch that records the event takes its time from there: submit the command buffer with that batch. The event must have
/// timing, be bound to the command buffer's device, and live until the device has finished the command buffer. `stage` is one
/// VkPipelineStageFlags2 bit; bits beyond the 32nd need GEVT_VULKAN_SYNCHRONIZATION2. The caller keeps other threads away from the
/// command buffer and its pool.
///
/// The call may be made inside a render pass. A timestamp holds one time, so submit the command buffer again only in a batch that was begun
/// after the event's last record completed. A batch that is begun earlier has no time.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `command_buffer` is NULL, or `stage` is not one bit.
/// - GEVT_ERROR_INVALID_HANDLE: the event has no timing.
/// - GEVT_ERROR_ILLEGAL_STATE: the event is not bound to a context yet.
/// - GEVT_ERROR_NOT_SUPPORTED: the event is not of Vulkan, its device has no GEVT_VULKAN_HOST_QUERY_RESET, or `stage` needs
///   synchronization2.
///
/// # Safety
/// `command_buffer` must be NULL or a VkCommandBuffer of the device that no other thread uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_write_time(
    ev: gevt_event_t,
    command_buffer: *mut VkCommandBuffer_T,
    stage: u64,
) -> gevt_status_t {
    call("gevt_vulkan_write_time", ev.handle(), || {
        // SAFETY: this function requires it to be NULL or a command buffer that this thread may record.
        unsafe { vulkan::write_time(ev, command_buffer as u64, stage) }
    })
}

/// Returns the timeline semaphore and the value that it reaches when an event completes.
///
/// Wait for them on the host or in a submit of any queue of the device. If a timed record follows a host function or a wait for
/// another backend's event, a submit to the queue of the record must not wait for it, because that wait would never end. The
/// semaphore belongs to gevt, lives as long as the context, and must not be signaled by others. An event that was never recorded
/// gives VK_NULL_HANDLE and 0: there is nothing to wait for.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: the event is not of Vulkan.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_vulkan_point(semaphore: Out<u64>, value: Out<u64>, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_vulkan_point", ev.handle(), || {
        let (semaphore, value) = (semaphore.check("semaphore")?, value.check("value")?);
        let point = vulkan::point(ev)?;
        semaphore.write(point.semaphore);
        value.write(point.value);
        Ok(())
    })
}

/// Creates an event that completes when a timeline semaphore of the caller reaches a value.
///
/// The semaphore remains the caller's and must outlive the event and all waits of the device for it. `ctx` is a context of its device, or
/// NULL for the current context. The event has no timing and cannot be recorded. A stream that waits for it makes its VkQueue wait, so a
/// signal submitted to that queue later never comes.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `semaphore` is VK_NULL_HANDLE.
/// - GEVT_ERROR_NOT_SUPPORTED: the context is not of Vulkan.
///
/// # Safety
/// `semaphore` must be VK_NULL_HANDLE or a timeline semaphore of the context's device that
/// outlives the event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_vulkan_wrap_point(
    out: Out<gevt_event_t>,
    ctx: gevt_context_t,
    semaphore: u64,
    value: u64,
) -> gevt_status_t {
    // SAFETY: this function requires it to be a timeline semaphore that outlives the event.
    let wrap = || unsafe { vulkan::wrap_point(ctx, Point { semaphore, value }) };
    call_for("gevt_vulkan_wrap_point", ctx.handle(), out.check("out"), wrap)
}
