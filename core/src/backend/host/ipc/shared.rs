//! An event in shared memory, as one process sees it.

use super::block::SharedPage;
use super::page::Page;
use crate::backend::host::cell::HostCell;
use crate::backend::host::point::Point;
use crate::backend::host::stream::HostStream;
use crate::backend::{Cell, IpcHandle};
use crate::clock;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os;
use crate::probe::{self, What};
use crate::shared_memory::SharedName;
use crate::status::Status;
use crate::table::Field;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

const NOT_RECORDED: Error = Error::HostSignalled("a host-signalled event cannot be recorded");

/// The kind of the 64 bytes that name an event. Their words are the nonce of its page.
pub(super) const MAGIC: u64 = u64::from_ne_bytes(*b"gevtIPC\x03");
/// Where in the file the event is, and the exporter's user.
const PAGE: Field = Field::first(32);
const USER: Field = PAGE.then(32);

/// An event in shared memory, as this process sees it. Always in an `Arc`.
pub(crate) struct SharedEvent {
    pub(super) place: SharedPage,
    /// The first place that may be free: this process knows of no other before it.
    free: AtomicU32,
    /// The last record that this process made as pending: its ticket, and where it stands.
    own: Mutex<Option<(u64, Point)>>,
    /// Whether the event is another process's and signalled there. The page said so when it was imported; a process that overwrites it later
    /// changes nothing.
    signalled: bool,
    /// The ticket of the record that the next signal finishes, or 0.
    armed: Mutex<u64>,
    /// The cell, and the serial that it had at this process's last record, for a trace; 0 without a trace.
    traced: (AtomicUsize, AtomicU64),
}

impl SharedEvent {
    pub(super) fn new(place: SharedPage) -> Arc<SharedEvent> {
        let signalled = place.is_foreign() && place.page().is_signalled();
        Arc::new(SharedEvent {
            place,
            signalled,
            free: AtomicU32::new(0),
            own: Mutex::new(None),
            armed: Mutex::new(0),
            traced: (AtomicUsize::new(0), AtomicU64::new(0)),
        })
    }

    /// Returns the event of a cell, and makes one for a cell without.
    pub(in super::super) fn of_cell_or_new(cell: &Cell) -> Result<&SharedEvent> {
        let cell = HostCell::of(cell);
        match cell.shared() {
            Some(shared) => Ok(shared),
            None => Ok(cell.share(SharedEvent::new(SharedPage::take()?))),
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

    pub(super) fn bell(&self) -> &AtomicU32 {
        self.page().bell()
    }

    /// Returns the handle under which other processes open the event.
    pub(in super::super) fn export(&self) -> Result<IpcHandle> {
        if self.place.is_foreign() {
            return Err(Error::NotExportable);
        }
        let (file, page) = self.place.address().map_err(|_| Error::Backend(Status::NOT_SUPPORTED))?;
        let about = USER.set(PAGE.set(0, page.into()), os::user().into());
        Ok(SharedName { exporter: self.place.me().into(), file, about, words: self.place.nonce()? }.to_bytes(MAGIC))
    }

    /// Puts the event of a handle into the cell.
    pub(in super::super) fn import(handle: &IpcHandle, cell: &Cell) -> Result<()> {
        let name = SharedName::from_bytes(handle, MAGIC).ok_or(Error::IpcBadHandle)?;
        if USER.get(name.about) != u64::from(os::user()) {
            return Err(Error::IpcForeignUser);
        }
        let place = SharedPage::open(name.exporter as u32, name.file, PAGE.get(name.about) as u32)?;
        if place.page().nonce() != name.words {
            return Err(Error::IpcBadHandle);
        }
        HostCell::of(cell).share(SharedEvent::new(place));
        Ok(())
    }

    /// Keeps by what a trace knows the event, which is being recorded.
    #[cold]
    pub(in super::super) fn set_traced(&self, cell: &'static Cell) {
        self.traced.1.store(HostCell::of(cell).count_shared(), Ordering::Relaxed);
        self.traced.0.store(cell.address(), Ordering::Release);
    }

    /// Tells a trace that a stream reaches a record of the event.
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
        let free = self.free.load(Ordering::Relaxed) as usize;
        let (ticket, place) =
            self.page().begin(self.place.me(), free, |peer| self.place.is_gone(peer)).ok_or(Error::OutOfMemory)?;
        self.free.store(place as u32 + 1, Ordering::Relaxed);
        Ok(ticket)
    }

    /// Makes a record for the next signal to finish, unless there is one already.
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
        let place = self.page().finish(ticket, self.place.me(), status);
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
