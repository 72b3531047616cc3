//! CUDA before any of its devices is used.

use super::context::Cuda;
use super::driver;
use super::native::NativeContext;
use crate::backend::{Backend, BackendKind, Provider};
use crate::error::Result;

/// NVIDIA's driver.
pub(crate) const PROVIDER: Provider = Provider {
    wrap,
    current: || NativeContext::current(driver::get()?).map(|current| (current != 0).then_some(current)),
    ..Provider::new(BackendKind::CUDA, ("cuda", "CUDA"), || driver::get()?.count(), open)
};

fn open(device: i32) -> Result<Box<dyn Backend>> {
    Ok(Box::new(Cuda::open(driver::get()?, device)?))
}

/// # Safety
/// As [`Provider::wrap`] says.
unsafe fn wrap(native: u64) -> Result<Box<dyn Backend>> {
    Ok(Box::new(Cuda::at(driver::get()?, native as usize, None)?))
}
