//! The calling thread's own stream of a device, as CUDA's per-thread default stream.

use super::device::HostDevice;
use super::stream::HostStream;
use crate::error::Result;
use std::cell::RefCell;

/// One thread's streams, by device; they are closed when it ends, and their work still runs.
struct Streams(RefCell<Vec<(&'static HostDevice, &'static HostStream)>>);

impl Drop for Streams {
    fn drop(&mut self) {
        if !crate::process::is_over() {
            self.0.get_mut().drain(..).for_each(|(_, stream)| stream.close());
        }
    }
}

thread_local! {
    static STREAMS: Streams = const { Streams(RefCell::new(Vec::new())) };
}

/// The calling thread's stream of the device; made when first asked for.
pub(crate) fn get(device: &'static HostDevice) -> Result<&'static HostStream> {
    let find = |streams: &Streams| {
        let mut streams = streams.0.borrow_mut();
        if let Some((_, stream)) = streams.iter().find(|(known, _)| std::ptr::eq(*known, device)) {
            return Ok(*stream);
        }
        let stream = device.open(true)?;
        streams.push((device, stream));
        Ok(stream)
    };
    // A thread that is ending has no stream of its own any more; the default one comes behind what that was given.
    STREAMS.try_with(find).unwrap_or_else(|_| device.default_stream())
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
