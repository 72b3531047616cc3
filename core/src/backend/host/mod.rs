//! The host backend: streams and events without a GPU.

mod announce;
mod cell;
mod device;
mod ipc;
mod items;
#[cfg(all(test, loom))]
mod loom_tests;
mod point;
mod provider;
mod queue;
mod runner;
mod stream;
mod waiters;
mod work;

pub(crate) use device::{HostDevice, devices};
pub(crate) use provider::HostProvider;
use queue::ENDED;
pub(crate) use stream::HostStream;

use super::cell::LockedCell;
use super::deadlock::{Dependency, check_all};
use super::thread_streams::PER_THREAD;
use super::{
    Backend, Cell, EventRef, HostFn, Identity, IpcHandle, ItemFn, Left, Mark, NativeStream, Pending, Properties,
    RecordMode, Recorded, StreamRef, UnpinnedCalls,
};
use crate::error::{Error, Result};
use crate::point::{Awaitable, Gate, Opener, Until, wait};
use crate::probe::{self, StreamId, What};
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use crate::{clock, process};
pub(crate) use cell::clear;
use cell::{HostCell, HostMark};
use ipc::SharedEvent;
use items::Items;
pub(crate) use point::block_until_at_most;
use point::{Point, block_until_all};
use provider::HOST;
use std::sync::Arc;
use std::time::Instant;
use work::Work;

/// Fails if the stream was destroyed: it may serve another handle by now.
#[inline]
fn check_lasts(stream: StreamRef<'_>) -> Result<()> {
    if stream.lasts() { Ok(()) } else { Err(ENDED) }
}

/// A device of the host backend.
pub(crate) struct Host(pub(crate) &'static HostDevice);

/// The point in one of this process's streams that somebody who waits for the mark waits for.
fn pending(mark: Mark) -> Option<Point> {
    let point = match HostMark::of(mark) {
        HostMark::None | HostMark::Gate(..) => None,
        HostMark::Local(point, _) => Some(point),
        HostMark::Shared(shared, ticket) => shared.own_point(ticket),
    };
    point.filter(|point| !point.is_reached())
}

/// The last mark of a cell that the host backend uses.
pub(crate) fn last_mark(cell: &Cell) -> Mark {
    HostCell::of(cell).mark()
}

/// Lets a stream wait for all that the streams of its device hold.
pub(crate) fn wait_for_all(stream: &'static HostStream) -> Result<()> {
    let host = Host(stream.device());
    let others = host.0.ends().into_iter().filter(|end| !std::ptr::eq(end.stream, stream));
    let to = StreamRef::pinned(stream.token());
    others.map(|end| host.submit(stream, Work::Wait(end), to)).try_for_each(|given| given.map(drop))
}

/// Returns the last mark of a cell, if its stream has come to it, or if it is none.
#[inline]
pub(crate) fn reached_mark(cell: &Cell) -> Result<Option<Mark>> {
    HostCell::of(cell).reached_mark()
}

/// Returns whether the mark's stream has come to it; true for no mark.
#[inline]
fn mark_reached(mark: Mark) -> Result<bool> {
    match HostMark::of(mark) {
        HostMark::None => Ok(true),
        HostMark::Local(point, time) => reached(point, time),
        HostMark::Gate(gate, _) => is_open(&held(gate)),
        HostMark::Shared(shared, ticket) => shared.reached(ticket),
    }
}

/// When the mark was reached, on the host's clock.
pub(crate) fn time_of(mark: Mark) -> i64 {
    match HostMark::of(mark) {
        HostMark::Local(_, time) | HostMark::Gate(_, time) => time,
        _ => 0,
    }
}

/// Returns whether the point is reached; an error if the stream failed there, which it did not if it has noted a time.
fn reached(point: Point, time: i64) -> Result<bool> {
    if !point.is_reached() {
        return Ok(false);
    }
    if let Some(error) = point.failure().filter(|_| time == 0) {
        return Err(error);
    }
    point.announce_reached();
    Ok(true)
}

/// Returns the gate of a mark that the caller holds, or of a cell that it has locked.
fn held(gate: *const Gate) -> Arc<Gate> {
    // SAFETY: a held mark and a cell have a count of their gate.
    unsafe {
        Arc::increment_strong_count(gate);
        Arc::from_raw(gate)
    }
}

/// Returns whether the gate is open; an error if it was opened with a failure.
fn is_open(gate: &Gate) -> Result<bool> {
    match gate.opened() {
        None => Ok(false),
        Some(Status::SUCCESS) => Ok(true),
        Some(status) => Err(Error::EventFailed(status)),
    }
}

impl Backend for Host {
    fn properties(&self) -> Properties {
        let properties = Properties::new(HOST, self.0.number);
        let unpinned_calls: Option<&dyn UnpinnedCalls> = Some(self.0);
        Properties { can_end: false, traces_marks: true, streams_last: true, unpinned_calls, ..properties }
    }

    fn identity(&self) -> Identity {
        Identity { name: "host".to_owned(), ..Identity::default() }
    }

    fn create_stream(&self, non_blocking: bool) -> Result<NativeStream> {
        self.0.open(!non_blocking).map(HostStream::token)
    }

    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream> {
        match native {
            0 | 1 => self.default_stream(),
            2 => Ok(PER_THREAD),
            _ => Err(Error::NoNative),
        }
    }

    fn default_stream(&self) -> Result<NativeStream> {
        self.0.default_stream().map(HostStream::token)
    }

    fn destroy_stream(&self, stream: NativeStream) {
        HostStream::of(stream).close();
    }

    fn query_stream(&self, stream: NativeStream) -> Result<bool> {
        let stream = self.0.resolve(stream)?;
        let done = self.0.is_done(stream);
        if done {
            stream.announce_idle();
        }
        stream.failing().filter(|_| done).map_or(Ok(done), Err)
    }

    fn sync_stream(&self, stream: NativeStream, deadline: Option<Instant>) -> Result<bool> {
        let stream = self.0.resolve(stream)?;
        let done = block_until_all(self.0.ends_before(stream)?, deadline)?;
        if done {
            stream.announce_idle();
        }
        if done { stream.take_failure().map_or(Ok(true), Err) } else { Ok(false) }
    }

    fn sync(&self, deadline: Option<Instant>) -> Result<bool> {
        let done = self.sync_unreported(deadline)?;
        if done { self.0.take_failures().map_or(Ok(true), Err) } else { Ok(false) }
    }

    #[inline]
    fn launch(&self, stream: StreamRef<'_>, function: HostFn) -> Result<()> {
        self.submit(self.0.resolve(stream.native)?, Work::Call(function), stream).map(drop)
    }

    fn wait(&self, to: StreamRef<'_>, mark: Mark, _: bool) -> Result<()> {
        let stream = self.0.resolve(to.native)?;
        if let HostMark::Local(point, time) = HostMark::of(mark) {
            return self.wait_for(stream, point, time, to);
        }
        if self.reached(mark)? {
            return Ok(());
        }
        let work = match (pending(mark), HostMark::of(mark)) {
            (Some(point), _) if std::ptr::eq(point.stream, stream) => return Ok(()),
            (Some(point), _) => Work::Wait(point),
            (None, HostMark::Shared(shared, ticket)) => {
                SharedEvent::expect_notify()?;
                Work::WaitShared { shared: shared.arc(), ticket }
            }
            (None, HostMark::Gate(gate, _)) => Work::WaitGate(held(gate)),
            (None, HostMark::None | HostMark::Local(..)) => return Ok(()),
        };
        self.submit(stream, work, to).map(drop)
    }

    fn gate(&self, stream: NativeStream) -> Result<Opener> {
        let (gate, opener) = Gate::of_backend();
        self.submit(self.0.resolve(stream)?, Work::WaitGate(gate), StreamRef::pinned(stream))?;
        Ok(opener)
    }

    #[inline]
    fn record(&self, to: StreamRef<'_>, cell: &'static Cell, mode: RecordMode) -> Result<Recorded> {
        let stream = self.0.resolve(to.native)?;
        if mode.interprocess {
            return self.record_shared(to, stream, cell);
        }
        let untimed = !mode.is_timed() && !probe::is_on() && !process::is_sanitized();
        // How far the stream has come is not asked: its runner writes that all the time.
        let end = if untimed && stream.is_running() { self.0.own_end(stream) } else { None };
        if end.is_none() && self.0.is_idle(stream) {
            let time = clock::now();
            check_lasts(to)?;
            stream.announce_record(cell);
            let serial = HostCell::of(cell).set_reached(stream, time);
            probe::put(move || What::Reached { cell: cell.address(), serial, stream: stream.traced(), time });
            return Ok(Recorded::Complete);
        }
        let submit = |serial| match end {
            // No runner has to learn of it: the stream's progress says all.
            Some(position) => check_lasts(to).map(|()| position),
            None => self.submit(stream, Work::Stamp { cell, serial }, to),
        };
        HostCell::of(cell).set_pending(stream, submit)?;
        Ok(Recorded::Pending)
    }

    fn mark(&self, cell: &Cell) -> Mark {
        HostCell::of(cell).mark()
    }

    fn hold(&self, cell: &Cell) -> Mark {
        HostCell::of(cell).hold()
    }

    fn unhold(&self, _: &Cell, mark: Mark) {
        HostCell::unhold(mark);
    }

    fn reached(&self, mark: Mark) -> Result<bool> {
        mark_reached(mark)
    }

    #[inline]
    fn is_reached(&self, cell: &Cell) -> Result<bool> {
        Ok(reached_mark(cell)?.is_some())
    }

    fn block(&self, mark: Mark, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        check_all(self.dependency(mark), deadline)?;
        match HostMark::of(mark) {
            HostMark::Shared(shared, ticket) if deadline.is_none_or(|at| at > Instant::now()) => {
                shared.block(ticket, spin, deadline)
            }
            _ => wait(&[Pending(self, mark)], Until::All, spin, deadline),
        }
    }

    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>> {
        if self.reached(mark)? {
            return Ok(Some(waiter));
        }
        let back = match HostMark::of(mark) {
            HostMark::None => Some(waiter),
            HostMark::Local(point, time) => {
                let back = point.stream.notify(point.position, waiter);
                if back.is_some() {
                    reached(point, time)?;
                }
                back
            }
            HostMark::Gate(gate, _) => {
                let back = held(gate).notify(waiter);
                if back.is_some() {
                    is_open(&held(gate))?;
                }
                back
            }
            HostMark::Shared(shared, ticket) => shared.notify(ticket, waiter)?,
        };
        Ok(back)
    }

    fn dependency(&self, mark: Mark) -> Option<Dependency> {
        pending(mark).map(Point::dependency)
    }

    fn forget(&self, mark: Mark, parker: &Parker) {
        match HostMark::of(mark) {
            HostMark::None => {}
            HostMark::Local(point, _) => point.stream.forget(point.position, parker),
            HostMark::Gate(gate, _) => held(gate).forget(parker),
            HostMark::Shared(shared, ticket) => (shared, ticket).forget(parker),
        }
    }

    fn traced(&self, stream: NativeStream) -> StreamId {
        // Where the thread has no stream of its own any more, none is drawn twice: the default one keeps its order.
        let stream = self.0.resolve(stream).or_else(|_| self.0.default_stream());
        stream.map_or(StreamId { place: self.0.traced(), native: 0, is_default: false }, HostStream::traced)
    }

    fn traced_mark(&self, mark: Mark) -> Option<StreamId> {
        match HostMark::of(mark) {
            HostMark::Local(point, _) => Some(point.stream.traced()),
            _ => None,
        }
    }

    fn host_time(&self, mark: Mark) -> Result<Option<(i64, u64)>> {
        Ok(Some((time_of(mark), 0)))
    }

    fn elapsed(&self, start: &Cell, end: &Cell) -> Result<Option<i64>> {
        if !self.is_reached(start)? || !self.is_reached(end)? {
            return Ok(None);
        }
        // The times stand in the marks only now.
        Ok(Some(time_of(self.mark(end)) - time_of(self.mark(start))))
    }

    fn release(&self, cell: &Cell, _: u32, _: Left) {
        HostCell::of(cell).clear();
    }

    fn export(&self, cell: &Cell, _: u32) -> Result<IpcHandle> {
        SharedEvent::of_cell_or_new(cell)?.export()
    }

    fn import(&self, cell: &Cell, handle: &IpcHandle) -> Result<()> {
        SharedEvent::import(handle, cell)
    }
}

/// Streams are never freed, and pinning an event would take its line from the thread that completes it.
impl UnpinnedCalls for HostDevice {
    /// Must change the cell, which the event's word keeps for it.
    fn record(&'static self, _: &StreamRef<'_>, _: EventRef<'_>) -> bool {
        false
    }

    fn wait(&'static self, to: &StreamRef<'_>, event: EventRef<'_>) -> Option<Result<()>> {
        let stream = self.resolve(to.native).ok()?;
        let (point, time) = local_mark(event)?;
        Some(Host(self).wait_for(stream, point, time, *to))
    }

    fn is_reached(&'static self, event: EventRef<'_>) -> Option<bool> {
        let (point, time) = local_mark(event)?;
        reached(point, time).ok()
    }

    fn elapsed(&'static self, start: EventRef<'_>, end: EventRef<'_>) -> Option<i64> {
        Some(local_mark(end)?.1 - local_mark(start)?.1)
    }
}

/// The mark of an event and its time, if it lives and the mark is a place in a stream.
#[inline]
fn local_mark(event: EventRef<'_>) -> Option<(Point, i64)> {
    HostCell::of(event.cell).local_mark(event.life)
}

/// Puts a mark that the host signals into `cell`, which is empty or has such a mark. An unsignaled mark stays.
pub(crate) fn arm(cell: &'static Cell, interprocess: bool) -> Result<()> {
    if interprocess {
        return SharedEvent::of_cell_or_new(cell)?.arm();
    }
    if HostCell::of(cell).arm() { Ok(()) } else { Err(Error::Internal) }
}

/// Signals the mark of [`arm`] in `cell`; returns whether it was unsignaled.
pub(crate) fn signal(cell: &Cell, status: Status) -> bool {
    probe::release(cell);
    if let Some(shared) = HostCell::of(cell).shared() {
        probe::release(shared);
        return shared.signal(status);
    }
    let waiters = HostCell::of(cell).open(status, clock::now());
    let opened = waiters.is_some();
    // The calling thread runs one stream up to its next function: to wake a worker takes longer.
    let mut here = None;
    for waiter in waiters.into_iter().flatten() {
        match waiter {
            Waiter::Task(stream) if here.is_none() => here = Some(stream),
            other => workers::wake(other, status),
        }
    }
    here.into_iter().for_each(|stream| stream.run_briefly());
    opened
}

impl Host {
    /// Returns the host's device of a context.
    pub(crate) fn of(backend: &dyn Backend) -> Option<&Host> {
        (backend as &dyn std::any::Any).downcast_ref()
    }

    /// Lets the stream wait for a mark of a stream, which has that time if it is reached.
    #[inline]
    fn wait_for(&self, stream: &'static HostStream, point: Point, time: i64, to: StreamRef<'_>) -> Result<()> {
        let is_other = !std::ptr::eq(point.stream, stream);
        // One more piece of work costs less than asking how far the other stream has come.
        let is_asked = !is_other || !stream.is_running() || point.stream.has_ever_failed();
        if (is_asked && reached(point, time)?) || !is_other {
            return Ok(());
        }
        self.submit(stream, Work::Wait(point), to).map(drop)
    }

    /// Like [`Backend::sync`], and leaves what failed on the streams for other calls to report.
    pub(crate) fn sync_unreported(&self, deadline: Option<Instant>) -> Result<bool> {
        let done = block_until_all(self.0.ends().into_iter(), deadline)?;
        if done {
            self.0.announce_all_idle();
        }
        Ok(done)
    }

    /// Runs a function for each of `count` items on gevt's threads, in the stream's order and in parallel.
    pub(crate) fn launch_items(&self, stream: NativeStream, count: usize, function: ItemFn) -> Result<()> {
        let stream = self.0.resolve(stream)?;
        if !workers::get().reserve() {
            return Err(Error::OutOfMemory);
        }
        let items = Work::Items(Items::new(function, count, stream));
        self.submit(stream, items, StreamRef::pinned(stream.token())).map(drop)
    }

    fn record_shared(&self, to: StreamRef<'_>, stream: &'static HostStream, cell: &'static Cell) -> Result<Recorded> {
        let shared = SharedEvent::of_cell_or_new(cell)?;
        shared.check_recordable()?;
        let idle = self.0.is_idle(stream);
        if probe::is_on() {
            shared.set_traced(cell);
            if idle {
                shared.trace_reached(stream);
            }
        }
        if idle {
            stream.announce_record(cell);
            probe::release(shared);
            shared.record_done();
            return Ok(Recorded::Complete);
        }
        probe::release(shared);
        let submit = |shared, ticket| {
            let position = self.submit(stream, Work::Finish { shared, ticket }, to)?;
            Ok(Point { stream, position })
        };
        shared.record_pending(submit).map(|()| Recorded::Pending)
    }

    /// Queues work, if the handle of the stream `to` lasts.
    #[inline]
    fn submit(&self, stream: &'static HostStream, work: Work, to: StreamRef<'_>) -> Result<u64> {
        if !workers::get().is_staffed() {
            return Err(Error::OutOfMemory);
        }
        self.0.submit(stream, work, || to.lasts())
    }
}
