//! gevt_get_info, which describes an event.

use super::boundary::{CHandle, call};
use super::types::{GEVT_NAME_SIZE, gevt_event_info_t, gevt_event_t, gevt_status_t};
use gevt_core::{Error, EventInfo};

/// The least size that a caller may pass: up to the end of the flags.
const LEAST: usize = std::mem::offset_of!(gevt_event_info_t, state);

/// Describes an event and its state. Does not block.
///
/// The caller sets `info->size` to sizeof(gevt_event_info_t). At most that many bytes are written, and `info->size` receives their
/// number. A program and a library built with different versions of this header therefore work together.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `info` is NULL, or `info->size` is less than 12.
/// - GEVT_ERROR_INVALID_HANDLE: `ev` is not a live event.
///
/// # Safety
/// `info` must be NULL or point to `info->size` bytes that are valid for reads and writes.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_get_info(info: *mut gevt_event_info_t, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_get_info", ev.bits(), || {
        if info.is_null() {
            return Err(Error::NullPointer("info"));
        }
        // SAFETY: not NULL, so this function requires it to begin with a readable size. Its alignment is the caller's affair.
        let size = unsafe { info.cast::<usize>().read_unaligned() };
        if size < LEAST {
            return Err(Error::BadArgument("info->size"));
        }
        let size = size.min(size_of::<gevt_event_info_t>());
        let known = pack(ev.named().info()?, size);
        // SAFETY: this function requires `info` to have the size that it says, which `size` does not exceed, and `known` is at
        // least `size` long by the line that cut it.
        unsafe { std::ptr::from_ref(&known).cast::<u8>().copy_to_nonoverlapping(info.cast(), size) };
        Ok(())
    })
}

fn pack(info: EventInfo, size: usize) -> gevt_event_info_t {
    let mut name = [0; GEVT_NAME_SIZE];
    let bytes = info.name.iter().flat_map(|name| name.as_str().bytes()).take(GEVT_NAME_SIZE - 1);
    name.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte as std::ffi::c_char);
    gevt_event_info_t {
        size,
        flags: info.flags.bits(),
        state: info.state as u32,
        backend: info.device.map_or(0, |(kind, _)| kind.0),
        device: info.device.map_or(-1, |(_, device)| device),
        context: CHandle::from_named(info.context),
        imported: info.imported.into(),
        reserved: 0,
        record_count: info.records,
        name,
    }
}
