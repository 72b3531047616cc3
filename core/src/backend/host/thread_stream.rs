//! The calling thread's own stream of a device, as CUDA's per-thread default stream.

use super::device::HostDevice;
use super::stream::HostStream;
use crate::error::{Error, Result};
use crate::{process, thread};
use std::cell::RefCell;
use std::mem::ManuallyDrop;

thread_local! {
    /// By device.
    static STREAMS: ManuallyDrop<RefCell<Vec<(&'static HostDevice, &'static HostStream)>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// Closes the streams of the thread, which ends; their work still runs.
fn end() {
    let streams = STREAMS.with(|streams| streams.take());
    if !process::is_over() {
        streams.into_iter().for_each(|(_, stream)| stream.close());
    }
}

/// The calling thread's stream of the device; made when first asked for.
pub(crate) fn get(device: &'static HostDevice) -> Result<&'static HostStream> {
    STREAMS.with(|streams| {
        let mut streams = streams.borrow_mut();
        if let Some((_, stream)) = streams.iter().find(|(known, _)| std::ptr::eq(*known, device)) {
            return Ok(*stream);
        }
        if !thread::at_end(end) || streams.try_reserve(1).is_err() {
            return Err(Error::OutOfMemory);
        }
        let stream = device.open(true)?;
        streams.push((device, stream));
        Ok(stream)
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_one_of_its_own() {
        let devices = [0, 0].map(|number| -> &'static HostDevice { Box::leak(Box::new(HostDevice::new(number))) });
        let streams = devices.map(|device| get(device).expect("there is memory"));
        assert!(!std::ptr::eq(streams[0], streams[1]), "two devices of one number have one stream");
        for (device, stream) in devices.into_iter().zip(streams) {
            assert!(std::ptr::eq(get(device).expect("it is there"), stream));
        }
    }
}
