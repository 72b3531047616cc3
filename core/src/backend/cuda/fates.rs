//! How the gates that a stream waits for were opened. A stream of the driver's goes on behind a gate that was opened with a failure; what
//! was recorded there fails all the same.
//!
//! The streams of a context share the driver's queues, and which streams share one is not known. A queue of an H200's holds 1,021 pieces of
//! work, and a call that finds it full blocks until one is done: behind a closed gate that may be for ever. So a context has a bound on the
//! gates that stand in its queues. A wait for what the stream waits for already adds none; and when there are many, a stream that
//! gevt has made waits for the next one at the gate that it has, if it was given nothing since.

use crate::backend::deadlock::{self, Dependency};
use crate::backend::gate::Opening;
use crate::collect::try_collect;
use crate::error::{Error, Result};
use crate::status::Status;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How many gates stand in the queues of a context: the header names the number, at gevt_stream_wait.
const MOST: usize = 512;
/// From how many on a stream waits for several events at one gate.
const MANY: usize = 256;

/// So few streams are listed before those that have passed their gates are struck out.
const FEW: usize = 64;

/// What opens the word or the function at which a stream waits.
pub(super) type Open = Box<dyn FnOnce(Status) + Send>;

/// How a gate was opened: not yet, without a failure, or with one, whose status stands above it.
#[derive(Default)]
pub(super) struct Fate {
    word: AtomicU64,
    waits: Mutex<Waits>,
}

/// What a gate is closed for.
#[derive(Default)]
struct Waits {
    /// By what they wait for. The last one opens the gate.
    left: BTreeMap<(u64, u64), Wait>,
    failure: Option<Status>,
    /// Set when the driver has the gate: whatever is given to the stream from then on is behind it.
    open: Option<Open>,
}

struct Wait {
    awaited: Dependency,
    /// More than one call relies on it.
    joined: bool,
}

const OPENED: u64 = 1;
const FAILED: u64 = 2;

fn failed(status: Status) -> u64 {
    u64::from(status.0.cast_unsigned()) << 32 | FAILED
}

impl Fate {
    fn new(awaited: Dependency) -> Fate {
        let fate = Fate::default();
        fate.waits.lock().left.insert(awaited.key(), Wait { awaited, joined: false });
        fate
    }

    /// The driver has the gate.
    pub(super) fn set_given(&self, open: Open) {
        self.waits.lock().open = Some(open);
    }

    /// The driver has refused the gate. A record that was made meanwhile may have it.
    fn set_refused(&self) {
        self.word.store(OPENED, Ordering::Release);
    }

    /// One of the waits is over, or was refused: then others that rely on it fail.
    pub(super) fn end_wait(&self, awaited: Dependency, opening: Opening) {
        let mut waits = self.waits.lock();
        let joined = waits.left.remove(&awaited.key()).is_some_and(|wait| wait.joined);
        let status = if opening == Opening::Refused && joined { Status::OUT_OF_MEMORY } else { opening.status() };
        if status != Status::SUCCESS {
            waits.failure.get_or_insert(status);
        }
        if waits.left.is_empty() {
            self.word.store(waits.failure.map_or(OPENED, failed), Ordering::Release);
            let (open, status) = (waits.open.take(), waits.failure.unwrap_or(Status::SUCCESS));
            drop(waits);
            open.into_iter().for_each(|open| open(status));
        }
    }

    /// Lets one more call rely on a wait that the gate is closed for; false if there is none.
    fn join(&self, awaited: Dependency) -> bool {
        let mut waits = self.waits.lock();
        let is_given = waits.open.is_some();
        waits.left.get_mut(&awaited.key()).filter(|_| is_given).map(|wait| wait.joined = true).is_some()
    }

    /// Keeps the gate closed for one more wait; false if the driver does not have it, or it is open.
    fn add_wait(&self, awaited: Dependency) -> bool {
        let mut waits = self.waits.lock();
        let can = waits.open.is_some() && !waits.left.is_empty();
        if can {
            waits.left.insert(awaited.key(), Wait { awaited, joined: false });
        }
        can
    }

    /// What opens the gate, as far as that has not come.
    fn awaited(&self, found: &mut dyn FnMut(Dependency)) {
        self.waits.lock().left.values().for_each(|wait| found(wait.awaited));
    }

    fn is_open(&self) -> bool {
        self.word.load(Ordering::Acquire) != 0
    }

    fn is_success(&self) -> bool {
        self.word.load(Ordering::Acquire) == OPENED
    }

    fn failure(&self) -> Option<Status> {
        let word = self.word.load(Ordering::Acquire);
        (word & FAILED != 0).then(|| Status(((word >> 32) as u32).cast_signed()))
    }
}

/// The gates that something stands behind, but for those that were opened without a failure.
pub(super) type Fates = Arc<Vec<Arc<Fate>>>;

/// The first failure among them.
fn failure(fates: &Fates) -> Option<Status> {
    fates.iter().find_map(|fate| fate.failure())
}

/// What opens them.
fn all_awaited<'a>(fates: impl Iterator<Item = &'a Arc<Fate>>) -> Result<Vec<Dependency>> {
    let (mut all, mut has_memory) = (Vec::new(), true);
    fates.for_each(|fate| {
        fate.awaited(&mut |awaited| {
            has_memory &= all.try_reserve(1).is_ok();
            if has_memory {
                all.push(awaited);
            }
        });
    });
    if has_memory { Ok(all) } else { Err(Error::OutOfMemory) }
}

/// A gate that a stream has not passed.
struct Queued {
    fate: Arc<Fate>,
    /// It stands in the stream's own queue.
    own: bool,
}

/// The gates that a stream stands behind.
#[derive(Default)]
struct GatedStream {
    fates: Fates,
    /// Those that it has not passed, in its order.
    queued: VecDeque<Queued>,
    /// It was given something behind the last one.
    sealed: bool,
}

impl GatedStream {
    fn prune(&mut self) {
        if self.fates.iter().any(|fate| fate.is_success()) {
            Arc::make_mut(&mut self.fates).retain(|fate| !fate.is_success());
        }
        while self.queued.front().is_some_and(|gate| gate.fate.is_open()) {
            self.queued.pop_front();
        }
    }

    fn push(&mut self, fate: &Arc<Fate>, own: bool) -> Result<()> {
        let fates = Arc::make_mut(&mut self.fates);
        fates.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        self.queued.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        fates.push(fate.clone());
        self.queued.push_back(Queued { fate: fate.clone(), own });
        Ok(())
    }

    /// The gates in its own queue.
    fn own(&self) -> impl DoubleEndedIterator<Item = &Arc<Fate>> {
        self.queued.iter().filter(|gate| gate.own).map(|gate| &gate.fate)
    }
}

#[derive(Default)]
struct Streams {
    gated: BTreeMap<u64, GatedStream>,
    /// The streams that gevt has made, and that no others are ordered against: nobody else gives them work, or waits for them.
    own: BTreeSet<u64>,
    /// How many gates stand in the queues at most.
    queued: usize,
    /// Gates in the queues of streams that have ended.
    left: Vec<Arc<Fate>>,
    /// How many may be listed before those that have passed all their gates are struck out.
    crowded: usize,
}

impl Streams {
    /// Returns how many gates stand in the queues; exactly so if there are many.
    fn queued(&mut self) -> usize {
        if self.queued >= MANY {
            self.left.retain(|fate| !fate.is_open());
            self.gated.values_mut().for_each(GatedStream::prune);
            self.queued = self.left.len() + self.gated.values().map(|gated| gated.own().count()).sum::<usize>();
        }
        self.queued
    }

    /// Makes sure that streams which are given nothing more do not stay listed: each listing pays for its part.
    fn strike_out(&mut self) {
        if self.gated.len() > self.crowded {
            self.gated.values_mut().for_each(GatedStream::prune);
            self.gated.retain(|_, gated| !gated.fates.is_empty() || !gated.queued.is_empty());
            self.crowded = (2 * self.gated.len()).max(FEW);
        }
    }
}

/// The gates that each stream of a context stands behind.
#[derive(Default)]
pub(super) struct StreamFates {
    /// The streams that are listed.
    listed: AtomicUsize,
    streams: Mutex<Streams>,
}

impl StreamFates {
    /// Returns whether no stream of the context stands behind a gate.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.listed.load(Ordering::Relaxed) == 0
    }

    /// Forgets all: the context has been given back, and is used again.
    pub(super) fn clear(&self) {
        let mut streams = self.streams.lock();
        *streams = Streams::default();
        self.listed.store(0, Ordering::Relaxed);
    }

    /// gevt has made the stream. Another one with its number has ended.
    pub(super) fn add_made(&self, stream: u64, non_blocking: bool) {
        self.forget(stream);
        if non_blocking {
            self.streams.lock().own.insert(stream);
        }
    }

    /// The stream is to stand behind one more gate; an error if the queues have no room. `None` if it stands behind one already that will
    /// be opened for this wait, too. `joins` says that the number was never another stream's.
    pub(super) fn new_fate(&self, stream: u64, awaited: Dependency, joins: bool) -> Result<Option<(Arc<Fate>, bool)>> {
        let mut streams = self.streams.lock();
        streams.strike_out();
        let is_own = streams.own.contains(&stream);
        streams.gated.entry(stream).or_default().prune();
        let queued = streams.queued();
        let gated = streams.gated.entry(stream).or_default();
        if (joins || is_own) && gated.own().any(|fate| fate.join(awaited)) {
            return Ok(None);
        }
        let last = gated.own().next_back().filter(|_| is_own && queued >= MANY && !gated.sealed);
        if let Some(last) = last.filter(|last| last.add_wait(awaited)) {
            return Ok(Some((last.clone(), true)));
        }
        if queued >= MOST {
            return Err(Error::QueueFull);
        }
        let fate = Arc::new(Fate::new(awaited));
        gated.push(&fate, true)?;
        gated.sealed = false;
        streams.queued += 1;
        self.listed.store(streams.gated.len(), Ordering::Relaxed);
        Ok(Some((fate, false)))
    }

    /// The driver has refused the gate of that fate.
    pub(super) fn withdraw(&self, stream: u64, fate: &Arc<Fate>) {
        fate.set_refused();
        if let Some(gated) = self.streams.lock().gated.get_mut(&stream) {
            gated.queued.retain(|gate| !Arc::ptr_eq(&gate.fate, fate));
        }
    }

    /// The stream was given something, or is waited for: its gates are not closed for other waits. All streams if none is named.
    pub(super) fn seal(&self, stream: Option<u64>) {
        let mut streams = self.streams.lock();
        match stream {
            Some(stream) => streams.gated.get_mut(&stream).into_iter().for_each(|gated| gated.sealed = true),
            None => streams.gated.values_mut().for_each(|gated| gated.sealed = true),
        }
    }

    /// The stream stands behind what these gates belong to.
    pub(super) fn add(&self, stream: u64, more: &[Arc<Fate>]) -> Result<()> {
        let mut streams = self.streams.lock();
        streams.strike_out();
        let gated = streams.gated.entry(stream).or_default();
        gated.prune();
        // An open gate of another stream's does not keep this one's own ones in its queue.
        gated.queued.retain(|gate| gate.own || !gate.fate.is_open());
        for fate in more {
            if !gated.fates.iter().any(|known| Arc::ptr_eq(known, fate)) {
                gated.push(fate, false)?;
            }
        }
        self.listed.store(streams.gated.len(), Ordering::Relaxed);
        Ok(())
    }

    /// The gates that what the stream is given now stands behind; `None` if all are open without a failure.
    pub(super) fn of(&self, stream: u64) -> Option<Fates> {
        let mut streams = self.streams.lock();
        let gated = streams.gated.get_mut(&stream)?;
        gated.prune();
        let now = Some(gated.fates.clone()).filter(|fates| !fates.is_empty());
        if now.is_none() {
            streams.gated.remove(&stream);
            self.listed.store(streams.gated.len(), Ordering::Relaxed);
        }
        now
    }

    /// What opens the gates that the stream stands behind; that of all streams if none is named. Empty outside functions, where
    /// nobody asks.
    pub(super) fn awaited(&self, stream: Option<u64>) -> Result<Vec<Dependency>> {
        if !deadlock::is_inside_function() {
            return Ok(Vec::new());
        }
        let streams = self.streams.lock();
        let named = streams.gated.iter().filter(|(number, _)| stream.is_none_or(|stream| stream == **number));
        all_awaited(named.flat_map(|(_, gated)| gated.fates.iter()))
    }

    /// Refuses a stream that is done, and stands behind a gate that failed.
    pub(super) fn check(&self, stream: u64) -> Result<()> {
        self.of(stream).and_then(|fates| failure(&fates)).map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }

    /// As [`StreamFates::check`], and what the stream is given from now on is sound again.
    pub(super) fn take_failure(&self, stream: u64) -> Result<()> {
        let failed = self.check(stream);
        if failed.is_err()
            && let Some(gated) = self.streams.lock().gated.get_mut(&stream)
        {
            Arc::make_mut(&mut gated.fates).retain(|fate| fate.failure().is_none());
        }
        failed
    }

    /// As [`StreamFates::take_failure`], of all streams.
    pub(super) fn take_failures(&self) -> Result<()> {
        let streams = try_collect(self.streams.lock().gated.keys().map(|stream| Ok(*stream)))?;
        // All are taken, and the first is returned.
        streams
            .into_iter()
            .filter_map(|stream| self.take_failure(stream).err())
            .reduce(|first, _| first)
            .map_or(Ok(()), Err)
    }

    /// The stream has ended. What it was given is still done.
    pub(super) fn forget(&self, stream: u64) {
        let mut streams = self.streams.lock();
        streams.own.remove(&stream);
        if let Some(gated) = streams.gated.remove(&stream) {
            streams.left.extend(gated.own().filter(|fate| !fate.is_open()).cloned());
            self.listed.store(streams.gated.len(), Ordering::Relaxed);
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

    /// What the record stands behind, as something to wait for.
    pub(super) fn dependency(&'static self) -> Dependency {
        Dependency::new(std::ptr::from_ref(self) as u64, 1, |behind, position, found| {
            // SAFETY: the address of one of these, which are never freed.
            let behind = unsafe { &*(behind as *const Behind) };
            let fates = behind.fates();
            let all = fates.iter().flat_map(|fates| fates.iter());
            all.for_each(|fate| fate.awaited(&mut |awaited| found(position, awaited)));
        })
    }

    /// What opens the gates that the record stands behind. Empty outside functions, where nobody asks.
    pub(super) fn awaited(&self) -> Result<Vec<Dependency>> {
        if !deadlock::is_inside_function() {
            return Ok(Vec::new());
        }
        let fates = self.fates();
        all_awaited(fates.iter().flat_map(|fates| fates.iter()))
    }

    /// Refuses a record that is reached, and stands behind a gate that failed.
    pub(super) fn check(&self) -> Result<()> {
        let failed = self.0.lock().as_ref().and_then(failure);
        failed.map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }
}

#[cfg(test)]
#[path = "fates_tests.rs"]
mod tests;
