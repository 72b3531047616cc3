//! The driver's types, as far as the functions of the table take them.

use std::ffi::c_void;

/// CUresult: any number, since a newer driver may answer with a code that nobody here has heard of.
pub(crate) type CUresult = i32;

/// CUdevice
pub(crate) type CUdevice = i32;

macro_rules! handles {
    ($($name:ident)*) => { $(
        #[doc = concat!(stringify!($name), ", which is the driver's own pointer.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub(crate) *mut c_void);

    )* };
}

handles! { CUevent CUstream CUcontext CUgreenCtx CUgraph CUgraphNode CUgraphExec CUfunction }

macro_rules! addresses {
    ($($name:ident)*) => { $(
        impl $name {
            /// Returns the pointer as a number.
            #[inline]
            pub(crate) fn address(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}

addresses! { CUevent CUstream CUcontext }

/// CUipcEventHandle, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUipcEventHandle(pub(crate) [u8; 64]);

/// A pointer to which the driver writes. Only the C caller of an exported function makes one, and promises what the
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

/// A pointer from which the driver reads. Only the C caller of an exported function makes one, and promises that it is NULL
/// or points to what the driver's function reads.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(pub(super) *const T);
