//! How the gates that a stream waits for were opened. A stream of the driver's goes on behind a gate that was opened with a failure; what
//! was recorded there fails all the same.
//!
//! A driver's queue holds about a thousand pieces of work of a stream, and a call that finds it full blocks until the stream has come on:
//! behind a closed gate that may be for ever. So a stream has a bound on the gates that stand in its queue, and a wait of a stream of gevt's
//! own for what the stream itself waits for already adds none. A stream that was adopted may end without gevt's notice, and its address be
//! another one's: there each wait adds one.

use crate::backend::deadlock::{self, Dependency};
use crate::collect::try_collect;
use crate::error::{Error, Result};
use crate::status::Status;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How many gates stand in the queue of a stream: the header names the number, at gevt_stream_wait.
const MOST: usize = 256;

/// How a gate was opened: not yet, without a failure, or with one, whose status stands above it.
pub(super) struct Fate {
    word: AtomicU64,
    /// What opens the gate.
    awaited: Dependency,
}

const OPENED: u64 = 1;
const FAILED: u64 = 2;
/// More than one wait relies on the gate, which is not open yet.
const JOINED: u64 = 4;

fn failed(status: Status) -> u64 {
    u64::from(status.0.cast_unsigned()) << 32 | FAILED
}

impl Fate {
    pub(super) fn set(&self, status: Status) {
        self.word.store(if status == Status::SUCCESS { OPENED } else { failed(status) }, Ordering::Release);
    }

    /// The wait that made the gate was refused. Others that rely on the gate fail.
    pub(super) fn refuse(&self) {
        let refused = |word| Some(if word & JOINED == 0 { OPENED } else { failed(Status::OUT_OF_MEMORY) });
        let _ = self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, refused);
    }

    /// Lets one more wait rely on the gate; false if it is open.
    fn join(&self) -> bool {
        let joined = |word| (word & (OPENED | FAILED) == 0).then_some(word | JOINED);
        self.word.fetch_update(Ordering::AcqRel, Ordering::Acquire, joined).is_ok()
    }

    /// What opens the gate, if it is closed.
    fn awaited(&self) -> Option<Dependency> {
        (!self.is_open()).then_some(self.awaited)
    }

    fn is_open(&self) -> bool {
        self.word.load(Ordering::Acquire) & (OPENED | FAILED) != 0
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

fn prune(fates: &mut Fates) {
    if fates.iter().any(|fate| fate.is_success()) {
        Arc::make_mut(fates).retain(|fate| !fate.is_success());
    }
}

/// A gate that a stream has not passed.
struct Queued {
    fate: Arc<Fate>,
    /// It stands in the stream's own queue.
    own: bool,
    /// The driver has it.
    given: bool,
}

/// The gates that a stream stands behind.
#[derive(Default)]
struct GatedStream {
    fates: Fates,
    /// Those that it has not passed, in its order.
    queued: VecDeque<Queued>,
}

impl GatedStream {
    fn prune(&mut self) {
        prune(&mut self.fates);
        while self.queued.front().is_some_and(|gate| gate.fate.is_open()) {
            self.queued.pop_front();
        }
    }

    fn push(&mut self, fate: &Arc<Fate>, own: bool) -> Result<()> {
        let fates = Arc::make_mut(&mut self.fates);
        fates.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        self.queued.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        fates.push(fate.clone());
        self.queued.push_back(Queued { fate: fate.clone(), own, given: false });
        Ok(())
    }
}

/// The gates that each stream of a context stands behind.
#[derive(Default)]
pub(super) struct StreamFates {
    /// The streams that are listed.
    listed: AtomicUsize,
    streams: Mutex<BTreeMap<u64, GatedStream>>,
    /// The streams that gevt has made.
    made: Mutex<BTreeSet<u64>>,
}

impl StreamFates {
    /// Returns whether no stream of the context stands behind a gate.
    #[inline]
    pub(super) fn are_none(&self) -> bool {
        self.listed.load(Ordering::Relaxed) == 0
    }

    /// gevt has made the stream: nobody else has its number until [`StreamFates::forget`]. An adopted one that has ended may have had it.
    pub(super) fn add_made(&self, stream: u64) {
        self.forget(stream);
        self.made.lock().insert(stream);
    }

    /// Returns whether gevt has made the stream.
    pub(super) fn is_made(&self, stream: u64) -> bool {
        self.made.lock().contains(&stream)
    }

    /// The stream is to stand behind one more gate; an error if its queue has no room. With `joins`, `None` if it stands behind one
    /// for the same: then what is listed under the number is this stream's, and no former one's.
    pub(super) fn new_fate(&self, stream: u64, awaited: Dependency, joins: bool) -> Result<Option<Arc<Fate>>> {
        let mut streams = self.streams.lock();
        let gated = streams.entry(stream).or_default();
        gated.prune();
        let is_same = |gate: &Queued| gate.given && gate.fate.awaited.is(awaited) && gate.fate.join();
        if joins && gated.queued.iter().any(is_same) {
            return Ok(None);
        }
        if gated.queued.iter().filter(|gate| gate.own).count() >= MOST {
            return Err(Error::QueueFull);
        }
        let fate = Arc::new(Fate { word: AtomicU64::new(0), awaited });
        gated.push(&fate, true)?;
        self.listed.store(streams.len(), Ordering::Relaxed);
        Ok(Some(fate))
    }

    /// The driver has the gate of that fate: whatever is given to the stream from now on is behind it.
    pub(super) fn given(&self, stream: u64, fate: &Arc<Fate>) {
        let mut streams = self.streams.lock();
        let queued = streams.get_mut(&stream).map(|gated| &mut gated.queued);
        if let Some(gate) = queued.and_then(|queued| queued.iter_mut().rfind(|gate| Arc::ptr_eq(&gate.fate, fate))) {
            gate.given = true;
        }
    }

    /// The driver has refused the gate of that fate.
    pub(super) fn withdraw(&self, stream: u64, fate: &Arc<Fate>) {
        // A record that was made meanwhile may have it.
        fate.set(Status::SUCCESS);
        if let Some(gated) = self.streams.lock().get_mut(&stream) {
            gated.queued.retain(|gate| !Arc::ptr_eq(&gate.fate, fate));
        }
    }

    /// The stream stands behind what these gates belong to.
    pub(super) fn add(&self, stream: u64, more: &[Arc<Fate>]) -> Result<()> {
        let mut streams = self.streams.lock();
        let gated = streams.entry(stream).or_default();
        gated.prune();
        // An open gate of another stream's does not keep this one's own ones in its queue.
        gated.queued.retain(|gate| gate.own || !gate.fate.is_open());
        for fate in more {
            if !gated.fates.iter().any(|known| Arc::ptr_eq(known, fate)) {
                gated.push(fate, false)?;
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
        let gated = streams.get_mut(&stream)?;
        gated.prune();
        let now = Some(gated.fates.clone()).filter(|fates| !fates.is_empty());
        if now.is_none() {
            streams.remove(&stream);
            self.listed.store(streams.len(), Ordering::Relaxed);
        }
        now
    }

    /// What opens the gates that the stream stands behind; that of all streams if none is named. Empty outside functions, where nobody asks.
    pub(super) fn awaited(&self, stream: Option<u64>) -> Result<Vec<Dependency>> {
        if self.are_none() || !deadlock::is_inside_function() {
            return Ok(Vec::new());
        }
        let streams = self.streams.lock();
        let named = streams.iter().filter(|(number, _)| stream.is_none_or(|stream| stream == **number));
        try_collect(named.flat_map(|(_, gated)| gated.fates.iter().filter_map(|fate| fate.awaited())).map(Ok))
    }

    /// Refuses a stream that is done, and stands behind a gate that failed.
    pub(super) fn check(&self, stream: u64) -> Result<()> {
        self.of(stream).and_then(|fates| failure(&fates)).map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }

    /// As [`StreamFates::check`], and what the stream is given from now on is sound again.
    pub(super) fn take_failure(&self, stream: u64) -> Result<()> {
        let failed = self.check(stream);
        if failed.is_err()
            && let Some(gated) = self.streams.lock().get_mut(&stream)
        {
            Arc::make_mut(&mut gated.fates).retain(|fate| fate.failure().is_none());
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
        self.made.lock().remove(&stream);
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

    /// What the record stands behind, as something to wait for.
    pub(super) fn dependency(&'static self) -> Dependency {
        Dependency::new(std::ptr::from_ref(self) as u64, 1, |behind, position, found| {
            // SAFETY: the address of one of these, which are never freed.
            let behind = unsafe { &*(behind as *const Behind) };
            let fates = behind.fates();
            let awaited = fates.iter().flat_map(|fates| fates.iter()).filter_map(|fate| fate.awaited());
            awaited.for_each(|awaited| found(position, awaited));
        })
    }

    /// What opens the gates that the record stands behind. Empty outside functions, where nobody asks.
    pub(super) fn awaited(&self) -> Result<Vec<Dependency>> {
        if !deadlock::is_inside_function() {
            return Ok(Vec::new());
        }
        let fates = self.fates();
        try_collect(fates.iter().flat_map(|fates| fates.iter()).filter_map(|fate| fate.awaited()).map(Ok))
    }

    /// Refuses a record that is reached, and stands behind a gate that failed.
    pub(super) fn check(&self) -> Result<()> {
        let failed = self.0.lock().as_ref().and_then(failure);
        failed.map_or(Ok(()), |status| Err(Error::EventFailed(status)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: u64 = 16;

    fn awaited(position: u64) -> Dependency {
        Dependency::unknown(1, position)
    }

    /// The stream waits for that position.
    fn wait(fates: &StreamFates, position: u64) -> Option<Arc<Fate>> {
        let fate = fates.new_fate(STREAM, awaited(position), fates.is_made(STREAM)).expect("there is room");
        fate.inspect(|fate| fates.given(STREAM, fate))
    }

    #[test]
    fn only_a_stream_of_gevt_s_own_relies_on_a_gate_that_it_has() {
        let fates = StreamFates::default();
        assert!(wait(&fates, 1).is_some());
        assert!(wait(&fates, 1).is_some(), "the stream may be another one with the same address");
        fates.add_made(STREAM);
        assert!(wait(&fates, 1).is_some(), "the gates were those of a stream that has ended");
        assert!(wait(&fates, 1).is_none());
        fates.forget(STREAM);
        assert!(wait(&fates, 1).is_some());
    }

    #[test]
    fn a_refused_gate_takes_no_room() {
        let fates = StreamFates::default();
        for position in 1..MOST as u64 {
            wait(&fates, position);
        }
        for _ in 0..2 {
            let refused = wait(&fates, MOST as u64).expect("a gate of its own");
            fates.withdraw(STREAM, &refused);
        }
        wait(&fates, MOST as u64);
        assert!(fates.new_fate(STREAM, awaited(0), false).is_err());
    }
}
