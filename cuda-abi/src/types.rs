//! Types of the driver API.

use core::ffi::c_void;

/// CUresult. Any number: a newer driver may return codes that are not listed.
pub type CUresult = i32;

/// CUdevice.
pub type CUdevice = i32;

macro_rules! handles {
    ($($name:ident)*) => { $(
        #[doc = concat!(stringify!($name), ", the driver's own pointer.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub *mut c_void);

        impl $name {
            /// Returns the pointer as a number.
            #[inline]
            pub fn address(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}

handles! { CUevent CUstream CUcontext CUgreenCtx CUgraph CUgraphNode CUgraphExec CUfunction }
