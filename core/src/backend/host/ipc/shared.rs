//! An event in shared memory, as one process sees it.

use super::block::{PAGES, SharedPage};
use super::page::Page;
use crate::backend::IpcHandle;
use crate::backend::host::point::Point;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os;
use crate::shared_memory::SharedName;
use crate::status::Status;
use crate::table::Field;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const NOT_RECORDED: Error = Error::HostSignalled("a host-signalled event cannot be recorded");

/// The kind of the 64 bytes that name an event. No page has two events, so its place tells it from others.
pub(super) const MAGIC: u64 = u64::from_ne_bytes(*b"gevtIPC\x04");
/// Where in the file the event is, whether the exporter signals it, and the exporter's user.
const PAGE: Field = Field::first(8);
const SIGNALLED: Field = PAGE.then(1);
const USER: Field = SIGNALLED.then(32);
const _: () = assert!(PAGE.max() < PAGES as u64);

/// An event in shared memory, as this process sees it. Always in an `Arc`.
pub(crate) struct SharedEvent {
    pub(super) place: SharedPage,
    /// The last record that this process made as pending: its ticket, and where it stands.
    own: Mutex<Option<(u64, Point)>>,
    /// The exporter signals the event, so it is not recorded.
    signalled: AtomicBool,
    /// The ticket of the record that the next signal finishes, or 0.
    armed: Mutex<u64>,
}

impl SharedEvent {
    pub(super) fn new(place: SharedPage, signalled: bool) -> Arc<SharedEvent> {
        let (signalled, own, armed) = (AtomicBool::new(signalled), Mutex::new(None), Mutex::new(0));
        Arc::new(SharedEvent { place, own, signalled, armed })
    }

    /// Makes an event that no other process knows.
    pub(crate) fn make() -> Result<Arc<SharedEvent>> {
        Ok(SharedEvent::new(SharedPage::take()?, false))
    }

    /// The ticket of the last record.
    pub(crate) fn last(&self) -> u64 {
        self.page().last()
    }

    /// One more owner.
    pub(crate) fn arc(&self) -> Arc<SharedEvent> {
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
    pub(crate) fn export(&self) -> Result<IpcHandle> {
        if self.place.is_foreign() {
            return Err(Error::NotExportable);
        }
        let (file, page) = self.place.address();
        let signalled = self.signalled.load(Ordering::Relaxed);
        let about = USER.set(SIGNALLED.set(PAGE.set(0, page.into()), signalled.into()), os::user().into());
        Ok(SharedName { exporter: self.place.me().into(), file, about, words: [0; 2] }.to_bytes(MAGIC))
    }

    /// Opens the event of a handle.
    pub(crate) fn import(handle: &IpcHandle) -> Result<Arc<SharedEvent>> {
        let name = SharedName::from_bytes(handle, MAGIC).ok_or(Error::IpcBadHandle)?;
        if USER.get(name.about) != u64::from(os::user()) {
            return Err(Error::IpcForeignUser);
        }
        let place = SharedPage::open(name.exporter as u32, name.file, PAGE.get(name.about) as u32)?;
        Ok(SharedEvent::new(place, SIGNALLED.get(name.about) != 0))
    }

    /// A record that is done at once.
    pub(crate) fn record_done(&self) {
        self.page().record(0);
    }

    /// A record that `submit` makes a stream finish; it gives the place in the stream. If that fails, the last record stays.
    pub(crate) fn record_pending(&self, submit: impl FnOnce(Arc<SharedEvent>, u64) -> Result<Point>) -> Result<()> {
        let ticket = self.begin()?;
        let point = submit(self.arc(), ticket).inspect_err(|_| self.finish(ticket, Status::SUCCESS))?;
        *self.own.lock() = Some((ticket, point));
        self.page().record(ticket);
        Ok(())
    }

    /// Begins a record; gives its ticket.
    fn begin(&self) -> Result<u64> {
        self.page().begin(self.place.me(), |peer| self.place.is_gone(peer)).ok_or(Error::OutOfMemory)
    }

    /// Makes a record for the next signal to finish, unless there is one already.
    pub(crate) fn arm(&self) -> Result<()> {
        let mut armed = self.armed.lock();
        if *armed == 0 {
            self.signalled.store(true, Ordering::Relaxed);
            *armed = self.begin()?;
            self.page().record(*armed);
        }
        Ok(())
    }

    /// Finishes the record that is to be signalled; returns whether there was one.
    pub(crate) fn signal(&self, status: Status) -> bool {
        let ticket = std::mem::take(&mut *self.armed.lock());
        if ticket != 0 {
            self.finish(ticket, status);
        }
        ticket != 0
    }

    /// Refuses to record an event that another process signals.
    pub(crate) fn check_recordable(&self) -> Result<()> {
        if self.signalled.load(Ordering::Relaxed) { Err(NOT_RECORDED) } else { Ok(()) }
    }

    /// Finishes a record that this process has begun.
    pub(crate) fn finish(&self, ticket: u64, status: Status) {
        self.page().finish(ticket, self.place.me(), status);
        if self.page().ring() {
            os::wake(self.bell());
        }
    }

    /// Where the record stands, if it is this process's last pending one.
    pub(crate) fn own_point(&self, ticket: u64) -> Option<Point> {
        self.own.lock().filter(|(own, _)| *own == ticket).map(|(_, point)| point)
    }
}
