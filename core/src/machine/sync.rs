//! Sync: the calling thread waits for events.

use super::context::BackendContext;
use super::deadline::Deadline;
use super::event::{self, EventSlot};
use super::flags::EventFlags;
use super::query::{self, EventReading, read, remember};
use super::state::Op;
use super::word::{self, Reading};
use crate::backend::Mark;
use crate::backend::deadlock::{Dependency, check_all, check_any};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::point::{Awaitable, Opener, Until, wait, wait_helping};
use crate::probe::{self, Call};
use crate::process::{self, Uncancelled};
use crate::status::Status;
use crate::table::{Event, Guard, Handle, Word};
use crate::workers::{Completion, Parker, Waiter, wake};
use std::sync::Arc;
use std::time::Duration;

/// A pending event, with the mark that it had when the call began.
pub(super) struct Awaited {
    event: Guard<'static, EventSlot>,
    context: &'static BackendContext,
    word: Word,
    mark: Mark,
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.context.backend.unhold(&self.event.cell, self.mark);
    }
}

impl Awaited {
    /// `None` if there is nothing to wait for.
    pub(super) fn new(handle: Handle) -> Result<Option<Awaited>> {
        if Event(handle).is_known_done() {
            return Ok(None);
        }
        let event = event::get(handle)?;
        match (read(&event, Op::Query)?, event.context()) {
            (EventReading::Ask { word, .. }, Some(context)) => {
                let mark = context.backend.hold(&event.cell);
                Ok(Some(Awaited { event, context, word, mark }))
            }
            _ => Ok(None),
        }
    }

    /// Like [`Awaited::new`], for one of several events: an earlier failure is its result, and does not fail the
    /// others.
    fn one_of_several(handle: Handle) -> Result<Result<Option<Awaited>>> {
        match Awaited::new(handle) {
            Err(failure) if failure.is_of_event() => Ok(Err(failure)),
            awaited => awaited.map(Ok),
        }
    }

    pub(super) fn dependency(&self) -> Option<Dependency> {
        self.context.backend.dependency(self.mark)
    }

    pub(super) fn is_done(&self) -> Result<bool> {
        query::ask(&self.event, self.word, self.mark)
    }

    /// Does `work` when the event completes, or can no longer complete.
    pub(super) fn then(self, work: Completion) -> Result<()> {
        let (context, mark) = (self.context, self.mark);
        // The native event is polled until then.
        let work = Box::new(move |status| {
            if process::is_sanitized() {
                // Announces that it is done.
                let _ = self.is_done();
            }
            drop(self);
            work(status);
        });
        let done_already = context.backend.notify(mark, Waiter::Work(work))?;
        done_already.into_iter().for_each(|waiter| wake(waiter, Status::SUCCESS));
        Ok(())
    }

    /// Opens a stream's gate when the event completes, or can no longer complete.
    pub(super) fn open_then(self, opener: Opener) -> Result<()> {
        let (context, mark) = (self.context, self.mark);
        // Shared, as the wait counts for nothing if it is refused. Whoever forgets it opens the gate with a failure.
        let opener = Arc::new(Mutex::new(Some(opener)));
        let shared = opener.clone();
        let open = Box::new(move |status| {
            if process::is_sanitized() {
                let _ = self.is_done();
            }
            let opener = shared.lock().take();
            opener.into_iter().for_each(|opener| opener.open(status));
            drop(self);
        });
        match context.backend.notify(mark, Waiter::Now(open)) {
            Ok(waiter) => {
                waiter.into_iter().for_each(|waiter| wake(waiter, Status::SUCCESS));
                Ok(())
            }
            Err(error) => {
                let opener = opener.lock().take();
                opener.into_iter().for_each(|opener| opener.open(Status::SUCCESS));
                Err(error)
            }
        }
    }

    fn block(&self, deadline: Deadline) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let _traced = probe::slice(|| Call::new("sync").of(Some(self.event.traced(self.event.handle()))));
        if self.context.backend.block(self.mark, spins(&self.event), deadline.instant())? {
            remember(&self.event, self.word);
            Ok(())
        } else {
            Err(Error::TimedOut)
        }
    }

    fn work(&self, deadline: Deadline) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let _traced = probe::slice(|| Call::new("sync working").of(Some(self.event.traced(self.event.handle()))));
        check_all(self.dependency(), deadline.instant())?;
        deadline.in_time(wait_helping(&self, deadline.instant())?)?;
        remember(&self.event, self.word);
        Ok(())
    }
}

impl Awaitable for &Awaited {
    fn reached(&self) -> Result<bool> {
        self.is_done()
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        self.context.backend.notify(self.mark, waiter)
    }

    fn forget(&self, parker: &Parker) {
        self.context.backend.forget(self.mark, parker);
    }

    fn pause(&self, lasted: Duration) -> Option<Duration> {
        self.context.backend.properties().pause.map(|pause| pause(lasted))
    }
}

/// Returns whether a thread that waits for the event spins first.
fn spins(event: &EventSlot) -> bool {
    !event.flags().contains(EventFlags::BLOCKING_SYNC)
}

impl Event {
    /// Blocks until the event's last record is done.
    pub fn sync(self) -> Result<()> {
        // A query is cheap compared with a wait, and with preparing one.
        let event = event::find(self.0)?;
        if event.is_known_done() || query::query_unpinned(event) == Some(true) {
            return Ok(());
        }
        let _uncancelled = Uncancelled::new();
        let event = event.pin()?;
        query::check_context(&event)?;
        // As in `query::read`, the context and what it has in the cell are read after the word.
        if let Reading::Ask { word, mark: Some(context) } = word::read(event.slot(), Op::Query, EventSlot::context)? {
            let _traced = probe::slice(|| Call::new("sync").of(Some(event.traced(event.handle()))));
            context.backend.block_for_good(&event.cell, spins(&event))?;
            remember(&event, word);
        } else {
            query::announce_done(&event);
        }
        Ok(())
    }

    /// Like [`Event::sync`], until the deadline: [`Error::TimedOut`] then.
    pub fn sync_until(self, deadline: Deadline) -> Result<()> {
        Awaited::new(self.0)?.map_or(Ok(()), |awaited| awaited.block(deadline))
    }

    /// Like [`Event::sync_until`], and runs streams' work on the calling thread meanwhile.
    pub fn sync_helping_until(self, deadline: Deadline) -> Result<()> {
        Awaited::new(self.0)?.map_or(Ok(()), |awaited| awaited.work(deadline))
    }

    /// Blocks until all of the events are done, or until the deadline.
    pub fn sync_all(events: impl Iterator<Item = Event>, deadline: Deadline) -> Result<()> {
        process::check()?;
        let _uncancelled = Uncancelled::new();
        let awaited = events.map(|event| Awaited::one_of_several(event.0)).collect::<Result<Vec<_>>>()?;
        check_all(pending(&awaited).filter_map(Awaited::dependency), deadline.instant())?;
        block_all(&awaited, deadline)
    }

    /// Blocks until one of the events is done, or until the deadline; returns its place in the list, the first one if several
    /// are done.
    pub fn sync_any(events: impl Iterator<Item = Event>, deadline: Deadline) -> std::result::Result<usize, AnyFailure> {
        process::check()?;
        let _uncancelled = Uncancelled::new();
        let all = events.map(|event| Awaited::one_of_several(event.0)).collect::<Result<Vec<_>>>()?;
        if all.is_empty() {
            return Err(Error::BadArgument("n").into());
        }
        if let [Ok(Some(only))] = &all[..] {
            return only.block(deadline).map(|()| 0).map_err(|failure| AnyFailure::of(0, failure));
        }
        let _traced = probe::slice(|| Call::new("sync any"));
        if let Some(done) = first_done(&all)? {
            return Ok(done);
        }
        check_any(pending(&all).map(Awaited::dependency), deadline.instant())?;
        let waited: Vec<_> = pending(&all).collect();
        let spin = waited.iter().any(|awaited| spins(&awaited.event));
        let is_one_done = wait(&waited, Until::Any, spin, deadline.instant());
        // An event's failure is found again, with its place.
        is_one_done.or_else(|error| if error.is_of_event() { Ok(true) } else { Err(error) })?;
        first_done(&all)?.ok_or(Error::TimedOut.into())
    }
}

/// Why [`Event::sync_any`] failed.
#[derive(Clone, Copy, Debug)]
pub struct AnyFailure {
    /// The error.
    pub error: Error,
    /// The place of the event that failed; `None` if the call failed for another reason.
    pub place: Option<usize>,
}

impl AnyFailure {
    fn of(place: usize, error: Error) -> AnyFailure {
        AnyFailure { error, place: error.is_of_event().then_some(place) }
    }
}

impl From<Error> for AnyFailure {
    fn from(error: Error) -> AnyFailure {
        AnyFailure { error, place: None }
    }
}

/// The place of an event that is done, or why there will be none.
type Any<T> = std::result::Result<T, AnyFailure>;

/// Those that have to be waited for.
fn pending(all: &[Result<Option<Awaited>>]) -> impl Iterator<Item = &Awaited> {
    all.iter().flatten().flatten()
}

/// Blocks until none is pending. Returns the failure of the first one that failed.
fn block_all(all: &[Result<Option<Awaited>>], deadline: Deadline) -> Result<()> {
    // Wait also for the events after a failed one: their objects are in use while they are pending.
    let mut outcome = Ok(());
    for awaited in all {
        let blocked = match awaited {
            Ok(awaited) => awaited.as_ref().map_or(Ok(()), |awaited| awaited.block(deadline)),
            Err(failure) => Err(*failure),
        };
        match blocked {
            Err(failure) if failure.is_of_event() => outcome = outcome.and(Err(failure)),
            blocked => blocked?,
        }
    }
    outcome
}

/// The failure is that of an event before which none is done.
fn first_done(all: &[Result<Option<Awaited>>]) -> Any<Option<usize>> {
    let first = |all: &[Result<Option<Awaited>>]| -> Any<Option<usize>> {
        for (place, awaited) in all.iter().enumerate() {
            let is_done = match awaited {
                Ok(awaited) => awaited.as_ref().map_or(Ok(true), Awaited::is_done),
                Err(failure) => Err(*failure),
            };
            if is_done.map_err(|failure| AnyFailure::of(place, failure))? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    };
    let Some(done) = first(all)? else { return Ok(None) };
    // One that was pending a moment before, the same event for example, may be done by now.
    Ok(Some(first(&all[..done])?.unwrap_or(done)))
}
