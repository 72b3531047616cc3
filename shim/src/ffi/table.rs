//! The table of the driver functions that have to do with events: for each its forms, its parameters, and its action.
//!
//! The exported functions, the lookups, the documentation and the checks are made from it.

use super::proc_address;
use crate::call;
use crate::driver::function::{Function, absent};
use crate::driver::types::*;
use crate::{contexts, events, streams};
use cuda_abi::EventUse::Records;
use cuda_abi::{GraphNodeParams, LaunchAttributeValue, LaunchConfig};
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr::NonNull;

/// Makes the table and the exported functions. A row is
/// `[FORM, FORM, …] (PARAMETERS) { ACTION }`: the symbols of functions with the same parameters, and the function of this crate that
/// judges the call. The rest is in `cuda_abi`, with which a test compares the parameters. The role of a group says what becomes of its calls.
/// `ours` go through gevt's state machine. For `watched` calls, the drop-in notes what they did to events, streams and captures.
macro_rules! table {
    ($($role:ident: $why:literal {
        $([$($symbol:ident),+] $parameters:tt $action:tt)*
    })*) => {
        /// The numbers of the rows.
        #[expect(non_camel_case_types, reason = "the driver's own names")]
        enum Row { $($($($symbol,)+)*)* }

        /// All rows, in the order of the table.
        pub(crate) static FUNCTIONS: [Function; [$($($(stringify!($symbol),)+)*)*].len()] = [$($($(Function::new(
            match CStr::from_bytes_with_nul(concat!(stringify!($symbol), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("an identifier holds no zero"),
            },
            || $symbol as *mut c_void,
        ),)+)*)*];

        /// The symbol and the parameters of each row as they are written here, its role, and why it is in the table.
        #[cfg(test)]
        const WRITTEN: &[(&str, &str, &str, &str)] =
            &[$($($((stringify!($symbol), stringify!($parameters), stringify!($role), $why),)+)*)*];

        $($($(export! { $symbol $parameters $action })+)*)*
    };
}

/// Makes an exported function.
macro_rules! export {
    // The first look may tell that the answer is 0. The action gets what it found.
    ($symbol:ident $parameters:tt { $looked:ident = $first:expr, success if $known:expr; $($action:tt)+ }) => {
        export! { @ $symbol $parameters { let $looked = $first; if $known { return 0; } } { $($action)+ } }
    };
    // A lookup, whose answer is exchanged in every state of the process.
    ($symbol:ident ($($parameter:ident: $type:ty),*) { look_up($name:ident, $out:ident, $version:ident, $flags:ident) }) => {
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C-unwind" fn $symbol($($parameter: $type),*) -> CUresult {
            // SAFETY: the caller's own arguments.
            let code = unsafe { real!($symbol($($parameter: $type),*)) };
            if code == 0 {
                // SAFETY: the driver has taken the arguments for good.
                unsafe { proc_address::exchange(&FUNCTIONS, $name, $out, $version, $flags) };
            }
            code
        }
    };
    ($symbol:ident $parameters:tt $action:tt) => {
        export! { @ $symbol $parameters {} $action }
    };
    (@ $symbol:ident ($($parameter:ident: $type:ty),*) { $($fast:tt)* } { $module:ident::$action:ident($($argument:expr),*) }) => {
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C-unwind" fn $symbol($($parameter: $type),*) -> CUresult {
            $($fast)*
            // SAFETY: the caller's own arguments.
            let real = || unsafe { real!($symbol($($parameter: $type),*)) };
            call::run(&FUNCTIONS[Row::$symbol as usize], real, |call| $module::$action(call, $($argument),*))
        }
    };
}

/// Calls the driver's function of that name. The arguments have to be what it takes, and its row of the table has to state
/// its own signature.
macro_rules! real {
    ($symbol:ident($($parameter:ident: $type:ty),*)) => {
        match FUNCTIONS[Row::$symbol as usize].real() {
            Some(function) => transmute::<NonNull<c_void>, unsafe extern "C-unwind" fn($($type),*) -> CUresult>(function)(
                $($parameter),*
            ),
            None => absent(),
        }
    };
}

table! {
    ours: "It returns the addresses of functions: ours for the functions of this table." {
        [cuGetProcAddress] (name: *const c_char, out: *mut *mut c_void, version: i32, flags: u64)
            { look_up(name, out, version, flags) }
        [cuGetProcAddress_v2] (name: *const c_char, out: *mut *mut c_void, version: i32, flags: u64, found: *mut i32)
            { look_up(name, out, version, flags) }
    }
    ours: "Its answer comes from the state machine, or goes through it." {
        [cuEventCreate] (out: Out<CUevent>, flags: u32)
            { events::create(out, flags, false) }
        [cuEventDestroy, cuEventDestroy_v2] (event: CUevent)
            { events::destroy(event) }
        [cuEventQuery] (event: CUevent)
            { looked = events::look_first(event), success if events::is_known_complete(looked); events::query(event, looked) }
        [cuEventSynchronize] (event: CUevent)
            { events::synchronize(event) }
        [cuEventElapsedTime, cuEventElapsedTime_v2] (ms: *mut f32, start: CUevent, end: CUevent)
            { events::elapsed(start, end) }
    }
    ours: "It records an event." {
        [cuEventRecord, cuEventRecord_ptsz] (event: CUevent, stream: CUstream)
            { events::record(event, stream, 0) }
        [cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz] (event: CUevent, stream: CUstream, flags: u32)
            { events::record(event, stream, flags) }
        [cuCtxRecordEvent] (context: CUcontext, event: CUevent)
            { events::record_anywhere(event, 0) }
        [cuGreenCtxRecordEvent] (context: CUgreenCtx, event: CUevent)
            { events::record_anywhere(event, 0) }
    }
    ours: "It waits for an event, which has to be live." {
        [cuStreamWaitEvent, cuStreamWaitEvent_ptsz] (stream: CUstream, event: CUevent, flags: u32)
            { events::wait(stream, event) }
        [cuCtxWaitEvent] (context: CUcontext, event: CUevent)
            { events::read(event) }
        [cuGreenCtxWaitEvent] (context: CUgreenCtx, event: CUevent)
            { events::read(event) }
    }
    ours: "It makes an event that others record, or gives one to them: nothing is remembered of it." {
        [cuIpcGetEventHandle] (out: *mut IpcHandle, event: CUevent)
            { events::uses([Records(event)]) }
        [cuIpcOpenEventHandle] (out: Out<CUevent>, handle: IpcHandle)
            { events::open(out) }
        [cuEventCreateFromEGLSync] (out: Out<CUevent>, sync: *mut c_void, flags: u32)
            { events::create(out, flags, true) }
    }
    watched: "It ends a context, or may: what was known of events is forgotten." {
        [cuCtxDestroy, cuCtxDestroy_v2, cuCtxDetach] (context: CUcontext)
            { contexts::end() }
        [cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2] (device: CUdevice)
            { contexts::end() }
        [cuGreenCtxDestroy] (context: CUgreenCtx)
            { contexts::end() }
    }
    watched: "It uses a stream, which has to be live." {
        [cuStreamQuery, cuStreamQuery_ptsz, cuStreamSynchronize, cuStreamSynchronize_ptsz] (stream: CUstream)
            { streams::ask(stream) }
    }
    watched: "It makes or ends a stream. The drop-in remembers destroyed ones." {
        [cuStreamCreate] (out: Out<CUstream>, flags: u32)
            { streams::create(out) }
        [cuStreamCreateWithPriority] (out: Out<CUstream>, flags: u32, priority: i32)
            { streams::create(out) }
        [cuGreenCtxStreamCreate] (out: Out<CUstream>, context: CUgreenCtx, flags: u32, priority: i32)
            { streams::create(out) }
        [cuStreamDestroy, cuStreamDestroy_v2] (stream: CUstream)
            { streams::destroy(stream) }
    }
    watched: "A query may not be made during a capture: the driver judges it." {
        [cuStreamBeginCapture, cuStreamBeginCapture_ptsz] (stream: CUstream)
            { streams::begin_capture(stream) }
        [cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz] (stream: CUstream, mode: i32)
            { streams::begin_capture(stream) }
        [cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph_ptsz] (stream: CUstream, graph: CUgraph,
                from: *const CUgraphNode, edges: *const c_void, count: usize, mode: i32)
            { streams::begin_capture(stream) }
        [cuStreamBeginRecaptureToGraph, cuStreamBeginRecaptureToGraph_ptsz] (stream: CUstream, mode: i32, graph: CUgraph,
                callback: *const c_void, user: *mut c_void)
            { streams::begin_capture(stream) }
        [cuStreamBeginCaptureToCig, cuStreamBeginCaptureToCig_ptsz] (stream: CUstream, parameters: *mut c_void)
            { streams::begin_capture(stream) }
        [cuStreamEndCapture, cuStreamEndCapture_ptsz] (stream: CUstream, out: *mut CUgraph)
            { streams::end_capture(stream) }
        [cuStreamEndCaptureToCig, cuStreamEndCaptureToCig_ptsz] (stream: CUstream)
            { streams::end_capture(stream) }
    }
    watched: "The node records its event whenever the graph runs: nothing is remembered of it." {
        [cuGraphAddEventRecordNode] (out: *mut CUgraphNode, graph: CUgraph, from: *const CUgraphNode, count: usize, event: CUevent)
            { events::uses([Records(event)]) }
        [cuGraphEventRecordNodeSetEvent] (node: CUgraphNode, event: CUevent)
            { events::uses([Records(event)]) }
        [cuGraphExecEventRecordNodeSetEvent] (executable: CUgraphExec, node: CUgraphNode, event: CUevent)
            { events::uses([Records(event)]) }
    }
    watched: "The node waits for an event, which has to be live." {
        [cuGraphAddEventWaitNode] (out: *mut CUgraphNode, graph: CUgraph, from: *const CUgraphNode, count: usize, event: CUevent)
            { events::read(event) }
        [cuGraphEventWaitNodeSetEvent] (node: CUgraphNode, event: CUevent)
            { events::read(event) }
        [cuGraphExecEventWaitNodeSetEvent] (executable: CUgraphExec, node: CUgraphNode, event: CUevent)
            { events::read(event) }
    }
    watched: "The node may be one that records an event, or waits for one." {
        [cuGraphAddNode] (out: *mut CUgraphNode, graph: CUgraph, from: *const CUgraphNode, count: usize,
                parameters: In<GraphNodeParams>)
            { events::uses(parameters.event_uses()) }
        [cuGraphAddNode_v2, cuGraphAddNode_v3] (out: *mut CUgraphNode, graph: CUgraph, from: *const CUgraphNode,
                edges: *const c_void, count: usize, parameters: In<GraphNodeParams>)
            { events::uses(parameters.event_uses()) }
        [cuGraphNodeSetParams, cuGraphNodeSetParams_v2] (node: CUgraphNode, parameters: In<GraphNodeParams>)
            { events::uses(parameters.event_uses()) }
        [cuGraphExecNodeSetParams] (executable: CUgraphExec, node: CUgraphNode, parameters: In<GraphNodeParams>)
            { events::uses(parameters.event_uses()) }
    }
    watched: "An attribute of the launch may be an event that it records." {
        [cuLaunchKernelEx, cuLaunchKernelEx_ptsz] (config: In<LaunchConfig>, function: CUfunction,
                parameters: *mut *mut c_void, extra: *mut *mut c_void)
            { events::uses(config.event_uses()) }
        [cuGraphKernelNodeSetAttribute] (node: CUgraphNode, attribute: u32, value: In<LaunchAttributeValue>)
            { events::uses(value.event_uses(attribute)) }
    }
}

/// Returns the row of that name.
pub(crate) fn named(name: &CStr) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

#[cfg(test)]
mod tests;
