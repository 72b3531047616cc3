//! Runs a stream: does its work in order, and parks the stream if it has to wait.

use super::cell::HostCell;
use super::ipc::{Outcome, PEER_GONE, SharedEvent};
use super::items::Items;
use super::point::Point;
use super::queue::Next;
use super::stream::HostStream;
use super::work::Work;
use crate::clock;
use crate::error::Error;
use crate::point::Gate;
use crate::probe::{self, Obstacle, What};
use crate::status::Status;
use crate::workers::{self, Runnable, Task, Waiter, Worker, WorkerPool};
use std::sync::Arc;

/// Less work than this does not make a worker wait for more.
const FEW: usize = 2;
/// How much is worth taking at once, and how often a worker checks for it: some microseconds in all.
const ENOUGH: u64 = 256;
const GATHER_LOOKS: u32 = 4;
const GATHER_SPINS: u32 = 100;

/// How much of a stream's work a thread does before others have their turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// As much as there is, while nothing else is due, and the thread should not return.
    Whole,
    /// A thread that others wait for: some, but no host function.
    Brief,
}

/// What a stream waits for, which runs it again.
enum Obstruction {
    /// Another worker.
    Worker,
    Point(Point),
    Gate(Arc<Gate>),
    Shared(Arc<SharedEvent>, u64),
    Items(Arc<Items>),
    /// Nothing: the process exits.
    Exit,
}

impl Task for HostStream {
    fn run(&'static self) {
        self.run_as(Turn::Whole);
    }

    fn run_briefly(&'static self) {
        self.run_as(Turn::Brief);
    }
}

impl HostStream {
    pub(super) fn run_as(&'static self, turn: Turn) {
        let (pool, worker) = (workers::get(), Worker::current());
        let mut position = self.queue.done();
        let mut batch = self.queue.batch();
        loop {
            let many = batch.len() >= FEW;
            while let Some(work) = batch.front() {
                self.announce_begun();
                if let Some(obstruction) = self.step(pool, turn, position, work) {
                    // Before others can run the stream.
                    drop(batch);
                    return self.park(position, obstruction);
                }
                batch.pop_front();
                position += 1;
                self.announce_done();
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
                self.counted_by().inspect(|device| device.stream_stopped());
            };
            match self.queue.next(&mut batch, stop) {
                Next::More => {}
                Next::Idle => return,
                Next::Over(over) => {
                    drop(batch);
                    return self.free(over);
                }
            }
        }
    }

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
                let has_run = Point { stream: self, position: position + 1 }.call(|| {
                    let _traced = probe::function(move || self.traced());
                    call.call();
                });
                if !has_run {
                    return Some(Obstruction::Exit);
                }
            }
            Work::Items(items) if items.are_done() => probe::put(move || What::StreamGoesOn(self.traced())),
            Work::Items(items) => return Some(Obstruction::Items(items.clone())),
            Work::Stamp { cell, serial } => {
                let (cell, serial, time) = (*cell, *serial, clock::now());
                probe::release(cell);
                if self.failure_at(position + 1).is_none() {
                    HostCell::of(cell).stamp(serial, time);
                }
                probe::put(move || What::Reached { cell: cell.address(), serial, stream: self.traced(), time });
            }
            Work::Finish { shared, ticket } => {
                if probe::is_on() {
                    shared.trace_reached(self);
                }
                // By its place: a caller may have learned of the failure meanwhile, which ends after what was given till then.
                let failure = self.failure_at(position + 1);
                probe::release(&**shared);
                shared.finish(*ticket, failure.map_or(Status::SUCCESS, |error| error.status()));
            }
            Work::WaitShared { shared, ticket } => return self.wait_shared(pool, position, shared, *ticket),
            Work::WaitGate(gate) => {
                let Some(status) = gate.opened() else {
                    let obstacle = gate.obstacle();
                    probe::put(move || What::StreamWaits(self.traced(), obstacle));
                    return Some(Obstruction::Gate(gate.clone()));
                };
                probe::put(move || What::StreamGoesOn(self.traced()));
                if status != Status::SUCCESS {
                    self.failures.begin(position, Error::EventFailed(status));
                }
            }
            Work::Follow(point) if !point.is_reached() => return Some(Obstruction::Point(*point)),
            Work::Follow(point) => point.announce_reached(),
            Work::Wait(point) if !point.is_reached() => {
                let point = *point;
                probe::put(move || What::StreamWaits(self.traced(), Obstacle::Stream(point.stream.traced())));
                return Some(Obstruction::Point(point));
            }
            Work::Wait(point) => {
                point.announce_reached();
                probe::put(move || What::StreamGoesOn(self.traced()));
                if let Some(error) = point.failure() {
                    self.failures.begin(position, error);
                }
            }
        }
        None
    }

    fn wait_shared(
        &'static self,
        pool: &'static WorkerPool,
        position: u64,
        shared: &Arc<SharedEvent>,
        ticket: u64,
    ) -> Option<Obstruction> {
        if !pool.has_others() {
            shared.spin(ticket);
        }
        let look = shared.look(ticket);
        let pending = matches!(look, Outcome::Pending(_));
        probe::put(move || match pending {
            true => What::StreamWaits(self.traced(), Obstacle::Process),
            false => What::StreamGoesOn(self.traced()),
        });
        match look {
            Outcome::Done => {}
            Outcome::Lost => self.failures.begin(position, PEER_GONE),
            Outcome::Failed(status) => self.failures.begin(position, Error::EventFailed(status)),
            Outcome::Pending(_) => return Some(Obstruction::Shared(shared.clone(), ticket)),
        }
        None
    }

    /// Sees to it that the stream, which has come to `position` and has no runner now, runs again.
    fn park(&'static self, position: u64, obstruction: Obstruction) {
        let back = match obstruction {
            Obstruction::Worker => Some(Waiter::Task(self)),
            Obstruction::Point(point) => point.stream.notify(point.position, Waiter::Task(self)),
            Obstruction::Gate(gate) => gate.notify(Waiter::Task(self)),
            Obstruction::Shared(shared, ticket) => {
                shared.wake_later(ticket, self);
                None
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
