//! The host backend before any of its devices is used.

use super::{Host, HostDevice, device, devices};
use crate::backend::{Backend, BackendKind, Provider};
use crate::error::{Error, Result};
use crate::workers;

/// GEVT_BACKEND_HOST.
pub(super) const HOST: BackendKind = BackendKind(1);

/// The host's own threads.
pub(crate) struct HostProvider;

impl Provider for HostProvider {
    fn kind(&self) -> BackendKind {
        HOST
    }

    fn name(&self) -> &'static str {
        "host"
    }

    fn title(&self) -> &'static str {
        "the host"
    }

    fn check_settings(&self) {
        device::check_setting();
        workers::check_setting();
    }

    fn device_count(&self) -> Result<i32> {
        Ok(devices().len() as i32)
    }

    fn open(&self, device: i32) -> Result<Box<dyn Backend>> {
        let found = usize::try_from(device).ok().and_then(|number| devices().get(number));
        Ok(Box::new(Host(found.ok_or(Error::BadDevice(device))?)))
    }

    fn create(&self, device: i32) -> Result<Box<dyn Backend>> {
        self.open(device)?;
        Ok(Box::new(Host(Box::leak(Box::new(HostDevice::new(device))))))
    }
}
