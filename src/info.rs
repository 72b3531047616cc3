//! The functions that describe an event, a stream or a context.

use super::boundary::call;
use super::sized::{SizedOut, sized};
use super::types::{
    GEVT_CONTEXT_HAS_LUID, GEVT_CONTEXT_HAS_PCI, GEVT_CONTEXT_HAS_UUID, GEVT_DEVICE_NAME_SIZE, GEVT_NAME_SIZE,
    GEVT_NO_QUEUE_FAMILY, gevt_context_info_t, gevt_context_t, gevt_event_info_t, gevt_event_t, gevt_status_t,
    gevt_stream_info_t, gevt_stream_t,
};
use gevt_core::{ContextInfo, EventInfo, Name, PciAddress, StreamInfo, Text};
use std::ffi::c_char;

// Up to the end of the flags: what the first version requires.
sized!(gevt_event_info_t, "info", flags: u32);
sized!(gevt_context_info_t, "info", name: [c_char; GEVT_DEVICE_NAME_SIZE]);
sized!(gevt_stream_info_t, "info", name: [c_char; GEVT_NAME_SIZE]);

/// Describes an event and its state. Never blocks.
///
/// Set `info->size` to sizeof(gevt_event_info_t) first. At most that many bytes are written, and `info->size` receives their number.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `info->size` is less than that of the structure's first version.
///
/// # Safety
/// `info` must be NULL or point to `info->size` bytes that are valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_get_info(info: *mut gevt_event_info_t, ev: gevt_event_t) -> gevt_status_t {
    call("gevt_get_info", ev.handle(), || {
        // SAFETY: this function requires `info` to be NULL or to have the size that it says.
        let out = unsafe { SizedOut::new(info) }?;
        ev.info().map(|info| out.write(|size| pack(info, size)))
    })
}

fn pack(info: EventInfo, size: usize) -> gevt_event_info_t {
    gevt_event_info_t {
        size,
        flags: info.flags.bits(),
        state: info.state as u32,
        backend: info.device.map_or(0, |(kind, _)| kind.0),
        device: info.device.map_or(-1, |(_, device)| device),
        context: info.context,
        imported: info.imported.into(),
        reserved: 0,
        record_count: info.records,
        name: info.name.unwrap_or(Name::EMPTY).to_array(),
    }
}

/// Describes a context and its device. Like cuDeviceGetName, cuDeviceGetUuid, cuDeviceGetLuid and cuDeviceGetPCIBusId. Never blocks.
///
/// Set `info->size` to sizeof(gevt_context_info_t) first. At most that many bytes are written, and `info->size` receives their number.
/// CUDA and Vulkan give one GPU the same UUID.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `info->size` is less than that of the structure's first version.
///
/// # Safety
/// `info` must be NULL or point to `info->size` bytes that are valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_context_get_info(info: *mut gevt_context_info_t, ctx: gevt_context_t) -> gevt_status_t {
    call("gevt_context_get_info", ctx.handle(), || {
        // SAFETY: this function requires `info` to be NULL or to have the size that it says.
        let out = unsafe { SizedOut::new(info) }?;
        ctx.info().map(|info| out.write(|size| pack_context(info, size)))
    })
}

fn pack_context(info: ContextInfo, size: usize) -> gevt_context_info_t {
    let identity = info.identity;
    let pci = identity.pci.unwrap_or(PciAddress { domain: 0, bus: 0, device: 0, function: 0 });
    let (luid, luid_node_mask) = identity.luid.unwrap_or_default();
    let flag = |known: bool, flag: u32| if known { flag } else { 0 };
    gevt_context_info_t {
        size,
        backend: info.device.0.0,
        device: info.device.1,
        known: flag(identity.uuid.is_some(), GEVT_CONTEXT_HAS_UUID)
            | flag(identity.luid.is_some(), GEVT_CONTEXT_HAS_LUID)
            | flag(identity.pci.is_some(), GEVT_CONTEXT_HAS_PCI),
        luid_node_mask,
        uuid: identity.uuid.unwrap_or_default(),
        luid,
        pci_domain: pci.domain,
        pci_bus: pci.bus,
        pci_device: pci.device,
        pci_function: pci.function,
        name: Text::of(&identity.name).to_array(),
    }
}

/// Describes a stream. Like cuStreamGetCtx and cuStreamGetFlags. Never blocks.
///
/// Set `info->size` to sizeof(gevt_stream_info_t) first. At most that many bytes are written, and `info->size` receives their number.
///
/// # Errors
/// - GEVT_ERROR_INVALID_VALUE: `info->size` is less than that of the structure's first version.
///
/// # Safety
/// `info` must be NULL or point to `info->size` bytes that are valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gevt_stream_get_info(info: *mut gevt_stream_info_t, s: gevt_stream_t) -> gevt_status_t {
    call("gevt_stream_get_info", s.handle(), || {
        // SAFETY: this function requires `info` to be NULL or to have the size that it says.
        let out = unsafe { SizedOut::new(info) }?;
        s.info().map(|info| out.write(|size| pack_stream(info, size)))
    })
}

fn pack_stream(info: StreamInfo, size: usize) -> gevt_stream_info_t {
    gevt_stream_info_t {
        size,
        context: info.context,
        backend: info.device.0.0,
        device: info.device.1,
        flags: info.flags.bits(),
        queue_family: info.queue_family.unwrap_or(GEVT_NO_QUEUE_FAMILY),
        name: info.name.unwrap_or(Name::EMPTY).to_array(),
    }
}
