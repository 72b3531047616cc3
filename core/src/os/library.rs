//! Libraries of drivers, loaded at run time.

pub(crate) use super::system::library::{CUDA, NO_CUDA, NO_VULKAN, VULKAN};
use super::system::library::{Loaded, load};
use std::mem::ManuallyDrop;

/// A library that is never unloaded: drivers start threads and register exit handlers.
pub(crate) struct Library(ManuallyDrop<Loaded>);

impl Library {
    /// Loads the first of the libraries that can be found.
    ///
    /// # Safety
    /// The libraries' initializers must be safe to run.
    pub(crate) unsafe fn open(names: &[&str]) -> Option<Library> {
        // SAFETY: by this function's requirement.
        names.iter().find_map(|name| unsafe { load(name) }).map(|loaded| Library(ManuallyDrop::new(loaded)))
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
