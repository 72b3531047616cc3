//! The driver's types that the functions of the table take, and pointers to them.

pub(crate) use cuda_abi::{
    CUcontext, CUdevice, CUevent, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUgreenCtx, CUresult, CUstream,
    IpcHandle, code,
};

/// A pointer that the driver writes through. Only the C caller of an exported function makes one, and promises what the
/// driver's function asks of it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Returns what the driver wrote, if `code` says that it succeeded.
    pub(crate) fn written(self, code: CUresult) -> Option<T> {
        // SAFETY: the driver succeeded, so the caller's pointer was good and the driver has written there. It need not be aligned.
        (code == 0).then(|| unsafe { self.0.read_unaligned() })
    }
}

/// A pointer that the driver reads through. Only the C caller of an exported function makes one, and promises that it is NULL
/// or points to what the driver's function reads.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(pub(super) *const T);
