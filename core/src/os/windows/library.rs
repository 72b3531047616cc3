//! Where drivers' libraries are.

use libloading::os::windows::LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
pub(crate) use libloading::os::windows::Library as Loaded;

/// NVIDIA's driver.
pub(crate) const CUDA: &[&str] = &["nvcuda.dll"];
pub(crate) const NO_CUDA: &str = "nvcuda.dll is not there, so no NVIDIA driver is installed";
/// The Vulkan loader.
pub(crate) const VULKAN: &[&str] = &["vulkan-1.dll"];
pub(crate) const NO_VULKAN: &str = "vulkan-1.dll is not there, so no Vulkan loader is installed";

/// Loads a library from the program's folder, the system's, or one that the program has added.
///
/// # Safety
/// The library's initializers must be safe to run.
pub(crate) unsafe fn load(name: &str) -> Option<Loaded> {
    // SAFETY: by this function's requirement.
    unsafe { Loaded::load_with_flags(name, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS) }.ok()
}
