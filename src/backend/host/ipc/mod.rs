//! Events that processes share. See `page.rs` for what they share, and `block.rs` for where it lies.

mod block;
mod futex;
mod handle;
pub(crate) mod page;
mod peer;
mod random;
#[cfg(test)]
mod tests;
mod watcher;

use super::clock;
use super::stream::{Point, Stream};
use crate::backend::{Cell, IpcHandle, Mark, NativeStream, Parker, Waiter};
use crate::error::{Error, Result};
use crate::status::Status;
use block::{ForeignPlace, OwnPlace, Place};
use handle::Origin;
use page::{Outcome, Page};
use parking_lot::Mutex;
use peer::Peer;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The answer where the process that had to finish a record is gone.
pub(crate) const PEER_GONE: Error = Error::PeerGone(Status::CONTEXT_IS_DESTROYED);

/// The longest sleep, and how long at least passes between two looks whether the process lives that is waited for.
const INTERVAL: Duration = Duration::from_millis(30);
/// After so many sleeps for nothing a thread rests where another one ended at once.
const HURRIED: u32 = 64;
const AT_ONCE: Duration = Duration::from_micros(20);
const REST: Duration = Duration::from_micros(500);

/// After so many times in vain a thread no longer looks before it sleeps, but for one time in so many.
const SPIN_MISSES: u32 = 2;
const SPIN_AGAIN: u32 = 256;

thread_local! {
    /// How many times in a row the thread has waited without having seen the end of it by looking.
    static MISSES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Set in the stream of a mark that is a record in shared memory: streams lie at even addresses.
const SHARED: u64 = 1;

/// An event in shared memory, as this process sees it. Always in an `Arc`.
pub(crate) struct Shared {
    place: Place,
    /// One more than this process's number in the page; 0 before its first record.
    number: AtomicU32,
    /// A process that is known to be gone.
    gone: AtomicU64,
    /// Before that time nobody looks again whether a process lives.
    next_look: AtomicI64,
    /// No place for a record is free before this one, as far as this process knows.
    free: AtomicU32,
    /// The last record that this process made as pending: its ticket, and where it stands.
    own: Mutex<Option<(u64, Point)>>,
}

/// Keeps a thread from turning in a circle where somebody rings a bell all the time.
#[derive(Default)]
struct Pace(u32);

impl Pace {
    /// Before a sleep. The time is not needed for the first ones.
    fn start(&mut self) -> Option<Instant> {
        self.0 = self.0.saturating_add(1);
        (self.0 > HURRIED).then(Instant::now)
    }

    /// After a sleep that was for nothing.
    fn rest(&self, start: Option<Instant>) {
        if start.is_some_and(|start| start.elapsed() < AT_ONCE) {
            std::thread::sleep(REST);
        }
    }
}

/// How a record in shared memory stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    Done,
    Pending,
    /// Whoever had to finish it is gone, or has said that it cannot be done.
    Gone,
}

impl Shared {
    fn new(place: Place) -> Arc<Shared> {
        Arc::new(Shared {
            place,
            number: AtomicU32::new(0),
            gone: AtomicU64::new(0),
            next_look: AtomicI64::new(i64::MIN),
            free: AtomicU32::new(0),
            own: Mutex::new(None),
        })
    }

    /// The event of a cell, if it is shared. The caller has the event in use for as long as it keeps the reference.
    #[inline]
    pub(super) fn of_cell(cell: &Cell) -> Option<&Shared> {
        let pointer = cell.native() as *const Shared;
        // SAFETY: null, or put there by `put`, and taken out by `release`, when nobody uses the event any more.
        unsafe { pointer.as_ref() }
    }

    /// The event of a mark, if it is shared. The caller has the event in use for as long as it keeps the reference.
    #[inline]
    pub(super) fn of_mark<'a>(mark: Mark) -> Option<&'a Shared> {
        let pointer = (mark.stream.0 & !SHARED) as *const Shared;
        // SAFETY: only `mark` sets the bit, in the address of an event that the caller still uses, as the trait demands.
        (mark.stream.0 & SHARED != 0).then(|| unsafe { &*pointer })
    }

    /// The last record, as a mark.
    pub(super) fn mark(&self) -> Mark {
        let stream = NativeStream(std::ptr::from_ref(self) as u64 | SHARED);
        Mark { stream, position: self.page().last(), ..Mark::default() }
    }

    /// Puts the event into a cell; where another was first, gives that one.
    fn put(self: Arc<Shared>, cell: &Cell) -> &Shared {
        let pointer = Arc::into_raw(self);
        if cell.set_native(pointer as u64).is_err() {
            // SAFETY: it came from `into_raw` just now, and went nowhere.
            drop(unsafe { Arc::from_raw(pointer) });
        }
        // SAFETY: as in `of_cell`; the cell holds one now.
        unsafe { &*(cell.native() as *const Shared) }
    }

    /// The event of a cell, made where there is none.
    pub(super) fn of_cell_or_new(cell: &Cell) -> Result<&Shared> {
        match Shared::of_cell(cell) {
            Some(shared) => Ok(shared),
            None => Ok(Shared::new(Place::Own(OwnPlace::take()?)).put(cell)),
        }
    }

    /// Takes the event out of a cell that nobody uses any more.
    pub(super) fn release(cell: &Cell) {
        // SAFETY: `put` has put it there by `into_raw`, and nobody uses the event.
        cell.take_natives().for_each(|pointer| drop(unsafe { Arc::from_raw(pointer as *const Shared) }));
    }

    /// One more owner.
    pub(super) fn arc(&self) -> Arc<Shared> {
        // SAFETY: every `Shared` is in an `Arc`, and the reference shows that it is still there.
        unsafe {
            Arc::increment_strong_count(self);
            Arc::from_raw(self)
        }
    }

    fn page(&self) -> &Page {
        self.place.page()
    }

    fn listen(&self) -> u32 {
        self.page().listen()
    }

    fn bell(&self) -> &AtomicU32 {
        self.page().bell()
    }

    /// The handle under which other processes open the event.
    pub(super) fn export(&self) -> Result<IpcHandle> {
        let Place::Own(own) = &self.place else { return Err(Error::NotExportable) };
        let (descriptor, inode, page) = own.address();
        // SAFETY: takes no pointer.
        let user = unsafe { libc::geteuid() };
        Ok(Origin { exporter: Peer::me()?, inode, descriptor, page, user, nonce: own.nonce()? }.to_bytes())
    }

    /// Puts the event of a handle into the cell.
    pub(super) fn import(handle: &IpcHandle, cell: &Cell) -> Result<()> {
        let origin = Origin::from_bytes(handle).ok_or(Error::IpcBadHandle)?;
        // SAFETY: takes no pointer.
        if origin.user != unsafe { libc::geteuid() } {
            return Err(Error::IpcForeignUser);
        }
        if origin.exporter == Peer::me()? {
            return Err(Error::IpcSameProcess);
        }
        let opened = ForeignPlace::open(origin.exporter.pid(), origin.descriptor, origin.inode, origin.page);
        let place = Place::Foreign(opened.map_err(|error| match error.kind() {
            _ if origin.exporter.is_gone() => Error::PeerGone(Status::MAP_FAILED),
            ErrorKind::PermissionDenied => Error::IpcForeignUser,
            ErrorKind::OutOfMemory => Error::OutOfMemory,
            _ => match error.raw_os_error() {
                Some(libc::EMFILE | libc::ENFILE) => Error::OutOfMemory,
                _ => Error::IpcBadHandle,
            },
        })?);
        if place.page().nonce() != origin.nonce {
            return Err(Error::IpcBadHandle);
        }
        Shared::new(place).put(cell);
        Ok(())
    }

    /// This process's number in the page.
    fn number(&self) -> Result<usize> {
        match self.number.load(Ordering::Relaxed) {
            0 => {
                let number =
                    self.page().enter(Peer::me()?.0, |other| Peer(other).is_known_gone()).ok_or(Error::OutOfMemory)?;
                self.number.store(number as u32 + 1, Ordering::Relaxed);
                Ok(number)
            }
            known => Ok(known as usize - 1),
        }
    }

    /// A record that is done at once.
    pub(super) fn record_done(&self) {
        self.page().record_done();
    }

    /// A record that `submit` makes a stream finish; it gives the place in the stream.
    pub(super) fn record_pending(&self, submit: impl FnOnce(Arc<Shared>, u64) -> Result<Point>) -> Result<()> {
        let is_gone = |number| Peer(self.page().peer(number)).is_known_gone();
        let free = self.free.load(Ordering::Relaxed) as usize;
        let (ticket, place) = self.page().begin(self.number()?, free, is_gone).ok_or(Error::OutOfMemory)?;
        self.free.store(place as u32 + 1, Ordering::Relaxed);
        let point = submit(self.arc(), ticket).inspect_err(|_| self.finish(ticket, false))?;
        *self.own.lock() = Some((ticket, point));
        Ok(())
    }

    /// Finishes a record that this process has begun.
    pub(super) fn finish(&self, ticket: u64, done: bool) {
        // It has a number, as it has begun a record.
        let number = self.number.load(Ordering::Relaxed).saturating_sub(1);
        let place = self.page().finish(ticket, number as usize, done);
        self.free.fetch_min(place as u32, Ordering::Relaxed);
        if self.page().ring() {
            futex::wake(self.bell());
        }
    }

    /// Where the record stands, if it is this process's last pending one.
    pub(super) fn own_point(&self, ticket: u64) -> Option<Point> {
        self.own.lock().filter(|(own, _)| *own == ticket).map(|(_, point)| point)
    }

    /// How the record stands. Whether the process lives that has to finish it, is looked up from time to time only.
    pub(super) fn look(&self, ticket: u64) -> Look {
        match self.page().outcome(ticket) {
            Outcome::Done => Look::Done,
            Outcome::Failed => Look::Gone,
            Outcome::Pending(number) if self.is_gone(self.page().peer(number)) => {
                // It may have finished just before it ended.
                if self.page().outcome(ticket) == Outcome::Done { Look::Done } else { Look::Gone }
            }
            Outcome::Pending(_) => Look::Pending,
        }
    }

    /// Is the process gone? Cold, as a record is looked at while it is pending only where its waiter has time.
    #[cold]
    fn is_gone(&self, peer: u64) -> bool {
        if Peer::me() == Ok(Peer(peer)) {
            return false;
        }
        if peer != 0 && peer == self.gone.load(Ordering::Relaxed) {
            return true;
        }
        let now = clock::now();
        let next = self.next_look.load(Ordering::Relaxed);
        let later = now + INTERVAL.as_nanos() as i64;
        let mine =
            now >= next && self.next_look.compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if !mine || !Peer(peer).is_known_gone() {
            return false;
        }
        self.gone.store(peer, Ordering::Relaxed);
        true
    }

    /// Is the record done? An error where it cannot be any more.
    pub(super) fn reached(&self, ticket: u64) -> Result<bool> {
        match self.look(ticket) {
            Look::Done => Ok(true),
            Look::Pending => Ok(false),
            Look::Gone => Err(PEER_GONE),
        }
    }

    /// Blocks until the record is finished, or until the deadline; false where the time ran out. With `spin`, the thread looks
    /// for some time before it sleeps.
    pub(super) fn block(&self, ticket: u64, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        if spin {
            self.spin(ticket);
        }
        let mut pace = Pace::default();
        loop {
            let bell = self.listen();
            if self.page().outcome(ticket) == Outcome::Done {
                return Ok(true);
            }
            let left = |at: Instant| at.saturating_duration_since(Instant::now()).min(INTERVAL);
            let time = deadline.map_or(INTERVAL, left);
            let start = pace.start();
            futex::wait(self.bell(), bell, time);
            if self.reached(ticket)? {
                return Ok(true);
            }
            if time.is_zero() {
                return Ok(false);
            }
            pace.rest(start);
        }
    }

    /// Looks until the record is finished, for some microseconds at most. Where that was for nothing lately it hardly ever
    /// does: the other process may need this very core to get there.
    pub(super) fn spin(&self, ticket: u64) {
        let misses = MISSES.get();
        if misses < SPIN_MISSES || misses.is_multiple_of(SPIN_AGAIN) {
            for looks in 0..super::SPINS {
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
    pub(super) fn notify(&self, ticket: u64, waiter: Waiter) -> Result<Option<Waiter>> {
        if self.reached(ticket)? {
            return Ok(Some(waiter));
        }
        watcher::start()?;
        watcher::add(self.arc(), ticket, waiter).map_err(|_| Error::OutOfMemory)?;
        Ok(None)
    }

    /// Makes the stream runnable when the record is finished or lost.
    pub(super) fn wake_later(self: Arc<Shared>, ticket: u64, stream: &'static Stream) {
        if let Err(waiter) = watcher::add(self, ticket, Waiter::Stream(stream)) {
            // Without memory to remember it, it looks again.
            super::wake(waiter, Status::SUCCESS);
        }
    }

    /// For a stream that is to wait: there will be somebody to wake it.
    pub(super) fn expect_notify() -> Result<()> {
        watcher::start()
    }

    /// Forgets a parked thread.
    pub(super) fn forget(parker: &Parker) {
        watcher::forget(parker);
    }
}
