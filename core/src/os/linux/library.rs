//! Where drivers' libraries are.

pub(crate) use libloading::os::unix::Library as Loaded;
use libloading::os::unix::{RTLD_LOCAL, RTLD_NOW};

/// NVIDIA's driver.
pub(crate) const CUDA: &[&str] = &["libcuda.so.1", "libcuda.so"];
pub(crate) const NO_CUDA: &str = "libcuda.so.1 is not there, so no NVIDIA driver is installed";
/// The Vulkan loader.
pub(crate) const VULKAN: &[&str] = &["libvulkan.so.1"];
pub(crate) const NO_VULKAN: &str = "libvulkan.so.1 is not there, so no Vulkan loader is installed";

/// Loads a library.
///
/// # Safety
/// The library's initializers must be safe to run.
pub(crate) unsafe fn load(name: &str) -> Option<Loaded> {
    // SAFETY: by this function's requirement.
    unsafe { Loaded::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.ok()
}
