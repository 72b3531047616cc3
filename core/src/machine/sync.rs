//! Sync: the calling thread waits for events.

use super::backend_context::BackendContext;
use super::event::{self, EventSlot};
use super::query::{self, read, remember};
use super::state::Op;
use crate::backend::deadlock::{Dependency, check_all, check_any};
use crate::backend::{Backend, EventRef, Mark, Pending, RecordRef};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::lock::Mutex;
use crate::point::{Awaitable, Opener, Until, wait, wait_helping};
use crate::probe::{self, Call};
use crate::process::{self, Uncancelled};
use crate::status::Status;
use crate::table::{Event, Guard, Handle, Word};
use crate::workers::{Completion, Waiter, wake};
use std::sync::Arc;
use std::time::Instant;

/// A pending event, with the mark that it had when the call began.
pub(super) struct PendingEvent {
    event: Guard<'static, EventSlot>,
    context: &'static BackendContext,
    word: Word,
    mark: Mark,
}

impl Drop for PendingEvent {
    fn drop(&mut self) {
        self.context.backend.unhold(&self.event.cell, self.mark);
    }
}

impl PendingEvent {
    /// `None` if there is nothing to wait for.
    pub(super) fn new(handle: Handle) -> Result<Option<PendingEvent>> {
        if Event(handle).is_known_done() {
            return Ok(None);
        }
        let event = event::get(handle)?;
        Ok(read(&event, Op::Query)?.map(|(word, context)| {
            let mark = context.backend.hold(&event.cell);
            PendingEvent { event, context, word, mark }
        }))
    }

    /// Like [`PendingEvent::new`], for one of several events: an earlier failure is its result, and does not fail the
    /// others.
    fn one_of_several(handle: Handle) -> Result<Result<Option<PendingEvent>>> {
        match PendingEvent::new(handle) {
            Err(failure) if failure.is_of_event() => Ok(Err(failure)),
            awaited => awaited.map(Ok),
        }
    }

    pub(super) fn dependency(&self) -> Option<Dependency> {
        self.context.backend.dependency(self.mark)
    }

    /// The event's mark, to wait for.
    fn point(&self) -> Pending<'_, dyn Backend> {
        Pending(&*self.context.backend, self.mark)
    }

    pub(super) fn is_done(&self) -> Result<bool> {
        let reached = self.point().reached()?;
        if reached {
            remember(&self.event, self.word);
        }
        Ok(reached)
    }

    /// Does `work` when the event completes, or can no longer complete, as a waiter of that kind.
    pub(super) fn then(self, kind: fn(Completion) -> Waiter, work: impl FnOnce(Status) + Send + 'static) -> Result<()> {
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
        let done_already = context.backend.notify(mark, kind(work))?;
        done_already.into_iter().for_each(|waiter| wake(waiter, Status::SUCCESS));
        Ok(())
    }

    /// Opens a stream's gate when the event completes, or can no longer complete.
    pub(super) fn open_then(self, opener: Opener) -> Result<()> {
        // Shared, as the wait counts for nothing if it is refused. A waiter that is forgotten opens the gate with a failure.
        let opener = Arc::new(Mutex::new(Some(opener)));
        let open = |opener: &Mutex<Option<Opener>>, status| {
            let opener = opener.lock().take();
            opener.into_iter().for_each(|opener| opener.open(status));
        };
        let shared = opener.clone();
        let given = self.then(Waiter::Now, move |status| open(&shared, status));
        given.inspect_err(|_| open(&opener, Status::SUCCESS))
    }

    /// Waits until the deadline by `wait`, which returns whether the event is done.
    fn wait_by(&self, name: &'static str, wait: impl FnOnce() -> Result<bool>) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let _traced = probe::slice(|| Call::new(name).of(Some(self.event.traced(self.event.handle()))));
        if !wait()? {
            return Err(Error::TimedOut);
        }
        remember(&self.event, self.word);
        Ok(())
    }

    fn block(&self, deadline: Option<Instant>) -> Result<()> {
        let (record, spin) = (RecordRef::Held(self.mark), spins(&self.event, self.context));
        self.wait_by("sync", || self.context.backend.block(record, spin, deadline))
    }

    fn work(&self, deadline: Option<Instant>) -> Result<()> {
        self.wait_by("sync working", || {
            check_all(self.dependency(), deadline)?;
            wait_helping(&self.point(), deadline)
        })
    }
}

/// Returns whether a thread that waits for the event spins first.
fn spins(event: &EventSlot, context: &BackendContext) -> bool {
    context.backend.properties().spins && !event.flags().contains(EventFlags::BLOCKING_SYNC)
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
        if let Some((word, context)) = read(&event, Op::Query)? {
            let _traced = probe::slice(|| Call::new("sync").of(Some(event.traced(event.handle()))));
            let last = RecordRef::Last(EventRef::pinned(&event.slot().value.cell));
            context.backend.block(last, spins(&event, context), None)?;
            remember(&event, word);
        }
        Ok(())
    }

    /// Like [`Event::sync`], until the deadline: [`Error::TimedOut`] then.
    pub fn sync_until(self, deadline: Option<Instant>) -> Result<()> {
        PendingEvent::new(self.0)?.map_or(Ok(()), |awaited| awaited.block(deadline))
    }

    /// Like [`Event::sync_until`], and runs streams' work on the calling thread meanwhile.
    pub fn sync_helping_until(self, deadline: Option<Instant>) -> Result<()> {
        PendingEvent::new(self.0)?.map_or(Ok(()), |awaited| awaited.work(deadline))
    }

    /// Blocks until all of the events are done, or until the deadline.
    pub fn sync_all(events: impl ExactSizeIterator<Item = Event>, deadline: Option<Instant>) -> Result<()> {
        process::check()?;
        let _uncancelled = Uncancelled::new();
        let awaited = collect(events.len(), events.map(|event| PendingEvent::one_of_several(event.0)))?;
        check_all(pending(&awaited).filter_map(PendingEvent::dependency), deadline)?;
        block_all(&awaited, deadline)
    }

    /// Blocks until one of the events is done, or until the deadline; returns its place in the list, the first one if several
    /// are done.
    pub fn sync_any(
        events: impl ExactSizeIterator<Item = Event>,
        deadline: Option<Instant>,
    ) -> std::result::Result<usize, AnyFailure> {
        process::check()?;
        let _uncancelled = Uncancelled::new();
        let all = collect(events.len(), events.map(|event| PendingEvent::one_of_several(event.0)))?;
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
        check_any(pending(&all).map(PendingEvent::dependency), deadline)?;
        let points = collect(all.len(), pending(&all).map(|awaited| Ok(awaited.point())))?;
        let spin = pending(&all).any(|awaited| spins(&awaited.event, awaited.context));
        let is_one_done = wait(&points, Until::Any, spin, deadline);
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

/// Collects at most so many items.
fn collect<T>(most: usize, items: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(most).map_err(|_| Error::OutOfMemory)?;
    for item in items {
        all.push(item?);
    }
    Ok(all)
}

/// Those that have to be waited for.
fn pending(all: &[Result<Option<PendingEvent>>]) -> impl Iterator<Item = &PendingEvent> {
    all.iter().flatten().flatten()
}

/// Blocks until none is pending. Returns the failure of the first one that failed.
fn block_all(all: &[Result<Option<PendingEvent>>], deadline: Option<Instant>) -> Result<()> {
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
fn first_done(all: &[Result<Option<PendingEvent>>]) -> Any<Option<usize>> {
    let first = |all: &[Result<Option<PendingEvent>>]| -> Any<Option<usize>> {
        for (place, awaited) in all.iter().enumerate() {
            let is_done = match awaited {
                Ok(awaited) => awaited.as_ref().map_or(Ok(true), PendingEvent::is_done),
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
