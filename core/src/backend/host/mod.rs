//! The host backend: streams and events without a GPU.

mod announce;
mod cell;
mod device;
mod free_list;
mod gate;
mod ipc;
mod items;
#[cfg(all(test, loom))]
mod loom_tests;
mod mark;
mod point;
#[cfg(not(loom))]
mod provider;
mod queue;
mod runner;
mod stream;
mod timeline;
mod work;

pub(crate) use device::{HostDevice, devices};
#[cfg(not(loom))]
pub(crate) use provider::PROVIDER;
use queue::ENDED;
pub(crate) use stream::HostStream;

use super::deadlock::{Dependency, check_all};
use super::{
    Backend, BackendKind, Cell, EventRef, Foreign, HostFn, Identity, IpcHandle, ItemFn, Left, Mark, NativeStream,
    Properties, RecordRef, Recorded, StreamRef, UNPINNED, WaitMode,
};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::point::{Awaitable, Opener, Until, wait};
use crate::probe::{self, Place, StreamId};
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use crate::{clock, process};
use cell::HostCell;
use ipc::SharedEvent;
use items::Items;
use mark::HostMark;
use point::{Point, block_until_all};
use std::time::Instant;
use work::Work;

/// Fails if the stream was destroyed: it may serve another handle by now.
#[inline]
fn check_lasts(stream: &StreamRef<'_>) -> Result<()> {
    if stream.lasts() { Ok(()) } else { Err(ENDED) }
}

/// A device of the host backend.
pub(crate) struct Host(pub(crate) &'static HostDevice);

impl Backend for Host {
    fn properties(&self) -> Properties {
        let identity = Identity { name: "host".to_owned(), ..Identity::default() };
        let properties = Properties::new(BackendKind::HOST, self.0.number, identity);
        Properties { can_end: false, ..properties }
    }

    fn create_stream(&self, non_blocking: bool) -> Result<NativeStream> {
        self.0.open(!non_blocking).map(HostStream::token)
    }

    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream> {
        match native {
            0 | 1 => Ok(NativeStream::DEFAULT),
            2 => Ok(NativeStream::PER_THREAD),
            _ => Err(Error::NoNative),
        }
    }

    fn destroy_stream(&self, stream: NativeStream, unused: bool) {
        if unused {
            // SAFETY: `create_stream` has made it.
            HostDevice::close(unsafe { HostStream::of(stream) });
        }
    }

    fn query_stream(&self, stream: NativeStream) -> Result<bool> {
        let stream = self.0.resolve(stream)?;
        let done = self.0.is_done(stream);
        if done {
            stream.timeline.announce_idle();
        }
        stream.timeline.failures.open().filter(|_| done).map_or(Ok(done), Err)
    }

    fn sync(&self, stream: Option<NativeStream>, deadline: Option<Instant>) -> Result<bool> {
        let Some(stream) = stream else {
            let done = self.sync_unreported(deadline)?;
            return if done { self.0.take_failures().map_or(Ok(true), Err) } else { Ok(false) };
        };
        let stream = self.0.resolve(stream)?;
        let done = block_until_all(self.0.ends_before(stream)?, deadline)?;
        if done {
            stream.timeline.announce_idle();
        }
        if done { stream.take_failure().map_or(Ok(true), Err) } else { Ok(false) }
    }

    #[inline]
    fn launch(&self, stream: &StreamRef<'_>, function: HostFn) -> Result<()> {
        self.0.submit(self.0.resolve(stream.native)?, Work::Call(function), stream).map(drop)
    }

    fn wait(&self, to: &StreamRef<'_>, record: RecordRef<'_>, _: WaitMode) -> Result<()> {
        match record {
            RecordRef::Held(mark) => self.wait_for_mark(to, mark),
            RecordRef::Last(event) => {
                let (point, time) = HostCell::of(event.cell).local_mark(event).ok_or(UNPINNED)?;
                self.wait_for(self.0.resolve(to.native)?, point, time, to)
            }
        }
    }

    fn gate(&self, stream: NativeStream) -> Result<Opener> {
        let (gate, opener) = gate::of_backend()?;
        self.0.submit(self.0.resolve(stream)?, Work::Wait(gate), &StreamRef::pinned(stream))?;
        Ok(opener)
    }

    #[inline]
    fn record(&self, to: &StreamRef<'_>, event: EventRef<'_>, flags: EventFlags, _: bool) -> Result<Recorded> {
        let (stream, cell) = (self.0.resolve(to.native)?, event.cell);
        // Not only streams of this process complete such an event.
        let is_shared = flags.contains(EventFlags::INTERPROCESS);
        if event.life.is_some() && (is_shared || flags.contains(EventFlags::HOST_SIGNALED)) {
            return Err(UNPINNED);
        }
        if is_shared {
            return self.record_shared(to, stream, cell);
        }
        // The cell is the event's if that lives while the cell is locked: it is emptied under the lock.
        let check = || if event.lasts() { Ok(()) } else { Err(UNPINNED) };
        let untimed = !flags.is_timed() && !probe::is_on() && !process::is_sanitized();
        // How far the stream has come is not asked: its runner writes that all the time.
        let end = if untimed && stream.queue.is_running() { self.0.own_end(stream) } else { None };
        if end.is_none() && self.0.is_idle(stream) {
            let time = clock::now();
            check_lasts(to)?;
            stream.timeline.announce_record(cell);
            let serial = HostCell::of(cell).set(&stream.timeline, |_| check().map(|()| (0, time)))?;
            stream.put_reached(cell, serial, time);
            return Ok(Recorded::Complete);
        }
        let submit = |serial| {
            check()?;
            let position = match end {
                // No runner has to learn of it: the stream's progress says all.
                Some(position) => check_lasts(to).map(|()| position),
                None => self.0.submit(stream, Work::Stamp { cell, serial }, to),
            };
            Ok((position?, 0))
        };
        HostCell::of(cell).set(&stream.timeline, submit)?;
        Ok(Recorded::Pending)
    }

    fn hold(&self, cell: &Cell) -> Mark {
        HostCell::of(cell).mark()
    }

    /// Timelines are never freed, and the caller keeps an event that processes share.
    fn unhold(&self, _: &Cell, _: Mark) {}

    #[inline]
    fn reached(&self, record: RecordRef<'_>) -> Result<bool> {
        let event = match record {
            RecordRef::Held(mark) => return HostMark::of(mark).reached(),
            RecordRef::Last(event) if event.life.is_none() => {
                return HostMark::of(HostCell::of(event.cell).mark()).reached();
            }
            RecordRef::Last(event) => event,
        };
        let (point, time) = HostCell::of(event.cell).local_mark(event).ok_or(UNPINNED)?;
        point.reached_by(time)
    }

    fn block(&self, record: RecordRef<'_>, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        let mark = match record {
            RecordRef::Held(mark) => mark,
            RecordRef::Last(event) => HostCell::of(event.cell).mark(),
        };
        check_all(self.dependency(mark), deadline)?;
        wait(&[HostMark::of(mark)], Until::All, spin, deadline)
    }

    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>> {
        HostMark::of(mark).notify(waiter)
    }

    fn dependency(&self, mark: Mark) -> Option<Dependency> {
        HostMark::of(mark).pending().map(Point::dependency)
    }

    fn forget(&self, mark: Mark, parker: &Parker) {
        HostMark::of(mark).forget(parker);
    }

    fn traced(&self, stream: NativeStream) -> StreamId {
        // Where the thread has no stream of its own any more, none is drawn twice: the default one keeps its order.
        let stream = self.0.resolve(stream).or_else(|_| self.0.default_stream());
        let unknown = StreamId { place: Place::Host { device: self.0.number }, native: 0, is_default: false };
        stream.map_or(unknown, |stream| stream.timeline.traced())
    }

    fn host_time(&self, mark: Mark) -> Result<Option<(i64, u64)>> {
        Ok(Some((HostMark::of(mark).time(), 0)).filter(|(time, _)| *time != 0))
    }

    fn elapsed(&self, start: EventRef<'_>, end: EventRef<'_>, _: usize) -> Result<Option<i64>> {
        // A reached mark has the time, unless the event is being recorded again.
        let (start, end) = if start.life.is_some() {
            let time = |event: EventRef<'_>| HostCell::of(event.cell).local_mark(event).map_or(0, |(_, time)| time);
            (time(start), time(end))
        } else if self.reached(RecordRef::Last(start))? && self.reached(RecordRef::Last(end))? {
            let time = |event: EventRef<'_>| HostMark::of(HostCell::of(event.cell).mark()).time();
            (time(start), time(end))
        } else {
            return Ok(None);
        };
        Ok((start != 0 && end != 0).then(|| end - start))
    }

    fn release(&self, cell: &Cell, _: EventFlags, _: Left) {
        HostCell::of(cell).clear();
    }

    fn export(&self, cell: &Cell, _: EventFlags) -> Result<IpcHandle> {
        HostCell::of(cell).shared_or_new()?.export()
    }

    unsafe fn fill(&self, cell: &Cell, event: Foreign<'_>) -> Result<()> {
        match event {
            Foreign::Native(..) => Err(Error::NoNative),
            Foreign::Ipc(handle) => {
                HostCell::of(cell).share(SharedEvent::import(handle)?);
                Ok(())
            }
        }
    }
}

/// Puts a mark that the host signals into `cell`, which is empty or has such a mark. An unsignaled mark stays.
pub(crate) fn arm(cell: &'static Cell, interprocess: bool) -> Result<()> {
    let cell = HostCell::of(cell);
    if interprocess { cell.shared_or_new()?.arm() } else { cell.arm() }
}

/// Signals the mark of [`arm`] in `cell`; returns whether it was unsignaled.
pub(crate) fn signal(cell: &Cell, status: Status) -> bool {
    probe::release(cell);
    if let Some(shared) = HostCell::of(cell).shared() {
        probe::release(shared);
        return shared.signal(status);
    }
    HostCell::of(cell).open(status, clock::now())
}

impl Host {
    /// Returns the host's device of a context.
    pub(crate) fn of(backend: &dyn Backend) -> Option<&Host> {
        (backend as &dyn std::any::Any).downcast_ref()
    }

    pub(crate) fn wait_for_mark(&self, to: &StreamRef<'_>, mark: Mark) -> Result<()> {
        let stream = self.0.resolve(to.native)?;
        let work = match HostMark::of(mark) {
            HostMark::None => return Ok(()),
            HostMark::Local(point, time) => return self.wait_for(stream, point, time, to),
            HostMark::Shared(shared, ticket) if shared.reached(ticket)? => return Ok(()),
            HostMark::Shared(shared, ticket) => match shared.own_point(ticket) {
                Some(point) if std::ptr::eq(point.timeline, &stream.timeline) => return Ok(()),
                Some(point) => Work::Wait(point),
                None => {
                    ipc::start()?;
                    Work::WaitShared { shared: shared.arc(), ticket }
                }
            },
        };
        self.0.submit(stream, work, to).map(drop)
    }

    /// Lets the stream wait for a point, which has that time if it is reached.
    #[inline]
    fn wait_for(&self, stream: &'static HostStream, point: Point, time: i64, to: &StreamRef<'_>) -> Result<()> {
        let is_other = !std::ptr::eq(point.timeline, &stream.timeline);
        // One more piece of work costs less than asking how far the other stream has come.
        let is_asked = !is_other || !stream.queue.is_running() || point.timeline.failures.ever_began();
        if (is_asked && point.reached_by(time)?) || !is_other {
            return Ok(());
        }
        self.0.submit(stream, Work::Wait(point), to).map(drop)
    }

    /// Like [`Backend::sync`] of all streams, and leaves what failed on the streams for other calls to report.
    pub(crate) fn sync_unreported(&self, deadline: Option<Instant>) -> Result<bool> {
        let done = block_until_all(self.0.ends().into_iter(), deadline)?;
        if done {
            probe::acquire(self.0);
        }
        Ok(done)
    }

    /// Runs a function for each of `count` items on gevt's threads, in the stream's order and in parallel.
    pub(crate) fn launch_items(&self, stream: NativeStream, count: usize, function: ItemFn) -> Result<()> {
        let stream = self.0.resolve(stream)?;
        if !workers::get().reserve() {
            return Err(Error::OutOfMemory);
        }
        let items = Work::Items(Items::new(function, count, &stream.timeline, stream));
        self.0.submit(stream, items, &StreamRef::pinned(stream.token())).map(drop)
    }

    fn record_shared(&self, to: &StreamRef<'_>, stream: &'static HostStream, cell: &'static Cell) -> Result<Recorded> {
        let shared = HostCell::of(cell).shared_or_new()?;
        shared.check_recordable()?;
        let serial = HostCell::of(cell).count_shared();
        if self.0.is_idle(stream) {
            stream.timeline.announce_record(cell);
            probe::release(shared);
            shared.record_done();
            stream.put_reached(cell, serial, clock::now());
            return Ok(Recorded::Complete);
        }
        probe::release(shared);
        let submit = |shared, ticket| {
            let position = self.0.submit(stream, Work::Finish { shared, ticket, cell, serial }, to)?;
            Ok(Point { timeline: &stream.timeline, position })
        };
        shared.record_pending(submit).map(|()| Recorded::Pending)
    }

    /// Lets a stream wait for all that the streams of its device hold.
    pub(crate) fn wait_for_all(&self, stream: &'static HostStream) -> Result<()> {
        let others = self.0.ends().into_iter().filter(|end| !std::ptr::eq(end.timeline, &stream.timeline));
        let to = StreamRef::pinned(stream.token());
        others.map(|end| self.0.submit(stream, Work::Wait(end), &to)).try_for_each(|given| given.map(drop))
    }
}
