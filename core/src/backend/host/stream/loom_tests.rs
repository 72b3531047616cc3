//! Models of a device and its streams. Each test runs a few threads in all orders. In most tests one thread ends the stream and uses it
//! again with another role.

use super::*;
use crate::backend::host::device::HostDevice;
use crate::backend::host::queue::Given;
use crate::backend::host::timeline::Role;
use crate::sync::{AtomicU32, Lazy, Ordering};
use crate::table::loom_tests::explore;
use crate::workers::Turn;
use loom::thread;

/// A blocking stream, whether its handle lives, its device, and another stream, which never has work.
struct World {
    stream: HostStream,
    is_dead: AtomicU32,
    device: HostDevice,
    other: HostStream,
}

static WORLD: Lazy<World> = Lazy::new(|| World {
    stream: HostStream::default(),
    is_dead: AtomicU32::new(0),
    device: HostDevice::new(0),
    other: HostStream::default(),
});

fn world() -> &'static World {
    Lazy::force(&WORLD)
}

fn begin(role: Role) {
    world().stream.timeline.begin(role, 0, std::ptr::from_ref(&world().device).cast());
}

/// Gives work that is done at once.
fn give() -> Result<Given> {
    let work = Work::Follow(Point { timeline: &world().other.timeline, position: 0 });
    let stream = &world().stream;
    let is_counted = stream.timeline.role() == Role::Blocking;
    let start = || is_counted.then(|| world().device.stream_started()).unwrap_or_default();
    stream.queue.give(None.into_iter(), work, || world().is_dead.load(Ordering::SeqCst) == 0, start)
}

/// Ends the stream, and uses it again as one that is not counted, if it is idle. Else its runner ends it.
fn use_again() {
    let stream = &world().stream;
    world().is_dead.swap(1, Ordering::SeqCst);
    if let Some(over) = stream.queue.end() {
        stream.timeline.advance(over);
        begin(Role::NonBlocking);
    }
}

#[test]
fn stop_against_reuse() {
    explore(3, || {
        begin(Role::Blocking);
        assert_eq!(give(), Ok(Given { position: 1, has_started: true }));
        let runner = thread::spawn(|| world().stream.run(Turn::Whole));
        use_again();
        runner.join().expect("runner");
        assert_eq!(world().device.busy(), 0);
    });
}

#[test]
fn give_with_an_old_handle_against_reuse() {
    explore(3, || {
        begin(Role::Blocking);
        let giver = thread::spawn(|| give().is_ok_and(|given| given.has_started));
        use_again();
        let given = giver.join().expect("giver");
        assert_eq!(world().device.busy(), u32::from(given));
    });
}

/// A stream that has done a wait which failed is not taken for one on which all is well.
#[test]
fn a_look_for_idleness_against_a_failure() {
    explore(3, || {
        begin(Role::NonBlocking);
        let failed = Point { timeline: &world().other.timeline, position: 1 };
        failed.timeline.failures.begin(0, Error::Internal);
        failed.timeline.advance(1);
        let stream = &world().stream;
        assert!(stream.queue.give(None.into_iter(), Work::Wait(failed), || true, || {}).is_ok());
        let runner = thread::spawn(|| world().stream.run(Turn::Whole));
        assert!(!world().device.is_idle(stream));
        runner.join().expect("runner");
    });
}
