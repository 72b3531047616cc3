//! The queue of a stream: each test is one meeting of threads that give work, take it and end the stream. A chunk has two
//! places, so that each comes to the end of one.

use super::queue::{Given, WorkQueue};
use super::work::Work;
use crate::backend::HostFn;
use crate::table::Slot;
use crate::table::loom_tests::{Watched, explore};
use loom::sync::Arc;
use loom::thread;
use std::ffi::c_void;
use std::sync::Mutex;

extern "C" fn never_called(_: *mut c_void) {}

/// A queue, and the numbers that were taken out of it. A model runs one thread at a time, so that the list adds no steps.
#[derive(Default)]
struct World {
    queue: WorkQueue,
    taken: Mutex<Vec<u64>>,
}

impl World {
    /// Gives a number while `lives`, and runs the queue if it was idle. Returns the position at which the number is done.
    fn give(&self, number: u64, lives: impl Fn() -> bool) -> Option<u64> {
        let call = HostFn { function: never_called, user: number as *mut c_void };
        let work = Work::Call(call).pack();
        loop {
            let tail = self.queue.tail();
            if !lives() {
                return None;
            }
            match self.queue.give(tail, &work) {
                Given::Until(position) => {
                    if tail.is_idle() {
                        self.run();
                    }
                    return Some(position);
                }
                Given::Not => {}
                Given::NoMemory => panic!("there is memory"),
            }
        }
    }

    /// Runs the queue until it is idle, and ends it if it was ended meanwhile.
    fn run(&self) {
        let mut position = self.queue.done();
        loop {
            let tail = self.queue.tail();
            if tail.position() > position {
                // SAFETY: one thread at a time runs the queue: whoever found it idle.
                let work = unsafe { self.queue.next(position) }.expect("it was given");
                let Work::Call(call) = work else { panic!("not what was given") };
                self.taken.lock().expect("no test panics with it").push(call.user as u64);
                position += 1;
                self.queue.advance(position);
            } else if self.queue.end_done(tail).is_some() || self.queue.stop(tail) {
                return;
            }
        }
    }

    fn taken(&self) -> Vec<u64> {
        self.taken.lock().expect("no test panics with it").clone()
    }
}

fn always() -> bool {
    true
}

/// Both may find the last chunk used up, or the queue idle, or running and about to be idle. What one thread gave is taken in
/// its order, by whichever thread runs the queue then.
#[test]
fn give_against_give_and_take() {
    explore(3, || {
        let world = Arc::new(World::default());
        let other = thread::spawn({
            let world = world.clone();
            move || {
                world.give(10, always);
                world.give(11, always)
            }
        });
        world.give(20, always);
        other.join().expect("giver");
        assert!(matches!(world.taken()[..], [20, 10, 11] | [10, 20, 11] | [10, 11, 20]), "{:?}", world.taken());
    });
}

/// A chunk that is used up is put in again.
#[test]
fn take_against_give_with_used_chunks() {
    explore(2, || {
        let world = Arc::new(World::default());
        let giver = thread::spawn({
            let world = world.clone();
            move || world.give(10, always)
        });
        (20..24).for_each(|number| assert!(world.give(number, always).is_some()));
        giver.join().expect("giver");
        let order = world.taken().into_iter().filter(|number| *number != 10).collect::<Vec<_>>();
        assert_eq!((order, world.queue.done()), ((20..24).collect(), 5));
    });
}

/// The stream is destroyed, ended and used anew while somebody gives it work who has the old handle: the work belongs to the old
/// life, or is refused.
#[test]
fn give_against_end_and_reuse() {
    explore(4, || {
        let world = Arc::new(World::default());
        let slot = Arc::new(Slot::<Watched>::new(0));
        slot.word.publish(slot.begin_life(0).expect("it is the first"));
        let giver = thread::spawn({
            let (world, slot) = (world.clone(), slot.clone());
            move || world.give(7, || slot.word.load().is_life_of(1))
        });
        assert!(slot.word.kill(1));
        // If somebody runs the queue, that one ends it.
        let over = world.queue.end().inspect(|over| world.queue.advance(*over));
        let next = over.and_then(|_| world.give(8, always));
        let given = giver.join().expect("giver");
        assert!(given.is_none_or(|given| over.is_none_or(|over| given < over)), "work was given to a later life");
        assert!(over.is_none_or(|over| next.is_some_and(|next| next > over)));
        let expected: Vec<u64> = given.map(|_| 7).into_iter().chain(next.map(|_| 8)).collect();
        assert_eq!(world.taken(), expected);
        let tail = world.queue.tail();
        assert!(
            tail.is_idle() && !tail.is_ended() && tail.position() == world.queue.done() + u64::from(over.is_none())
        );
    });
}
