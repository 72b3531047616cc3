//! An event in shared memory, as one process sees it.

use super::block::{ForeignPage, OwnPage, PagePlace};
use super::handle::Origin;
use super::page::Page;
use super::peer::is_gone_lately;
use crate::backend::host::cell::HostCell;
use crate::backend::host::point::Point;
use crate::backend::host::stream::HostStream;
use crate::backend::{Cell, IpcHandle};
use crate::clock;
use crate::error::{Error, Result};
use crate::os::{self, ProcessId, is_shortage, is_unsupported};
use crate::probe::{self, What};
use crate::status::Status;
use parking_lot::Mutex;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};

const NOT_RECORDED: Error = Error::HostSignalled("a host-signalled event cannot be recorded");

/// An event in shared memory, as this process sees it. Always in an `Arc`.
pub(crate) struct SharedEvent {
    place: PagePlace,
    /// One more than this process's number in the page; 0 before its first record.
    number: AtomicU32,
    /// The last process that was found gone.
    pub(super) gone: AtomicU64,
    /// The last process that was looked at, and the time before which nobody looks again whether that one lives.
    pub(super) looked_at: AtomicU64,
    pub(super) next_look: AtomicI64,
    /// No place for a record is free before this one, as far as this process knows.
    free: AtomicU32,
    /// The last record that this process made as pending: its ticket, and where it stands.
    own: Mutex<Option<(u64, Point)>>,
    /// Whether the event is another process's and signalled there. The page said so when it was imported; a process that overwrites it later
    /// changes nothing.
    signalled: bool,
    /// The ticket of the record that is to be signalled; 0 if there is none.
    armed: Mutex<u64>,
    /// The cell, and the serial that it had at this process's last record, for a trace; 0 where none was told.
    traced: (AtomicUsize, AtomicU64),
}

impl SharedEvent {
    pub(super) fn new(place: PagePlace) -> Arc<SharedEvent> {
        let signalled = matches!(place, PagePlace::Foreign(_)) && place.page().is_signalled();
        Arc::new(SharedEvent {
            place,
            signalled,
            number: AtomicU32::new(0),
            gone: AtomicU64::new(0),
            looked_at: AtomicU64::new(0),
            next_look: AtomicI64::new(i64::MIN),
            free: AtomicU32::new(0),
            own: Mutex::new(None),
            armed: Mutex::new(0),
            traced: (AtomicUsize::new(0), AtomicU64::new(0)),
        })
    }

    /// The event of a cell, made where there is none.
    pub(in super::super) fn of_cell_or_new(cell: &Cell) -> Result<&SharedEvent> {
        let cell = HostCell::of(cell);
        match cell.shared() {
            Some(shared) => Ok(shared),
            None => Ok(cell.share(SharedEvent::new(PagePlace::Own(OwnPage::take()?)))),
        }
    }

    /// The ticket of the last record.
    pub(in super::super) fn last(&self) -> u64 {
        self.page().last()
    }

    /// One more owner.
    pub(in super::super) fn arc(&self) -> Arc<SharedEvent> {
        // SAFETY: every `SharedEvent` is in an `Arc`, and the reference shows that it is still there.
        unsafe {
            Arc::increment_strong_count(self);
            Arc::from_raw(self)
        }
    }

    pub(super) fn page(&self) -> &Page {
        self.place.page()
    }

    pub(super) fn listen(&self) -> u32 {
        self.page().listen()
    }

    pub(super) fn bell(&self) -> &AtomicU32 {
        self.page().bell()
    }

    /// The handle under which other processes open the event.
    pub(in super::super) fn export(&self) -> Result<IpcHandle> {
        let PagePlace::Own(own) = &self.place else { return Err(Error::NotExportable) };
        let (file, page) = own.address();
        let (exporter, user) = (ProcessId::me()?, os::user());
        Ok(Origin { exporter, file, page, user, nonce: own.nonce()? }.to_bytes())
    }

    /// Puts the event of a handle into the cell.
    pub(in super::super) fn import(handle: &IpcHandle, cell: &Cell) -> Result<()> {
        let origin = Origin::from_bytes(handle).ok_or(Error::IpcBadHandle)?;
        if origin.user != os::user() {
            return Err(Error::IpcForeignUser);
        }
        if origin.exporter == ProcessId::me()? {
            return Err(Error::IpcSameProcess);
        }
        let opened = ForeignPage::open(origin.exporter, origin.file, origin.page);
        let place = PagePlace::Foreign(opened.map_err(|error| match error.kind() {
            _ if origin.exporter.is_gone() => Error::PeerGone(Status::MAP_FAILED),
            ErrorKind::PermissionDenied => Error::IpcForeignUser,
            _ if is_shortage(&error) => Error::OutOfMemory,
            _ if is_unsupported(&error) => Error::Backend(Status::NOT_SUPPORTED),
            _ => Error::IpcBadHandle,
        })?);
        if place.page().nonce() != origin.nonce {
            return Err(Error::IpcBadHandle);
        }
        HostCell::of(cell).share(SharedEvent::new(place));
        Ok(())
    }

    /// This process's number in the page.
    pub(super) fn number(&self) -> Result<usize> {
        match self.number.load(Ordering::Relaxed) {
            0 => {
                let number = self
                    .page()
                    .enter(ProcessId::me()?.0, |other| is_gone_lately(ProcessId(other)))
                    .ok_or(Error::OutOfMemory)?;
                // Another thread may have entered too, and has begun a record under the number that it got.
                let first = self.number.compare_exchange(0, number as u32 + 1, Ordering::Relaxed, Ordering::Relaxed);
                Ok(first.map_or_else(|known| known as usize - 1, |_| number))
            }
            known => Ok(known as usize - 1),
        }
    }

    /// Keeps by what a trace knows the event, which is being recorded.
    #[cold]
    pub(in super::super) fn set_traced(&self, cell: &'static Cell) {
        self.traced.1.store(HostCell::of(cell).count_shared(), Ordering::Relaxed);
        self.traced.0.store(cell.address(), Ordering::Release);
    }

    /// Tells a trace that a stream comes to a record of the event.
    #[cold]
    pub(in super::super) fn trace_reached(&self, stream: &'static HostStream) {
        let time = clock::now();
        let cell = self.traced.0.load(Ordering::Acquire);
        let serial = self.traced.1.load(Ordering::Relaxed);
        probe::put(move || What::Reached { cell, serial, stream: stream.traced(), time });
    }

    /// A record that is done at once.
    pub(in super::super) fn record_done(&self) {
        self.page().record_done();
    }

    /// A record that `submit` makes a stream finish; it gives the place in the stream.
    pub(in super::super) fn record_pending(
        &self,
        submit: impl FnOnce(Arc<SharedEvent>, u64) -> Result<Point>,
    ) -> Result<()> {
        let ticket = self.begin()?;
        let point = submit(self.arc(), ticket).inspect_err(|_| self.finish(ticket, Status::CONTEXT_IS_DESTROYED))?;
        *self.own.lock() = Some((ticket, point));
        Ok(())
    }

    /// Begins a record; gives its ticket.
    fn begin(&self) -> Result<u64> {
        let is_gone = |number| is_gone_lately(ProcessId(self.page().peer(number)));
        let free = self.free.load(Ordering::Relaxed) as usize;
        let (ticket, place) = self.page().begin(self.number()?, free, is_gone).ok_or(Error::OutOfMemory)?;
        self.free.store(place as u32 + 1, Ordering::Relaxed);
        Ok(ticket)
    }

    /// Makes a record that is to be signalled, if there is none.
    pub(in super::super) fn arm(&self) -> Result<()> {
        let mut armed = self.armed.lock();
        if *armed == 0 {
            self.page().set_signalled(true);
            *armed = self.begin()?;
        }
        Ok(())
    }

    /// Finishes the record that is to be signalled; returns whether there was one.
    pub(in super::super) fn signal(&self, status: Status) -> bool {
        let ticket = std::mem::take(&mut *self.armed.lock());
        if ticket != 0 {
            self.finish(ticket, status);
        }
        ticket != 0
    }

    /// Refuses to record an event that another process signals.
    pub(in super::super) fn check_recordable(&self) -> Result<()> {
        if self.signalled { Err(NOT_RECORDED) } else { Ok(()) }
    }

    /// Finishes a record that this process has begun.
    pub(in super::super) fn finish(&self, ticket: u64, status: Status) {
        // It has a number, as it has begun a record.
        let number = self.number.load(Ordering::Relaxed).saturating_sub(1);
        let place = self.page().finish(ticket, number as usize, status);
        // A place that failed is used again last, as its waiters may come late for the status.
        if status == Status::SUCCESS {
            self.free.fetch_min(place as u32, Ordering::Relaxed);
        }
        if self.page().ring() {
            os::wake(self.bell());
        }
    }

    /// Where the record stands, if it is this process's last pending one.
    pub(in super::super) fn own_point(&self, ticket: u64) -> Option<Point> {
        self.own.lock().filter(|(own, _)| *own == ticket).map(|(_, point)| point)
    }
}
