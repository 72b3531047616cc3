//! The exported functions of streams.

use super::boundary::{call, call_for};
use super::event::text;
use super::out::Out;
use super::sync::deadline;
use super::types::{
    gevt_context_t, gevt_event_t, gevt_host_fn_t, gevt_item_fn_t, gevt_status_t, gevt_stream_flags_t, gevt_stream_t,
    gevt_wait_flags_t,
};
use gevt_core::{Error, Handle, HostFn, ItemFn, Stream, StreamFlags, WaitFlags};
use std::ffi::{c_char, c_void};

/// Creates a stream, which runs its work in order. Like cuStreamCreate.
///
/// `ctx` may be NULL for the current context. The caller destroys the stream with gevt_stream_destroy(). `flags` is GEVT_STREAM_DEFAULT
/// or GEVT_STREAM_NON_BLOCKING. On Vulkan both mean the same, and streams share the queues of the device. On CUDA the driver may
/// block this call until queued work has finished, so create streams before you queue work that waits for a signal.
///
/// # Errors
/// None of its own.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_create(
    out: Out<gevt_stream_t>,
    ctx: gevt_context_t,
    flags: gevt_stream_flags_t,
) -> gevt_status_t {
    call_for("gevt_stream_create", Handle::NULL, out.check("out"), || {
        Stream::create(ctx, StreamFlags::from_bits(flags))
    })
}

/// Creates a stream for a CUstream of the caller.
///
/// The CUstream remains the caller's and must live as long as the handle is used. `ctx` is its context, or NULL for the current context.
/// On all backends `native` may be one of CUDA's special values: 0 and 1 are the context's default stream, and 2 is the per-thread stream
/// of the thread that uses the handle.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: the stream belongs to another context.
/// - GEVT_ERROR_NOT_SUPPORTED: on the host and on Vulkan, `native` is not 0, 1 or 2. Use gevt_vulkan_wrap_queue() for a VkQueue.
///
/// # Safety
/// On CUDA `native` must be 0, 1, 2 or a CUstream that outlives the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_wrap(
    out: Out<gevt_stream_t>,
    ctx: gevt_context_t,
    native: *mut c_void,
) -> gevt_status_t {
    // SAFETY: this function requires `native` to be one of the special values or a stream that outlives the handle.
    let wrap = || unsafe { Stream::wrap(ctx, native as u64) };
    call_for("gevt_stream_wrap", Handle::NULL, out.check("out"), wrap)
}

/// Destroys a stream. Like cuStreamDestroy.
///
/// Never blocks: queued work still runs. A wrapped CUstream is not destroyed. The default stream, NULL, cannot be destroyed.
///
/// # Errors
/// None of its own.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_destroy(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_destroy", s.handle(), || s.destroy())
}

/// Names a stream, for messages and traces.
///
/// `name` is as for gevt_set_name(). To name the default stream, name a handle that gevt_stream_wrap() made of 0.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `name` is not valid UTF-8.
///
/// # Safety
/// `name` must be NULL or a NUL-terminated string that does not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_set_name(s: gevt_stream_t, name: *const c_char) -> gevt_status_t {
    call("gevt_stream_set_name", s.handle(), || {
        // SAFETY: this function requires of `name` what `text` does.
        s.set_name(unsafe { text(name) }?)
    })
}

/// Returns whether a stream has finished all of its work. Like cuStreamQuery. Never blocks.
///
/// # Errors
/// - GEVT_SUCCESS: the stream has finished.
/// - GEVT_ERROR_NOT_READY: the stream has work left.
/// - The status of an event, with GEVT_DETAIL_EVENT_FAILED or GEVT_DETAIL_IPC_PEER_GONE: the stream waited for an event that failed.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_query(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_query", s.handle(), || s.query())
}

/// Blocks until a stream has finished the work queued before this call. Like cuStreamSynchronize.
///
/// Callbacks of gevt_on_complete() may still run. If the stream waited for an event that failed, the call returns that failure, and later
/// work no longer fails with it.
///
/// # Errors
/// - GEVT_ERROR_ILLEGAL_STATE: with GEVT_DETAIL_WOULD_DEADLOCK, the caller is a host function of this stream.
/// - The status of an event, with GEVT_DETAIL_EVENT_FAILED or GEVT_DETAIL_IPC_PEER_GONE: the stream waited for an event that failed.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_sync(s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_sync", s.handle(), || s.sync(None))
}

/// Blocks like gevt_stream_sync() until the stream has finished or the timeout expires.
///
/// `timeout_ns` is as for gevt_sync_timeout().
///
/// # Errors
/// - GEVT_ERROR_TIMEOUT: the timeout expired first.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_sync_timeout(s: gevt_stream_t, timeout_ns: u64) -> gevt_status_t {
    call("gevt_stream_sync_timeout", s.handle(), || s.sync(deadline(timeout_ns)))
}

/// Makes later work of a stream wait for an event. Like cuStreamWaitEvent.
///
/// Work queued on the stream after this call starts when the event's last record, as of this call, has completed. An event that was never
/// recorded is not waited for. Never blocks. The event may belong to any context, device or backend. `flags` is GEVT_WAIT_DEFAULT, or
/// GEVT_WAIT_EXTERNAL on a stream that is being captured. A stream that waits for a captured event joins the capture.
///
/// If a host-signaled event, or an event of another backend, fails after this call, the stream continues. Later records on the stream
/// then fail with the same status, until gevt_stream_sync() or gevt_context_sync() has returned it.
///
/// Stream waits cannot deadlock by themselves, because the record always comes first. A signal that never comes can block a stream
/// forever.
///
/// # Errors
/// - GEVT_ERROR_INVALID_HANDLE: GEVT_WAIT_EXTERNAL was used across backends.
/// - GEVT_ERROR_ILLEGAL_STATE: GEVT_WAIT_EXTERNAL was used on a stream that is not being captured.
/// - GEVT_ERROR_STREAM_CAPTURE_UNSUPPORTED: a stream that is being captured cannot wait for another backend.
/// - GEVT_ERROR_OUT_OF_MEMORY: on CUDA also: 512 waits for other backends are pending in the context.
/// - GEVT_ERROR_NOT_SUPPORTED: GEVT_WAIT_EXTERNAL was used for an event that was imported on another device.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_wait(s: gevt_stream_t, ev: gevt_event_t, flags: gevt_wait_flags_t) -> gevt_status_t {
    call("gevt_stream_wait", ev.handle(), || s.wait_with(ev, WaitFlags::from_bits(flags)))
}

/// Queues a call of `fn(user)` in stream order. Like cuLaunchHostFunc.
///
/// The function runs after all work queued before it, and before all work queued after it. Never blocks. On the host and on Vulkan it
/// runs on a thread of gevt, may call gevt, and may block. On CUDA it runs on a thread of the driver and must not need the driver. A
/// function that has not started when the process exits does not run.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: on Vulkan, the stream has collected waits, and its queue has no lock functions.
///
/// # Safety
/// It must be sound to call `fn(user)` on another thread, until it has run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_launch(
    s: gevt_stream_t,
    r#fn: gevt_host_fn_t,
    user: *mut c_void,
) -> gevt_status_t {
    call("gevt_stream_launch", s.handle(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        // SAFETY: this function requires that `fn(user)` may be called on another thread until it has run.
        s.launch_fn(unsafe { HostFn::new(function, user) })
    })
}

/// Queues `n` calls of `fn(user, item, worker)`, with `item` from 0 to `n` - 1, that run in parallel. Host streams only.
///
/// All calls run after the work queued before them, and before the work queued after them. Among themselves they run in any order. Never
/// blocks. `worker` is less than gevt_host_get_threads() is at this call. No two calls of one launch run at the same time with the same
/// `worker`, so it can be the index of scratch memory: a call sees what earlier calls with its `worker` wrote.
///
/// An item may call gevt and may block, but must not wait for another item of the same launch. Items that have not started when the
/// process exits do not run.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is not of the host.
///
/// # Safety
/// It must be sound to call `fn(user, item, worker)` on other threads, several at once, until it has run for all items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_launch_n(
    s: gevt_stream_t,
    n: usize,
    r#fn: gevt_item_fn_t,
    user: *mut c_void,
) -> gevt_status_t {
    call("gevt_stream_launch_n", s.handle(), || {
        let function = r#fn.ok_or(Error::NullPointer("fn"))?;
        // SAFETY: this function requires that `fn(user, item, worker)` may be called on other threads until it has run for all.
        s.launch_items(n, unsafe { ItemFn::new(function, user) })
    })
}

/// Returns the CUstream or VkQueue of a stream.
///
/// The object is borrowed: do not destroy it. It lives as long as the handle. Work that you submit to the CUstream is part of the stream.
/// Several streams share a VkQueue, so submit to it only between gevt_vulkan_submit_begin() and gevt_vulkan_submit_end(). A default
/// stream of CUDA gives CU_STREAM_LEGACY.
///
/// # Errors
/// - GEVT_ERROR_NOT_SUPPORTED: the stream is of the host.
#[unsafe(no_mangle)]
pub extern "C" fn gevt_stream_native(native: Out<*mut c_void>, s: gevt_stream_t) -> gevt_status_t {
    call_for("gevt_stream_native", s.handle(), native.check("native"), || s.native().map(|bits| bits as *mut c_void))
}
