//! Memory that no other process opens.

use crate::os::FileName;
use std::io::{Error, ErrorKind, Result};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr::NonNull;
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_ALL_ACCESS, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile, PAGE_READWRITE, UnmapViewOfFile,
};

/// What names memory to the system's own functions.
pub type Descriptor = RawHandle;

/// Memory of fixed length, all zeros at first.
pub struct SharedFile(OwnedHandle);

fn unsupported<T>() -> Result<T> {
    Err(ErrorKind::Unsupported.into())
}

impl SharedFile {
    /// Makes the memory.
    pub fn create(bytes: u64) -> Result<SharedFile> {
        let (high, low) = ((bytes >> 32) as u32, bytes as u32);
        let (attributes, name) = (std::ptr::null(), std::ptr::null());
        // SAFETY: no pointer is used, and without a file the memory comes from the page file.
        let handle = unsafe { CreateFileMappingW(INVALID_HANDLE_VALUE, attributes, PAGE_READWRITE, high, low, name) };
        if handle.is_null() {
            return Err(Error::last_os_error());
        }
        // SAFETY: the handle is new, and no other code has it.
        Ok(SharedFile(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    /// Returns the name by which other processes open the file.
    pub fn name(&self) -> FileName {
        FileName { process: 0, descriptor: 0, inode: 0 }
    }

    /// Returns the file, for mapping it.
    pub fn descriptor(&self) -> Descriptor {
        self.0.as_raw_handle()
    }

    pub(crate) fn join(&self, _: u32) -> Result<bool> {
        unsupported()
    }

    pub(crate) fn has_member(&self, _: u32) -> bool {
        true
    }

    /// No process opens the memory of another.
    pub fn open(_: FileName, _: u64) -> Result<SharedFile> {
        unsupported()
    }

    /// Maps a part of the memory. It stays mapped after `self` is dropped.
    pub(crate) fn map(&self, offset: u64, length: usize) -> Result<Mapping> {
        let (high, low) = ((offset >> 32) as u32, offset as u32);
        // SAFETY: a new view, at a place that the system chooses.
        let view = unsafe { MapViewOfFile(self.descriptor(), FILE_MAP_ALL_ACCESS, high, low, length) };
        NonNull::new(view.Value.cast()).map(Mapping).ok_or_else(Error::last_os_error)
    }
}

/// Mapped memory.
pub(crate) struct Mapping(NonNull<u8>);

// SAFETY: the memory belongs to no thread, and `start` gives a pointer alone.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.0
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: what `map` has mapped; references to it do not outlive `self`.
        unsafe { UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: self.0.as_ptr().cast() }) };
    }
}
