//! CUDA before any of its devices is used.

use super::context::Cuda;
use super::driver;
use crate::backend::{Backend, BackendKind, Provider};
use crate::error::Result;

/// GEVT_BACKEND_CUDA.
pub(super) const CUDA: BackendKind = BackendKind(2);

/// NVIDIA's driver.
pub(crate) struct CudaProvider;

impl Provider for CudaProvider {
    fn kind(&self) -> BackendKind {
        CUDA
    }

    fn name(&self) -> &'static str {
        "cuda"
    }

    fn title(&self) -> &'static str {
        "CUDA"
    }

    fn device_count(&self) -> Result<i32> {
        driver::get()?.count()
    }

    fn open(&self, device: i32) -> Result<Box<dyn Backend>> {
        Cuda::open(driver::get()?, device).map(leak)
    }

    unsafe fn wrap(&self, native: u64) -> Result<Box<dyn Backend>> {
        let driver = driver::get()?;
        // SAFETY: this function requires it to be a live context.
        unsafe { Cuda::wrap(driver, native as usize) }.map(leak)
    }

    fn current(&self) -> Result<Option<u64>> {
        Cuda::current(driver::get()?).map(|current| (current != 0).then_some(current))
    }
}

/// A context's memory is never reused: its number identifies it for the life of the process.
fn leak(context: Cuda) -> Box<dyn Backend> {
    Box::new(&*Box::leak(Box::new(context)))
}
