use super::*;
use crate::backend::host::Host;
use crate::backend::host::work::Work;
use crate::backend::{Backend, HostFn};
use crate::status::Status;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

extern "C" fn wait(user: *mut std::ffi::c_void) {
    // SAFETY: the test keeps the receiver until the stream has ended.
    let _ = unsafe { &*user.cast::<Receiver<()>>() }.recv();
}

#[test]
fn a_stream_that_is_closed_with_work_ends_after_it() {
    let device: &'static HostDevice = Box::leak(Box::new(HostDevice::new(0)));
    let stream = device.open(false).expect("there is memory");
    let (done, mut held) = channel::<()>();
    let call = HostFn { function: wait, user: std::ptr::from_mut(&mut held).cast() };
    assert!(crate::workers::promise_completion().is_ok(), "there are workers");
    assert!(device.submit(stream, Work::Call(call), &StreamRef::pinned(stream.token())).is_ok());
    HostDevice::close(stream);
    assert_eq!(device.streams.lock().len(), 1, "ended before its work");
    drop(done);
    let deadline = Instant::now() + Duration::from_secs(300);
    while !device.streams.lock().is_empty() {
        assert!(Instant::now() < deadline, "a closed stream never ends");
        std::thread::yield_now();
    }
    crate::workers::withdraw_completion();
}

#[test]
fn what_waits_for_a_device_takes_the_failures_of_its_idle_streams() {
    let device: &'static HostDevice = Box::leak(Box::new(HostDevice::new(0)));
    let host = Host(device);
    let [failed, other] = [(); 2].map(|()| device.open(false).expect("there is memory"));
    let opener = host.gate(failed.token()).expect("there is memory");
    opener.open(Status(7));
    host.sync_unreported(None).expect("the gate is open");
    assert!(failed.end().is_reached());
    host.wait_for_all(other).expect("there is memory");
    assert_eq!(host.sync(Some(other.token()), None), Err(Error::EventFailed(Status(7))));
    [failed, other].into_iter().for_each(HostDevice::close);
}
