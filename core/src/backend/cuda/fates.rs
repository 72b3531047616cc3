//! What comes of the gates that a stream waits for. A stream of the driver's goes on behind a gate that was opened with a failure; what
//! was recorded there fails all the same.

use crate::collect::try_collect;
use crate::error::{Error, Result};
use crate::status::Status;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What came of a gate: nothing yet, that it was opened, or a failure with its status above it.
#[derive(Default)]
pub(super) struct Fate(AtomicU64);

const OPENED: u64 = 1;
const FAILED: u64 = 2;

impl Fate {
    pub(super) fn set(&self, status: Status) {
        let failed = || u64::from(status.0.cast_unsigned()) << 32 | FAILED;
        self.0.store(if status == Status::SUCCESS { OPENED } else { failed() }, Ordering::Release);
    }

    fn is_success(&self) -> bool {
        self.0.load(Ordering::Acquire) == OPENED
    }

    fn failure(&self) -> Option<Status> {
        let word = self.0.load(Ordering::Acquire);
        (word & FAILED != 0).then(|| Status(((word >> 32) as u32).cast_signed()))
    }
}

/// The gates that something stands behind, but for those that were opened without a failure.
pub(super) type Fates = Arc<Vec<Arc<Fate>>>;

/// The first failure among them.
fn failure(fates: &Fates) -> Option<Status> {
    fates.iter().find_map(|fate| fate.failure())
}

fn prune(fates: &mut Fates) {
    if fates.iter().any(|fate| fate.is_success()) {
        Arc::make_mut(fates).retain(|fate| !fate.is_success());
    }
}

/// The gates that each stream of a context stands behind.
#[derive(Default)]
pub(super) struct StreamFates {
    /// The streams that are listed.
    listed: AtomicUsize,
    streams: Mutex<BTreeMap<u64, Fates>>,
}

impl StreamFates {
    /// Returns whether no stream of the context stands behind a gate.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.listed.load(Ordering::Relaxed) == 0
    }

    /// The stream stands behind one more gate.
    pub(super) fn new_fate(&self, stream: u64) -> Result<Arc<Fate>> {
        let fate = Arc::new(Fate::default());
        self.add(stream, std::slice::from_ref(&fate))?;
        Ok(fate)
    }

    /// The stream stands behind what these gates belong to.
    pub(super) fn add(&self, stream: u64, more: &[Arc<Fate>]) -> Result<()> {
        let mut streams = self.streams.lock();
        let fates = streams.entry(stream).or_default();
        prune(fates);
        let own = Arc::make_mut(fates);
        own.try_reserve(more.len()).map_err(|_| Error::OutOfMemory)?;
        for fate in more {
            if !own.iter().any(|known| Arc::ptr_eq(known, fate)) || more.len() == 1 {
                own.push(fate.clone());
            }
        }
        self.listed.store(streams.len(), Ordering::Relaxed);
        Ok(())
    }

    /// The gates that what the stream is given now stands behind; `None` if all are open without a failure.
    pub(super) fn of(&self, stream: u64) -> Option<Fates> {
        if self.are_none() {
            return None;
        }
        let mut streams = self.streams.lock();
        let fates = streams.get_mut(&stream)?;
        prune(fates);
        let now = Some(fates.clone()).filter(|fates| !fates.is_empty());
        if now.is_none() {
            streams.remove(&stream);
            self.listed.store(streams.len(), Ordering::Relaxed);
        }
        now
    }

    /// Refuses a stream that is done, and stands behind a gate that failed.
    pub(super) fn check(&self, stream: u64) -> Result<()> {
        self.of(stream).and_then(|fates| failure(&fates)).map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }

    /// As [`StreamFates::check`], and what the stream is given from now on is sound again.
    pub(super) fn take_failure(&self, stream: u64) -> Result<()> {
        let failed = self.check(stream);
        if failed.is_err()
            && let Some(fates) = self.streams.lock().get_mut(&stream)
        {
            Arc::make_mut(fates).retain(|fate| fate.failure().is_none());
        }
        failed
    }

    /// As [`StreamFates::take_failure`], of all streams.
    pub(super) fn take_failures(&self) -> Result<()> {
        let streams = try_collect(self.streams.lock().keys().map(|stream| Ok(*stream)))?;
        // All are taken, and the first is returned.
        streams
            .into_iter()
            .filter_map(|stream| self.take_failure(stream).err())
            .reduce(|first, _| first)
            .map_or(Ok(()), Err)
    }

    /// The stream has ended: its number may be another one's.
    pub(super) fn forget(&self, stream: u64) {
        if !self.are_none() {
            let mut streams = self.streams.lock();
            streams.remove(&stream);
            self.listed.store(streams.len(), Ordering::Relaxed);
        }
    }
}

/// What a record stands behind. It is never freed, as a mark may be older than the record.
#[derive(Default)]
pub(super) struct Behind(Mutex<Option<Fates>>);

static FREE: Mutex<Vec<&'static Behind>> = Mutex::new(Vec::new());

impl Behind {
    pub(super) fn take() -> &'static Behind {
        FREE.lock().pop().unwrap_or_else(|| Box::leak(Box::default()))
    }

    pub(super) fn put(&'static self) {
        self.set(None);
        FREE.lock().push(self);
    }

    pub(super) fn set(&self, fates: Option<Fates>) {
        *self.0.lock() = fates;
    }

    pub(super) fn fates(&self) -> Option<Fates> {
        self.0.lock().clone()
    }

    /// Refuses a record that is reached, and stands behind a gate that failed.
    pub(super) fn check(&self) -> Result<()> {
        let failed = self.0.lock().as_ref().and_then(failure);
        failed.map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }
}
