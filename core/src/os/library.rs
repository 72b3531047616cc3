//! Libraries of drivers, loaded at run time.

#[cfg(unix)]
use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};
#[cfg(windows)]
use libloading::os::windows::{LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, Library as Loaded};
use std::mem::ManuallyDrop;

/// NVIDIA's driver.
pub(crate) const CUDA: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };
pub(crate) const NO_CUDA: &str = if cfg!(windows) {
    "nvcuda.dll is not there, so no NVIDIA driver is installed"
} else {
    "libcuda.so.1 is not there, so no NVIDIA driver is installed"
};
/// The Vulkan loader.
pub(crate) const VULKAN: &[&str] = if cfg!(windows) { &["vulkan-1.dll"] } else { &["libvulkan.so.1"] };
pub(crate) const NO_VULKAN: &str = if cfg!(windows) {
    "vulkan-1.dll is not there, so no Vulkan loader is installed"
} else {
    "libvulkan.so.1 is not there, so no Vulkan loader is installed"
};

/// A library that is never unloaded: drivers start threads and register exit handlers.
pub(crate) struct Library(ManuallyDrop<Loaded>);

impl Library {
    /// Loads the first of the libraries that can be found; on Windows in the program's folder, the system's, or one that the program has
    /// added.
    ///
    /// # Safety
    /// The libraries' initializers must be safe to run.
    pub(crate) unsafe fn open(names: &[&str]) -> Option<Library> {
        // SAFETY: by this function's requirement.
        #[cfg(unix)]
        let load = |name: &&str| unsafe { Loaded::open(Some(*name), RTLD_NOW | RTLD_LOCAL) }.ok();
        // SAFETY: by this function's requirement.
        #[cfg(windows)]
        let load = |name: &&str| unsafe { Loaded::load_with_flags(*name, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS) }.ok();
        names.iter().find_map(load).map(|loaded| Library(ManuallyDrop::new(loaded)))
    }

    /// Returns the function that the library exports under a name, which ends with a NUL.
    ///
    /// # Safety
    /// `T` must be the function's type.
    pub(crate) unsafe fn get<T: Copy>(&self, name: &[u8]) -> Option<T> {
        // SAFETY: by this function's requirement.
        unsafe { self.0.get::<T>(name) }.ok().map(|symbol| *symbol)
    }
}
