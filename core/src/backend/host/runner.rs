//! Runs a stream: does its work in order, and parks the stream if it has to wait.

use super::cell::HostCell;
use super::device::HostDevice;
use super::ipc::{self, SharedEvent};
use super::items::Items;
use super::point::Point;
use super::queue::Next;
use super::stream::HostStream;
use super::timeline::Role;
use super::work::Work;
use crate::backend::Cell;
use crate::clock;
use crate::error::Result;
use crate::probe::{self, Obstacle, What};
use crate::status::Status;
use crate::workers::{self, Runnable, Task, Turn, Waiter, Worker, WorkerPool};
use std::sync::Arc;

/// Less work than this does not make a worker wait for more.
const FEW: usize = 2;
/// How much is worth taking at once, and how often a worker checks for it: some microseconds in all.
const ENOUGH: u64 = 256;
const GATHER_LOOKS: u32 = 4;
const GATHER_SPINS: u32 = 100;

/// What a stream waits for, which runs it again.
enum Obstruction {
    /// Another worker.
    Worker,
    Point(Point),
    Shared(Arc<SharedEvent>, u64),
    Items(Arc<Items>),
    /// Nothing: the process exits.
    Exit,
}

impl Task for HostStream {
    fn run(&'static self, turn: Turn) {
        let (pool, worker) = (workers::get(), Worker::current());
        let mut position = self.timeline.done();
        let mut batch = self.queue.batch();
        loop {
            let many = batch.len() >= FEW;
            while let Some(work) = batch.front() {
                self.timeline.announce_begun();
                if let Some(obstruction) = self.step(pool, turn, position, work) {
                    // Before others can run the stream.
                    drop(batch);
                    return self.park(position, obstruction);
                }
                batch.pop_front();
                position += 1;
                self.timeline.announce_done();
                self.complete(position);
                let is_tired = match turn {
                    Turn::Whole => {
                        worker.is_some_and(|worker| pool.should_return(worker))
                            || (position.is_multiple_of(64) && pool.has_others())
                    }
                    Turn::Brief => position.is_multiple_of(1024),
                };
                if is_tired && position < self.queue.given() {
                    drop(batch);
                    return pool.give_way(Runnable::Task(self));
                }
            }
            if many && turn == Turn::Whole && pool.has_time() {
                self.gather(pool, position);
            }
            let stop = || {
                if self.timeline.role() == Role::Blocking {
                    HostDevice::of(self).stream_stopped();
                }
            };
            match self.queue.next(&mut batch, stop) {
                Next::More => {}
                Next::Idle => return,
                Next::Over(over) => {
                    drop(batch);
                    return HostDevice::free(self, over);
                }
            }
        }
    }
}

impl HostStream {
    /// Lets some work accumulate while much of it is submitted: callers and the runner would otherwise meet at the lock each time.
    fn gather(&self, pool: &WorkerPool, position: u64) {
        let mut before = position;
        for _ in 0..GATHER_LOOKS {
            // Each look takes the cache line away from callers that submit.
            (0..GATHER_SPINS).for_each(|_| std::hint::spin_loop());
            let given = self.queue.given();
            if given == before || given - position >= ENOUGH || !pool.has_time() {
                break;
            }
            before = given;
        }
    }

    /// Does the work at `position`, or returns what the stream has to wait for first.
    #[inline]
    fn step(&'static self, pool: &'static WorkerPool, turn: Turn, position: u64, work: &Work) -> Option<Obstruction> {
        match work {
            Work::Call(_) if turn == Turn::Brief => return Some(Obstruction::Worker),
            Work::Call(call) => {
                let has_run = Point { timeline: &self.timeline, position: position + 1 }.call(|| {
                    let _traced = probe::function(move || self.timeline.traced());
                    call.call();
                });
                if !has_run {
                    return Some(Obstruction::Exit);
                }
            }
            Work::Items(items) if items.are_done() => probe::put(move || What::StreamGoesOn(self.timeline.traced())),
            Work::Items(items) => return Some(Obstruction::Items(items.clone())),
            Work::Stamp { cell, serial } => {
                let time = clock::now();
                probe::release(*cell);
                if self.timeline.failures.at(position + 1).is_none() {
                    HostCell::of(cell).stamp(*serial, time);
                }
                self.put_reached(cell, *serial, time);
            }
            Work::Finish { shared, ticket, cell, serial } => {
                // Before others learn that it is done.
                if probe::is_on() {
                    self.put_reached(cell, *serial, clock::now());
                }
                // By its place: a caller may have learned of the failure meanwhile, which ends after what was given till then.
                let failure = self.timeline.failures.at(position + 1);
                probe::release(&**shared);
                shared.finish(*ticket, failure.map_or(Status::SUCCESS, |error| error.status()));
            }
            Work::WaitShared { shared, ticket } => {
                if !pool.has_others() {
                    shared.spin(*ticket);
                }
                let waits = || (Obstacle::Process, Obstruction::Shared(shared.clone(), *ticket));
                return self.wait(position, shared.reached(*ticket), waits);
            }
            Work::Wait(point) => {
                let waits = || (point.timeline.obstacle(), Obstruction::Point(*point));
                return self.wait(position, point.reached_by(0), waits);
            }
            Work::Follow(point) if !point.is_reached() => return Some(Obstruction::Point(*point)),
            Work::Follow(point) => probe::acquire(point.timeline),
        }
        None
    }

    /// Reports to a trace that the stream has reached a record.
    #[inline]
    pub(super) fn put_reached(&'static self, cell: &Cell, serial: u64, time: i64) {
        let cell = cell.address();
        probe::put(move || What::Reached { cell, serial, stream: self.timeline.traced(), time });
    }

    /// The stream waits at `position` until something is reached, and is without it if that has failed.
    #[inline]
    fn wait(
        &'static self,
        position: u64,
        reached: Result<bool>,
        waits: impl FnOnce() -> (Obstacle, Obstruction),
    ) -> Option<Obstruction> {
        if reached == Ok(false) {
            let (obstacle, obstruction) = waits();
            probe::put(move || What::StreamWaits(self.timeline.traced(), obstacle));
            return Some(obstruction);
        }
        probe::put(move || What::StreamGoesOn(self.timeline.traced()));
        reached.err().inspect(|error| self.timeline.failures.begin(position, *error));
        None
    }

    /// Sees to it that the stream, which has come to `position` and has no runner now, runs again.
    fn park(&'static self, position: u64, obstruction: Obstruction) {
        let back = match obstruction {
            Obstruction::Worker => Some(Waiter::Task(self)),
            Obstruction::Point(point) => point.timeline.notify(point.position, Waiter::Task(self)),
            // Without a thread it looks again.
            Obstruction::Shared(shared, ticket) => {
                ipc::add(shared, ticket, Waiter::Task(self)).is_err().then_some(Waiter::Task(self))
            }
            Obstruction::Items(items) => {
                items.begin(position + 1);
                None
            }
            Obstruction::Exit => None,
        };
        if back.is_some() {
            workers::get().schedule(Runnable::Task(self));
        }
    }
}
