//! The driver functions that the runtime's calls go through. They are looked up as NVIDIA's runtime looks them up, so that a
//! library in front of the driver sees them.

use crate::boundary::{Out, StreamArg};
use crate::code::{Code, Result};
use crate::handle::Handle;
use cuda_abi::{GraphNodeParams, IpcHandle, LaunchConfig};
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

/// cuGetProcAddress since CUDA 12.
type LookUp = unsafe extern "C" fn(*const c_char, *mut *mut c_void, i32, u64, *mut i32) -> i32;

/// The CUDA version whose forms of the functions are the types below.
const VERSION: i32 = 12080;

macro_rules! functions {
    ($($name:ident: $symbol:literal ($($arg:ident: $ty:ty),*);)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($ty),*) -> i32,)*
        }

        impl Functions {
            fn look_up() -> Result<Functions> {
                let look_up = first_look_up()?;
                Ok(Functions {
                    // SAFETY: the driver's function of that name, in the form of `VERSION`, has this type.
                    $($name: unsafe {
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) -> i32>(find(look_up, $symbol)?)
                    },)*
                })
            }
        }

        $(pub(crate) fn $name($($arg: $ty),*) -> Result {
            let call = functions()?.$name;
            // SAFETY: the arguments are those that the runtime's caller passed, who promises what the driver's would.
            match unsafe { call($($arg),*) } {
                0 => Ok(()),
                code => Err(Code(code)),
            }
        })*
    };
}

functions! {
    event_create: c"cuEventCreate" (to: Out<Handle>, flags: u32);
    event_destroy: c"cuEventDestroy" (event: Handle);
    event_record: c"cuEventRecord" (event: Handle, stream: StreamArg);
    event_record_with_flags: c"cuEventRecordWithFlags" (event: Handle, stream: StreamArg, flags: u32);
    event_query: c"cuEventQuery" (event: Handle);
    event_synchronize: c"cuEventSynchronize" (event: Handle);
    event_elapsed: c"cuEventElapsedTime" (ms: Out<f32>, start: Handle, end: Handle);
    ipc_get_event: c"cuIpcGetEventHandle" (to: Out<[u8; 64]>, event: Handle);
    ipc_open_event: c"cuIpcOpenEventHandle" (to: Out<Handle>, handle: IpcHandle);
    stream_create: c"cuStreamCreateWithPriority" (to: Out<Handle>, flags: u32, priority: i32);
    stream_destroy: c"cuStreamDestroy" (stream: Handle);
    stream_query: c"cuStreamQuery" (stream: StreamArg);
    stream_synchronize: c"cuStreamSynchronize" (stream: StreamArg);
    stream_wait_event: c"cuStreamWaitEvent" (stream: StreamArg, event: Handle, flags: u32);
    stream_begin_capture: c"cuStreamBeginCapture" (stream: StreamArg, mode: u32);
    stream_end_capture: c"cuStreamEndCapture" (stream: StreamArg, to: Out<Handle>);
    stream_begin_capture_to: c"cuStreamBeginCaptureToGraph" (stream: StreamArg, graph: Handle, nodes: Out<Handle>, data: Out<u64>, count: usize, mode: u32);
    graph_add_record: c"cuGraphAddEventRecordNode" (to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle);
    graph_add_wait: c"cuGraphAddEventWaitNode" (to: Out<Handle>, graph: Handle, behind: Out<Handle>, count: usize, event: Handle);
    graph_record_get: c"cuGraphEventRecordNodeGetEvent" (node: Handle, to: Out<Handle>);
    graph_record_set: c"cuGraphEventRecordNodeSetEvent" (node: Handle, event: Handle);
    graph_wait_get: c"cuGraphEventWaitNodeGetEvent" (node: Handle, to: Out<Handle>);
    graph_wait_set: c"cuGraphEventWaitNodeSetEvent" (node: Handle, event: Handle);
    exec_record_set: c"cuGraphExecEventRecordNodeSetEvent" (executable: Handle, node: Handle, event: Handle);
    exec_wait_set: c"cuGraphExecEventWaitNodeSetEvent" (executable: Handle, node: Handle, event: Handle);
    graph_add_node: c"cuGraphAddNode" (to: Out<Handle>, graph: Handle, behind: Out<Handle>, data: Out<u64>, count: usize, params: Out<GraphNodeParams>);
    graph_node_set: c"cuGraphNodeSetParams" (node: Handle, params: Out<GraphNodeParams>);
    exec_node_set: c"cuGraphExecNodeSetParams" (executable: Handle, node: Handle, params: Out<GraphNodeParams>);
    launch_with: c"cuLaunchKernelEx" (config: Out<LaunchConfig>, kernel: Handle, arguments: *const *const c_void, extra: *const usize);
    context_synchronize: c"cuCtxSynchronize" ();
    primary_reset: c"cuDevicePrimaryCtxReset" (device: i32);
}

#[inline]
fn functions() -> Result<&'static Functions> {
    static FUNCTIONS: OnceLock<Result<Functions>> = OnceLock::new();
    FUNCTIONS.get_or_init(Functions::look_up).as_ref().map_err(|code| *code)
}

/// Returns the look-up function. The one that `dlsym` finds is asked for itself, as a library in front of the driver may put
/// its own there.
fn first_look_up() -> Result<LookUp> {
    // SAFETY: C strings. The library that is asked for is this one, under the name that programs know it by.
    let first = unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        if driver.is_null() { driver } else { libc::dlsym(driver, c"cuGetProcAddress_v2".as_ptr()) }
    };
    if first.is_null() {
        return Err(Code::NOT_FOUND);
    }
    // SAFETY: the symbol's type.
    let first = unsafe { std::mem::transmute::<*mut c_void, LookUp>(first) };
    let second = find(first, c"cuGetProcAddress")?;
    // SAFETY: the function's type in that version.
    Ok(unsafe { std::mem::transmute::<*mut c_void, LookUp>(second) })
}

fn find(look_up: LookUp, name: &CStr) -> Result<*mut c_void> {
    let (mut address, mut status) = (std::ptr::null_mut(), 0);
    // SAFETY: a C string, and places of this function's own.
    match unsafe { look_up(name.as_ptr(), &raw mut address, VERSION, 0, &raw mut status) } {
        0 if !address.is_null() => Ok(address),
        0 => Err(Code::NOT_FOUND),
        code => Err(Code(code)),
    }
}
