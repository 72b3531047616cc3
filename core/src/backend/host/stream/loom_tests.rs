//! How a device counts its streams that have work: each test is one meeting of threads, one of which ends the stream and uses it
//! again with another role.

use super::*;
use crate::sync::Lazy;
use crate::table::loom_tests::explore;
use loom::thread;

/// A blocking stream, its device, and another stream, which never has work.
struct World {
    stream: HostStream,
    device: HostDevice,
    other: HostStream,
}

static WORLD: Lazy<World> =
    Lazy::new(|| World { stream: HostStream::default(), device: HostDevice::new(0), other: HostStream::default() });

fn world() -> &'static World {
    let world = Lazy::force(&WORLD);
    world.stream.device.store(std::ptr::from_ref(&world.device).cast_mut(), Ordering::Relaxed);
    world
}

/// Work that is done at once.
fn work() -> PackedWork {
    Work::Follow(Point { stream: &world().other, position: 0 }).pack()
}

/// Uses the stream again as one that is not counted, if it is idle.
fn use_again() {
    let stream = &world().stream;
    if stream.queue.tail().is_idle()
        && let Some(over) = stream.queue.end()
    {
        stream.queue.advance(over);
        stream.role.store(Role::NonBlocking as u32, Ordering::Relaxed);
    }
}

#[test]
fn stop_against_reuse() {
    explore(3, || {
        let stream = &world().stream;
        stream.role.store(Role::Blocking as u32, Ordering::Relaxed);
        world().device.stream_started();
        assert!(matches!(stream.queue.give(stream.queue.tail(), &work()), Given::Not), "a new queue has no place");
        assert!(matches!(stream.queue.give(stream.queue.tail(), &work()), Given::Until(1)));
        let runner = thread::spawn(|| world().stream.run_as(Turn::Whole));
        use_again();
        runner.join().expect("runner");
        assert_eq!(world().device.busy(), 0);
    });
}

#[test]
fn give_with_an_old_handle_against_reuse() {
    explore(3, || {
        let stream = &world().stream;
        stream.role.store(Role::Blocking as u32, Ordering::Relaxed);
        let tail = stream.queue.tail();
        let giver = thread::spawn(move || matches!(world().stream.give_idle(tail, &work()), Given::Until(_)));
        use_again();
        let given = giver.join().expect("giver");
        assert_eq!(world().device.busy(), u32::from(given));
    });
}
