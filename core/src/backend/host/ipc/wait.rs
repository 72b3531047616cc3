//! Waiting for a record in shared memory.

use super::liveness::Watch;
use super::page::Outcome;
use super::peer::{is_gone_lately, is_remembered_gone};
use super::shared::SharedEvent;
use super::watcher;
use crate::backend::host::stream::HostStream;
use crate::backend::host::{block::SPINS, clock};
use crate::error::{Error, Result};
use crate::os::{self, ProcessId};
use crate::probe;
use crate::process;
use crate::status::Status;
use crate::workers::{self, Asleep, Parker, Sleeper, Waiter, Waker};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The longest sleep, and the least time between two checks whether the process that is waited for is alive.
pub(super) const INTERVAL: Duration = Duration::from_millis(20);
/// After so many sleeps in a row for nothing a thread rests where another one ended at once.
const HURRIED: u32 = 64;
const AT_ONCE: Duration = Duration::from_micros(20);
const REST: Duration = Duration::from_micros(500);

/// After so many useless polls a thread sleeps at once, but for one time in so many.
const SPIN_MISSES: u32 = 2;
const SPIN_AGAIN: u32 = 256;

thread_local! {
    /// How many times in a row the thread has waited without having seen the end of it by looking.
    static MISSES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Keeps a thread from turning in a circle where somebody rings a bell all the time.
#[derive(Default)]
pub(super) struct Pace(u32);

impl Pace {
    /// Before a sleep. The time is not needed for the first ones.
    pub(super) fn start(&mut self) -> Option<Instant> {
        self.0 = self.0.saturating_add(1);
        (self.0 > HURRIED).then(Instant::now)
    }

    /// After a sleep that was for nothing.
    pub(super) fn rest(&self, start: Option<Instant>) {
        if start.is_some_and(|start| start.elapsed() < AT_ONCE) {
            std::thread::sleep(REST);
        }
    }
}

/// How a record in shared memory stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Look {
    Done,
    Pending,
    /// Whoever had to finish it is gone, or has said that it cannot be done.
    Gone,
    /// Whoever had to finish it has said why it failed.
    Failed(Status),
}

impl SharedEvent {
    /// How the record stands. Whether the process lives that has to finish it, is looked up from time to time only.
    pub(in super::super) fn look(&self, ticket: u64) -> Look {
        self.look_with(ticket, |peer| self.is_known_gone(peer) || self.is_found_gone(peer))
    }

    /// As [`SharedEvent::look`], but a process that ended counts as alive until another look has found it gone.
    pub(in super::super) fn look_here(&self, ticket: u64) -> Look {
        self.look_with(ticket, |peer| self.is_known_gone(peer) || is_remembered_gone(ProcessId(peer)))
    }

    /// The calling thread has seen that the record is finished, by this process maybe.
    fn announced(&self, look: Look) -> Look {
        probe::acquire(self);
        look
    }

    fn look_with(&self, ticket: u64, is_gone: impl Fn(u64) -> bool) -> Look {
        match self.page().outcome(ticket) {
            Outcome::Done => self.announced(Look::Done),
            Outcome::Failed => Look::Gone,
            Outcome::FailedWith(status) => Look::Failed(status),
            Outcome::Pending(number) if is_gone(self.page().peer(number)) => {
                // It may have finished just before it ended.
                if self.page().outcome(ticket) == Outcome::Done { self.announced(Look::Done) } else { Look::Gone }
            }
            Outcome::Pending(_) => Look::Pending,
        }
    }

    /// Returns whether the process is the last one that was found gone. A place without a process is that of no record.
    fn is_known_gone(&self, peer: u64) -> bool {
        peer == 0 || peer == self.gone.load(Ordering::Relaxed)
    }

    #[cold]
    fn is_found_gone(&self, peer: u64) -> bool {
        if ProcessId::me() == Ok(ProcessId(peer)) {
            return false;
        }
        let now = clock::now();
        let next = self.next_look.load(Ordering::Relaxed);
        let later = now + INTERVAL.as_nanos() as i64;
        // Several processes may have to finish records of the event: a look after one of them says nothing of the others.
        let another = self.looked_at.swap(peer, Ordering::Relaxed) != peer;
        let mine = another
            || now >= next
                && self.next_look.compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        // A waiter is woken by whoever found the process gone, and not a second time.
        let is_gone = if mine { is_gone_lately } else { is_remembered_gone };
        if !is_gone(ProcessId(peer)) {
            return false;
        }
        self.gone.store(peer, Ordering::Relaxed);
        true
    }

    /// Returns whether the record is done; an error if it cannot be any more.
    pub(in super::super) fn reached(&self, ticket: u64) -> Result<bool> {
        self.look(ticket).reached()
    }

    /// Blocks until the record is finished, or until the deadline; false where the time ran out. With `spin`, the thread looks
    /// for some time before it sleeps.
    pub(in super::super) fn block(&self, ticket: u64, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        if spin {
            self.spin(ticket);
        }
        match self.look_here(ticket) {
            Look::Pending => workers::asleep(|| self.sleep(ticket, deadline)),
            look => look.reached(),
        }
    }

    fn sleep(&self, ticket: u64, deadline: Option<Instant>) -> Result<bool> {
        let mut pace = Pace::default();
        let mut watch = None;
        let asleep = Asleep::on(self.arc());
        loop {
            // Listened before, so that exit either shows here or rings the bell.
            let bell = self.listen();
            process::check()?;
            match self.look_here(ticket) {
                Look::Pending => {}
                look => return look.reached(),
            }
            let watched = self.keep_watched(ticket, &mut watch) && asleep.is_some();
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            let time = if watched { left } else { Some(left.map_or(INTERVAL, |left| left.min(INTERVAL))) };
            let start = pace.start();
            os::sleep(self.bell(), bell, time);
            if time.is_some() && self.reached(ticket)? {
                return Ok(true);
            }
            if left == Some(Duration::ZERO) {
                return Ok(false);
            }
            pace.rest(start);
        }
    }

    /// The process that has to finish the record, unless it is this one or the record is not pending.
    fn awaited_process(&self, ticket: u64) -> Option<ProcessId> {
        match self.page().outcome(ticket) {
            Outcome::Pending(number) => Some(ProcessId(self.page().peer(number))),
            Outcome::Done | Outcome::Failed | Outcome::FailedWith(_) => None,
        }
        .filter(|process| ProcessId::me() != Ok(*process))
    }

    /// Has the bell rung when the process is gone that has to finish the record.
    pub(super) fn watch(&self, ticket: u64) -> Option<Watch> {
        self.awaited_process(ticket).and_then(|process| Watch::new(process, self))
    }

    /// As [`SharedEvent::watch`], for as long as `watch` is kept. Returns whether the bell rings whatever happens.
    pub(super) fn keep_watched(&self, ticket: u64, watch: &mut Option<Watch>) -> bool {
        let Some(process) = self.awaited_process(ticket) else { return true };
        if watch.as_ref().is_none_or(|watch| watch.process() != process) {
            *watch = Watch::new(process, self);
        }
        watch.is_some()
    }

    /// Looks until the record is finished, for some microseconds at most. Where that was for nothing lately it hardly ever
    /// does: the other process may need this very core to get there.
    pub(in super::super) fn spin(&self, ticket: u64) {
        let misses = MISSES.get();
        if misses < SPIN_MISSES || misses.is_multiple_of(SPIN_AGAIN) {
            for looks in 0..SPINS {
                if !matches!(self.page().outcome(ticket), Outcome::Pending(_)) {
                    // One that was finished already says nothing about the looks.
                    if looks > 0 {
                        MISSES.set(0);
                    }
                    return;
                }
                std::hint::spin_loop();
            }
        }
        MISSES.set(misses.wrapping_add(1));
    }

    /// Wakes the waiter when the record is finished or lost; gives it back where it is done already.
    pub(in super::super) fn notify(&self, ticket: u64, waiter: Waiter) -> Result<Option<Waiter>> {
        if self.reached(ticket)? {
            return Ok(Some(waiter));
        }
        watcher::start()?;
        if let Waiter::Thread(parker) = &waiter {
            parker.expect(Waker::Watcher);
        }
        watcher::add(self.arc(), ticket, waiter).map_err(|_| Error::OutOfMemory)?;
        Ok(None)
    }

    /// Makes the stream runnable when the record is finished or lost.
    pub(in super::super) fn wake_later(self: Arc<SharedEvent>, ticket: u64, stream: &'static HostStream) {
        if let Err(waiter) = watcher::add(self, ticket, Waiter::Task(stream)) {
            // Without memory to remember it, it looks again.
            workers::wake(waiter, Status::SUCCESS);
        }
    }

    /// For a stream that is to wait: there will be somebody to wake it.
    pub(in super::super) fn expect_notify() -> Result<()> {
        watcher::start()
    }

    /// Forgets a parked thread.
    pub(in super::super) fn forget(parker: &Parker) {
        watcher::forget(parker);
    }
}

impl Sleeper for SharedEvent {
    fn rouse(&self) {
        self.page().ring();
        os::wake(self.bell());
    }
}
