//! How a device counts its streams that have work: each test is one meeting of threads, one of which ends the stream and uses it
//! again with another role.

use super::*;
use crate::backend::host::queue::Given;
use crate::backend::host::runner::Turn;
use crate::sync::{AtomicBool, Lazy};
use crate::table::loom_tests::explore;
use loom::thread;

/// A blocking stream, whether its handle lives, its device, and another stream, which never has work.
struct World {
    stream: HostStream,
    is_dead: AtomicBool,
    device: HostDevice,
    other: HostStream,
}

static WORLD: Lazy<World> = Lazy::new(|| World {
    stream: HostStream::default(),
    is_dead: AtomicBool::new(false),
    device: HostDevice::new(0),
    other: HostStream::default(),
});

fn world() -> &'static World {
    let world = Lazy::force(&WORLD);
    world.stream.device.store(std::ptr::from_ref(&world.device).cast_mut(), Ordering::Relaxed);
    world
}

/// Gives work that is done at once.
fn give() -> Result<Given> {
    let work = Work::Follow(Point { stream: &world().other, position: 0 });
    let start = || {
        world().stream.counted_by().inspect(|device| device.stream_started());
    };
    world().stream.queue.give(None.into_iter(), work, || !world().is_dead.load(Ordering::SeqCst), start)
}

/// Ends the stream, and uses it again as one that is not counted, if it is idle. Else its runner ends it.
fn use_again() {
    let stream = &world().stream;
    world().is_dead.store(true, Ordering::SeqCst);
    if let Some(over) = stream.queue.end() {
        stream.queue.advance(over);
        stream.role.store(Role::NonBlocking as u32, Ordering::Relaxed);
    }
}

#[test]
fn stop_against_reuse() {
    explore(3, || {
        world().stream.role.store(Role::Blocking as u32, Ordering::Relaxed);
        assert_eq!(give(), Ok(Given { position: 1, has_started: true }));
        let runner = thread::spawn(|| world().stream.run_as(Turn::Whole));
        use_again();
        runner.join().expect("runner");
        assert_eq!(world().device.busy(), 0);
    });
}

#[test]
fn give_with_an_old_handle_against_reuse() {
    explore(3, || {
        world().stream.role.store(Role::Blocking as u32, Ordering::Relaxed);
        let giver = thread::spawn(|| give().is_ok_and(|given| given.has_started));
        use_again();
        let given = giver.join().expect("giver");
        assert_eq!(world().device.busy(), u32::from(given));
    });
}
