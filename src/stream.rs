//! The exported functions of streams.

use super::boundary::{CHandle, Out, call};
use super::event::text;
use super::sync::deadline;
use super::types::{gevt_context_t, gevt_event_t, gevt_host_fn_t, gevt_item_fn_t, gevt_status_t, gevt_stream_t};
use gevt_core::{Error, Handle, HostFn, ItemFn, Stream, StreamFlags, WaitFlags};
use std::ffi::{c_char, c_void};

/// Creates a stream, whose work runs in the order in which it was given. Follows cuStreamCreate.
///
/// `out` receives a handle that the caller destroys with gevt_stream_destroy(). `ctx` may be NULL for the calling thread's current
/// context. `flags` is GEVT_STREAM_DEFAULT or GEVT_STREAM_NON_BLOCKING. A stream that is not GEVT_STREAM_NON_BLOCKING waits for
/// what the context's default stream was given before, and the default stream waits for it.
///
/// On Vulkan the flag makes no difference: the default stream is a stream like the others and orders nothing. Streams take the queues
/// of the device in turn; in a context of gevt_vulkan_wrap_device() these are the wrapped queues that have lock functions. Streams
/// that share a queue may wait for each other's work, but not for each other's host functions.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `out` is NULL, or `flags` has an unknown bit.
///
/// # Safety
/// `out` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_create(out: *mut gevt_stream_t, ctx: gevt_context_t, flags: u32) -> gevt_status_t {
    call("gevt_stream_create", Handle::NULL, || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        Stream::create(ctx.named(), StreamFlags::from_bits(flags)).map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Creates a handle for a CUstream that the caller owns.
///
/// `out` receives a handle that the caller destroys; the CUstream remains the caller's and must live as long as the handle is
/// used. `ctx` is the stream's context; NULL is the calling thread's current context. `native` may also be one of CUDA's special
/// values, on all backends: 0 and 1 are the context's default stream, 2 is the per-thread stream of whichever thread uses
/// the handle.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `ctx` is neither NULL nor a live context, or the stream belongs to another context.
/// - GEVT_ERROR_NOT_SUPPORTED: on the host and on Vulkan, `native` is not 0, 1 or 2; see gevt_vulkan_wrap_queue().
///
/// # Safety
/// `out` must be NULL or valid for a write. On CUDA `native` must be 0, 1, 2 or a CUstream that outlives the handle.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_wrap(
    out: *mut gevt_stream_t,
    ctx: gevt_context_t,
    native: *mut c_void,
) -> gevt_status_t {
    call("gevt_stream_wrap", Handle::NULL, || {
        // SAFETY: this function requires `out` to be NULL or valid for a write until it returns.
        let out = unsafe { Out::new(out, "out") }?;
        // SAFETY: this function requires `native` to be one of the special values or a stream that outlives the handle.
        let wrapped = unsafe { Stream::wrap(ctx.named(), native as u64) };
        wrapped.map(|handle| out.write(CHandle::from_named(handle)))
    })
}

/// Destroys a stream. Follows cuStreamDestroy.
///
/// Never blocks: work that the stream was given still runs. A wrapped CUstream lives on. In a forked child and during exit the
/// call succeeds and does nothing.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `s` is not a live stream. NULL, the default stream, cannot be destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_destroy(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_destroy", s.bits(), || s.named().destroy())
}

/// Names a stream. Messages about the stream and traces show the name.
///
/// `name` is a string in UTF-8, which is copied. Names longer than 63 bytes are cut at a character. NULL or an empty string
/// removes the name. The default stream has a name if a handle for it has one: gevt_stream_wrap() makes such a handle of 0.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: `s` is not a live stream. NULL, the default stream, cannot be named.
/// - GEVT_ERROR_INVALID_VALUE: `name` is not valid UTF-8.
///
/// # Safety
/// `name` must be NULL or a NUL-terminated string that does not change during the call.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_set_name(s: gevt_stream_t, name: *const c_char) -> gevt_status_t {
    call("gevt_stream_set_name", s.bits(), || {
        // SAFETY: this function requires of `name` what `text` does.
        s.named().set_name(unsafe { text(name) }?)
    })
}

/// Returns whether the stream has finished everything that it was given. Follows cuStreamQuery.
///
/// # Returns
/// - GEVT_SUCCESS: the stream has finished.
/// - GEVT_ERROR_NOT_READY: the stream has work left.
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: the context was destroyed. With GEVT_DETAIL_IPC_PEER_GONE: the stream has finished, but the
///   record of another process that it had to wait for never completed, see gevt_ipc_export().
/// - A status with GEVT_DETAIL_EVENT_FAILED: the stream waited for an event that failed, see gevt_stream_wait().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_query(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_query", s.bits(), || s.named().query())
}

/// Blocks until the stream has finished everything that it was given before the call. Follows cuStreamSynchronize.
///
/// Functions of gevt_stream_launch() have returned then. Callbacks of gevt_on_complete() may still run or may not have started.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: the call comes from a host function of this stream, as for gevt_sync().
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: as for gevt_stream_query(). With GEVT_DETAIL_IPC_PEER_GONE, work that the stream is given
///   after this call no longer fails for that reason.
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_stream_query(). Work that the stream is given after this call no longer fails
///   for that reason.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_sync(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_sync", s.bits(), || s.named().sync())
}

/// Blocks until the stream has finished everything that it was given before the call, or until the timeout expires. Otherwise
/// like gevt_stream_sync().
///
/// `timeout_ns` is in nanoseconds. 0 checks once and does not block; GEVT_TIMEOUT_INFINITE never expires. On CUDA, a finite
/// timeout records an event on the stream and waits for it.
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired.
/// - GEVT_ERROR_INVALID_HANDLE, GEVT_ERROR_ILLEGAL_STATE, GEVT_ERROR_CONTEXT_IS_DESTROYED: as for gevt_stream_sync().
/// - A status with GEVT_DETAIL_EVENT_FAILED: as for gevt_stream_sync().
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_sync_timeout(s: gevt_stream_t, timeout_ns: u64) -> gevt_status_t {
    call("gevt_stream_sync_timeout", s.bits(), || s.named().sync_until(deadline(timeout_ns)))
}

/// Makes everything that the stream is given from now on wait for the event's last record. Follows cuStreamWaitEvent.
///
/// Does not block. The record is the last one at the time of this call; a later record does not change the wait. An event that was
/// never recorded is not waited for. The event may belong to another context, device or backend. `flags` is
/// GEVT_WAIT_DEFAULT, or GEVT_WAIT_EXTERNAL on a stream that is being captured. A stream that waits for an event of a capture
/// joins the capture; errors of the driver about captures are returned unchanged.
///
/// If the event belongs to another backend, or was created with GEVT_EVENT_HOST_SIGNALED, the host lets the stream go on when the event completes.
/// The stream holds no thread meanwhile: on CUDA it waits for a word in memory (cuStreamWaitValue32), or, if the driver has no such wait, on
/// the thread that runs host functions. The stream may not be captured. If the event fails, or can no longer complete, the stream
/// goes on and what is recorded behind the wait has that failure, until gevt_stream_sync() or gevt_context_sync() has returned it. On CUDA,
/// work that was enqueued behind the wait runs all the same. During exit all such waits of CUDA streams end.
///
/// The streams of a CUDA context share CUDA_DEVICE_MAX_CONNECTIONS queues of the device, 8 by default: one that waits may hold up others that
/// share its queue. A queue holds about a thousand pieces of work, and the driver's calls block while it is full. So that a stream which waits
/// for the program does not block it, gevt puts at most 512 such waits into the queues of a context: more are refused until some have ended.
/// The program's own work behind the waits is not counted.
///
/// Waits between streams cannot deadlock by themselves: the record always comes first. A host function that waits, or a signal that never comes,
/// can. gevt_sync() says which wait is refused with GEVT_DETAIL_WOULD_DEADLOCK.
///
/// On Vulkan the wait is a semaphore wait of the queue, for the stream's own events and completed ones, too, so that the waiting work
/// sees what the event's work has written. A wait of a stream with GEVT_VULKAN_COLLECT_WAITS goes into its next submit.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `flags` has an unknown bit.
/// - GEVT_ERROR_INVALID_HANDLE: `s` is neither NULL nor a live stream, or `ev` is not a live event. With GEVT_WAIT_EXTERNAL also if they
///   belong to different backends.
/// - GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED: the event belongs to another backend, and the stream is being captured.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory, or 512 waits for events of other backends stand in the queues of the CUDA context.
/// - The status of the event, with GEVT_DETAIL_EVENT_FAILED: it has failed already, and the stream does not wait.
/// - GEVT_ERROR_ILLEGAL_STATE: GEVT_WAIT_EXTERNAL was used on a stream that is not being captured, or a GEVT_EVENT_STRICT event
///   was never recorded.
/// - GEVT_ERROR_NOT_SUPPORTED: GEVT_WAIT_EXTERNAL was used for an event of another process that was imported on another device.
/// - GEVT_ERROR_CONTEXT_IS_DESTROYED: the context was destroyed. With GEVT_DETAIL_IPC_PEER_GONE: the record can no longer complete
///   because its process has ended, and the stream does not wait for it.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_wait(s: gevt_stream_t, ev: gevt_event_t, flags: u32) -> gevt_status_t {
    call("gevt_stream_wait", ev.bits(), || s.named().wait_with(ev.named(), WaitFlags::from_bits(flags)))
}

/// Calls `fn(user)` in stream order: after everything that the stream was given before, and before anything that it is given
/// later. Follows cuLaunchHostFunc.
///
/// Does not block. On the host backend the function runs on a thread of gevt's. It may call any gevt function and may block; that
/// holds back its own stream only, as long as no more than 1,000 functions block at once. As many functions run at once as
/// gevt_host_get_threads() says, and those that block do not count. On CUDA it runs on a thread of the
/// driver's, may make no call that needs the driver, and holds back the functions of other streams. On Vulkan it runs on a thread of
/// gevt's and holds back its own stream, but a batch behind it holds back the whole VkQueue. A function that has not started when the
/// process exits, or when the last handle of a gevt_vulkan_wrap_device() context is closed, does not run.
///
/// # Errors
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory or thread left to run the function: 1,000 others block.
/// - GEVT_ERROR_NOT_SUPPORTED: on Vulkan, the stream has collected waits, and its queue has no lock functions.
///
/// # Safety
/// It must be sound to call `fn(user)` on another thread, until it has run.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_launch(
    s: gevt_stream_t,
    r#fn: gevt_host_fn_t,
    user: *mut c_void,
) -> gevt_status_t {
    call("gevt_stream_launch", s.bits(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        // SAFETY: this function requires that `fn(user)` may be called on another thread until it has run.
        s.named().launch_fn(unsafe { HostFn::new(function, user) })
    })
}

/// Calls `fn(user, item, worker)` for each item from 0 to `n` - 1, several at once, in stream order: after everything that the stream was
/// given before, and before anything that it is given later.
///
/// Does not block. The stream must be one of the host backend. `n` may be any number; with 0, nothing is called. Nothing is allocated for
/// an item, and items are called in no order, on threads of gevt's and on those in gevt_sync_helping(). Work of other streams has its
/// turn meanwhile.
///
/// `worker` is less than what gevt_host_get_threads() returns at the time of this call, whatever number is set later, and no two items of this
/// launch run at the same time with the same `worker`: it may be the index of memory that an item uses for itself alone. When an item
/// begins, it sees everything that items with the same `worker` wrote before.
///
/// An item may call any gevt function and may block, as a function of gevt_stream_launch() may; it then keeps its `worker`, so that the other
/// items of the launch have one fewer. An item must not wait for another one of the launch, which may come later on the same thread. Items
/// that have not started when the process exits do not run.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not one of the host backend.
/// - GEVT_ERROR_OUT_OF_MEMORY: there is no memory, or no thread left to run an item, see gevt_stream_launch().
///
/// # Safety
/// It must be sound to call `fn(user, item, worker)` on other threads, several at once, until it has run for all items.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_launch_n(
    s: gevt_stream_t,
    n: usize,
    r#fn: gevt_item_fn_t,
    user: *mut c_void,
) -> gevt_status_t {
    call("gevt_stream_launch_n", s.bits(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        // SAFETY: this function requires that `fn(user, item, worker)` may be called on other threads until it has run for all.
        s.named().launch_items(n, unsafe { ItemFn::new(function, user) })
    })
}

/// Returns the native object behind a stream: its CUstream, or its VkQueue.
///
/// `native` receives the object, which stays gevt's or its owner's: do not destroy it. It lives as long as the handle `s`. Work that the
/// caller submits to a CUstream is part of the stream, so that records and waits order it. A default stream gives CU_STREAM_LEGACY.
///
/// Several streams share a VkQueue. Submit to it only between gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(), which keep
/// other threads away from the queue; gevt_stream_get_info() tells its queue family. `s` may be NULL: the default stream of the current
/// context.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is of the host, which has no native objects.
///
/// # Safety
/// `native` must be NULL or valid for a write.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_native(native: *mut *mut c_void, s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_native", s.bits(), || {
        // SAFETY: this function requires `native` to be NULL or valid for a write until it returns.
        let native = unsafe { Out::new(native, "native") }?;
        s.named().native().map(|bits| native.write(bits as *mut c_void))
    })
}
