//! The host backend before any of its devices is used.

use super::{Host, HostDevice, device, devices};
use crate::backend::{Backend, BackendKind, Provider};
use crate::error::{Error, Result};
use crate::workers;

/// The host's own threads.
pub(crate) const PROVIDER: Provider = Provider {
    check_settings: || {
        device::check_setting();
        workers::check_setting();
    },
    create: |device| {
        open(device)?;
        Ok(Box::new(Host(Box::leak(Box::new(HostDevice::new(device))))))
    },
    ..Provider::new(BackendKind::HOST, ("host", "the host"), || Ok(devices().len() as i32), open)
};

fn open(device: i32) -> Result<Box<dyn Backend>> {
    let found = usize::try_from(device).ok().and_then(|number| devices().get(number));
    Ok(Box::new(Host(found.ok_or(Error::BadDevice(device))?)))
}
