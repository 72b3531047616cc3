//! The table of the driver's functions that have to do with events: each is ours, watched or left alone, and why.
//!
//! All that needs the list takes it from here: look-ups, the driver's addresses, the documentation, the checks.

use crate::driver::types::*;
use crate::ffi::{graph, launch};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::AtomicPtr;

/// The CUDA version up to which all forms of the functions are listed.
pub(crate) const LISTED: i32 = 13050;

/// The marks of functions whose default stream is the calling thread's own: of those that take a stream, and of those that
/// use the default one.
const PER_THREAD: [&[u8]; 2] = [b"_ptsz", b"_ptds"];

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It goes through gevt's state machine.
    Ours,
    /// It goes to the driver, and what it did to events, streams and captures is kept.
    Watched,
}

/// One symbol that this library exports.
#[cfg_attr(not(test), expect(dead_code, reason = "role and reason are for the documentation, which a test writes"))]
pub(crate) struct Row {
    pub(crate) symbol: &'static CStr,
    /// The first CUDA version whose callers get this form from cuGetProcAddress.
    pub(crate) since: i32,
    pub(crate) role: Role,
    /// The reason, in a sentence.
    pub(crate) why: &'static str,
    /// Our function.
    pub(crate) function: fn() -> *mut c_void,
    /// The driver's function, once it was looked for.
    pub(crate) real: AtomicPtr<c_void>,
}

/// Makes the table. A row: the symbol with its parameters, the first CUDA version of this form, and the module of `ffi`
/// that has our function. Its result is a [`Code`].
macro_rules! table {
    ($($role:ident $why:literal {
        $($symbol:ident ( $($parameter:ident: $type:ty),* ) $since:literal $module:ident;)*
    })*) => {
        /// A row of the table.
        #[expect(non_camel_case_types, reason = "the driver's own names")]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Symbol { $($($symbol),*),* }

        static ROWS: [Row; Symbol::ALL.len()] = [$($(Row {
            symbol: match CStr::from_bytes_with_nul(concat!(stringify!($symbol), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("an identifier holds no zero"),
            },
            since: $since,
            role: Role::$role,
            why: $why,
            function: || crate::ffi::$module::$symbol as *mut c_void,
            real: AtomicPtr::new(std::ptr::null_mut()),
        }),*),*];

        impl Symbol {
            /// All rows, in the order of the table.
            pub(crate) const ALL: &[Symbol] = &[$($(Symbol::$symbol),*),*];
        }

        /// The signatures of the driver's functions.
        #[expect(non_camel_case_types, reason = "the driver's own names")]
        pub(crate) mod signature {
            use super::*;
            $($(pub(crate) type $symbol = unsafe extern "C" fn($($parameter: $type),*) -> Code;)*)*
        }

        // Our functions have the signatures that the table states.
        $($(const _: signature::$symbol = crate::ffi::$module::$symbol;)*)*
    };
}

table! {
    Ours "It hands out the addresses of functions: ours for those of this table." {
        cuGetProcAddress(name: *const c_char, out: *mut *mut c_void, version: i32, flags: u64) 11030 proc_address;
        cuGetProcAddress_v2(name: *const c_char, out: *mut *mut c_void, version: i32, flags: u64, found: *mut i32) 12000 proc_address;
    }
    Ours "Its answer comes from the state machine, or goes through it." {
        cuEventCreate(out: *mut Event, flags: u32) 2000 event;
        cuEventDestroy(event: Event) 2000 event;
        cuEventDestroy_v2(event: Event) 4000 event;
        cuEventQuery(event: Event) 2000 event;
        cuEventSynchronize(event: Event) 2000 event;
        cuEventElapsedTime(ms: *mut f32, start: Event, end: Event) 2000 event;
        cuEventElapsedTime_v2(ms: *mut f32, start: Event, end: Event) 12080 event;
    }
    Ours "It records an event." {
        cuEventRecord(event: Event, stream: Stream) 2000 event;
        cuEventRecord_ptsz(event: Event, stream: Stream) 7000 event;
        cuEventRecordWithFlags(event: Event, stream: Stream, flags: u32) 11010 event;
        cuEventRecordWithFlags_ptsz(event: Event, stream: Stream, flags: u32) 11010 event;
        cuCtxRecordEvent(context: Context, event: Event) 12050 context;
        cuGreenCtxRecordEvent(context: GreenContext, event: Event) 12040 context;
    }
    Ours "It waits for an event, which has to be one that lives." {
        cuStreamWaitEvent(stream: Stream, event: Event, flags: u32) 3020 event;
        cuStreamWaitEvent_ptsz(stream: Stream, event: Event, flags: u32) 7000 event;
        cuCtxWaitEvent(context: Context, event: Event) 12050 context;
        cuGreenCtxWaitEvent(context: GreenContext, event: Event) 12040 context;
    }
    Ours "It makes an event that others record, or gives one to them: nothing is remembered of it." {
        cuIpcGetEventHandle(out: *mut IpcEvent, event: Event) 4010 ipc;
        cuIpcOpenEventHandle(out: *mut Event, handle: IpcEvent) 4010 ipc;
        cuEventCreateFromEGLSync(out: *mut Event, sync: *mut c_void, flags: u32) 9000 event;
    }
    Watched "It ends a context: what was known of events is forgotten." {
        cuCtxDestroy(context: Context) 2000 context;
        cuCtxDestroy_v2(context: Context) 4000 context;
        cuCtxDetach(context: Context) 2000 context;
        cuDevicePrimaryCtxRelease(device: Device) 7000 context;
        cuDevicePrimaryCtxRelease_v2(device: Device) 11000 context;
        cuDevicePrimaryCtxReset(device: Device) 7000 context;
        cuDevicePrimaryCtxReset_v2(device: Device) 11000 context;
        cuGreenCtxDestroy(context: GreenContext) 12040 context;
    }
    Watched "It reports errors that end a context, and then finished events answer them, too." {
        cuCtxSynchronize() 2000 context;
        cuCtxSynchronize_v2(context: Context) 13000 context;
        cuStreamQuery(stream: Stream) 2000 stream;
        cuStreamQuery_ptsz(stream: Stream) 7000 stream;
        cuStreamSynchronize(stream: Stream) 2000 stream;
        cuStreamSynchronize_ptsz(stream: Stream) 7000 stream;
        cuLaunchKernel(function: Function, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: u32, stream: Stream, parameters: *mut *mut c_void, extra: *mut *mut c_void) 4000 fault;
        cuLaunchKernel_ptsz(function: Function, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared_bytes: u32, stream: Stream, parameters: *mut *mut c_void, extra: *mut *mut c_void) 7000 fault;
        cuGraphLaunch(executable: Executable, stream: Stream) 10000 fault;
        cuGraphLaunch_ptsz(executable: Executable, stream: Stream) 10000 fault;
        cuMemcpy(to: u64, from: u64, bytes: usize) 4000 fault;
        cuMemcpy_ptds(to: u64, from: u64, bytes: usize) 7000 fault;
        cuMemcpyDtoH(to: *mut c_void, from: u32, bytes: u32) 2000 fault;
        cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) 3020 fault;
        cuMemcpyDtoH_v2_ptds(to: *mut c_void, from: u64, bytes: usize) 7000 fault;
        cuMemcpyHtoD(to: u32, from: *const c_void, bytes: u32) 2000 fault;
        cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) 3020 fault;
        cuMemcpyHtoD_v2_ptds(to: u64, from: *const c_void, bytes: usize) 7000 fault;
        cuMemFree(memory: u32) 2000 fault;
        cuMemFree_v2(memory: u64) 3020 fault;
    }
    Watched "It makes or ends a stream, so that one that was destroyed is known." {
        cuStreamCreate(out: *mut Stream, flags: u32) 2000 stream;
        cuStreamCreateWithPriority(out: *mut Stream, flags: u32, priority: i32) 5050 stream;
        cuGreenCtxStreamCreate(out: *mut Stream, context: GreenContext, flags: u32, priority: i32) 12050 stream;
        cuStreamDestroy(stream: Stream) 2000 stream;
        cuStreamDestroy_v2(stream: Stream) 4000 stream;
    }
    Watched "A query may not be made during a capture: the driver judges it." {
        cuStreamBeginCapture(stream: Stream) 10000 capture;
        cuStreamBeginCapture_ptsz(stream: Stream) 10000 capture;
        cuStreamBeginCapture_v2(stream: Stream, mode: i32) 10010 capture;
        cuStreamBeginCapture_v2_ptsz(stream: Stream, mode: i32) 10010 capture;
        cuStreamBeginCaptureToGraph(stream: Stream, graph: Graph, from: *const Node, edges: *const c_void, count: usize, mode: i32) 12030 capture;
        cuStreamBeginCaptureToGraph_ptsz(stream: Stream, graph: Graph, from: *const Node, edges: *const c_void, count: usize, mode: i32) 12030 capture;
        cuStreamBeginRecaptureToGraph(stream: Stream, mode: i32, graph: Graph, callback: *const c_void, user: *mut c_void) 13030 capture;
        cuStreamBeginRecaptureToGraph_ptsz(stream: Stream, mode: i32, graph: Graph, callback: *const c_void, user: *mut c_void) 13030 capture;
        cuStreamBeginCaptureToCig(stream: Stream, parameters: *mut c_void) 13010 capture;
        cuStreamBeginCaptureToCig_ptsz(stream: Stream, parameters: *mut c_void) 13010 capture;
        cuStreamEndCapture(stream: Stream, out: *mut Graph) 10000 capture;
        cuStreamEndCapture_ptsz(stream: Stream, out: *mut Graph) 10000 capture;
        cuStreamEndCaptureToCig(stream: Stream) 13010 capture;
        cuStreamEndCaptureToCig_ptsz(stream: Stream) 13010 capture;
    }
    Watched "The node records its event whenever the graph runs: nothing is remembered of it." {
        cuGraphAddEventRecordNode(out: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event) 11010 graph;
        cuGraphEventRecordNodeSetEvent(node: Node, event: Event) 11010 graph;
        cuGraphExecEventRecordNodeSetEvent(executable: Executable, node: Node, event: Event) 11010 graph;
    }
    Watched "The node waits for an event, which has to be one that lives." {
        cuGraphAddEventWaitNode(out: *mut Node, graph: Graph, from: *const Node, count: usize, event: Event) 11010 graph;
        cuGraphEventWaitNodeSetEvent(node: Node, event: Event) 11010 graph;
        cuGraphExecEventWaitNodeSetEvent(executable: Executable, node: Node, event: Event) 11010 graph;
    }
    Watched "The node may be one that records an event, or waits for one." {
        cuGraphAddNode(out: *mut Node, graph: Graph, from: *const Node, count: usize, params: *mut graph::NodeParams) 12020 graph;
        cuGraphAddNode_v2(out: *mut Node, graph: Graph, from: *const Node, edges: *const c_void, count: usize, params: *mut graph::NodeParams) 12030 graph;
        cuGraphAddNode_v3(out: *mut Node, graph: Graph, from: *const Node, edges: *const c_void, count: usize, params: *mut graph::NodeParams) 13040 graph;
        cuGraphNodeSetParams(node: Node, params: *mut graph::NodeParams) 12020 graph;
        cuGraphNodeSetParams_v2(node: Node, params: *mut graph::NodeParams) 13040 graph;
        cuGraphExecNodeSetParams(executable: Executable, node: Node, params: *mut graph::NodeParams) 12020 graph;
    }
    Watched "An attribute of the launch may be an event that it records." {
        cuLaunchKernelEx(config: *const launch::Config, function: Function, parameters: *mut *mut c_void, extra: *mut *mut c_void) 11060 launch;
        cuLaunchKernelEx_ptsz(config: *const launch::Config, function: Function, parameters: *mut *mut c_void, extra: *mut *mut c_void) 11060 launch;
        cuGraphKernelNodeSetAttribute(node: Node, attribute: u32, value: *const launch::AttributeValue) 11000 graph;
    }
}

/// The functions that may seem to belong here and are left alone, in groups, each with the reason.
#[cfg(test)]
pub(crate) const LEFT_ALONE: &[(&str, &[&str])] = &[
    (
        "It tells a node's event, and changes none.",
        &["cuGraphEventRecordNodeGetEvent", "cuGraphEventWaitNodeGetEvent", "cuGraphNodeGetParams"],
    ),
    (
        "An event in a node's attribute is known from the call that first set it.",
        &["cuGraphKernelNodeCopyAttributes", "cuGraphKernelNodeGetAttribute"],
    ),
    ("No attribute of a stream carries an event.", &["cuStreamSetAttribute", "cuStreamSetAttribute_ptsz"]),
    (
        "It tells of a capture or changes what it holds, and neither begins nor ends it.",
        &[
            "cuStreamGetCaptureInfo",
            "cuStreamGetCaptureInfo_ptsz",
            "cuStreamGetCaptureInfo_v2",
            "cuStreamGetCaptureInfo_v2_ptsz",
            "cuStreamGetCaptureInfo_v3",
            "cuStreamGetCaptureInfo_v3_ptsz",
            "cuStreamIsCapturing",
            "cuStreamIsCapturing_ptsz",
            "cuStreamUpdateCaptureDependencies",
            "cuStreamUpdateCaptureDependencies_ptsz",
            "cuStreamUpdateCaptureDependencies_v2",
            "cuStreamUpdateCaptureDependencies_v2_ptsz",
            "cuThreadExchangeStreamCaptureMode",
        ],
    ),
    (
        "A new context has no events.",
        &[
            "cuCtxCreate",
            "cuCtxCreate_v2",
            "cuCtxCreate_v3",
            "cuCtxCreate_v4",
            "cuDevicePrimaryCtxRetain",
            "cuGLCtxCreate",
            "cuGLCtxCreate_v2",
            "cuGreenCtxCreate",
            "cuVDPAUCtxCreate",
            "cuVDPAUCtxCreate_v2",
        ],
    ),
    ("The tables that it gives have no documentation.", &["cuGetExportTable"]),
];

impl Symbol {
    #[inline]
    pub(crate) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The row of that name.
    pub(crate) fn named(name: &CStr) -> Option<Symbol> {
        Symbol::ALL.iter().copied().find(|symbol| symbol.name() == name)
    }

    pub(crate) fn name(self) -> &'static CStr {
        self.row().symbol
    }

    /// The name that cuGetProcAddress is asked for: without the form's number and the mark of the per-thread stream.
    pub(crate) fn asked(self) -> &'static [u8] {
        let name = self.name().to_bytes();
        let name = PER_THREAD.iter().find_map(|mark| name.strip_suffix(*mark)).unwrap_or(name);
        match name {
            [base @ .., b'_', b'v', number] if number.is_ascii_digit() => base,
            _ => name,
        }
    }

    /// Is the calling thread's own stream its default one?
    pub(crate) fn is_per_thread(self) -> bool {
        PER_THREAD.iter().any(|mark| self.name().to_bytes().ends_with(mark))
    }

    /// The address of our function.
    pub(crate) fn ours(self) -> *mut c_void {
        (self.row().function)()
    }
}

#[cfg(test)]
mod tests;
