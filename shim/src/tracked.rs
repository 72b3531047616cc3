//! What is kept of the events at one address.

use crate::driver::contexts;
use crate::driver::types::{CUdevice, CUstream};
use crate::map::Value;
use crate::misuse::Misuse;
use cuda_abi::{EVENT_DISABLE_TIMING, EVENT_INTERPROCESS};
use gevt_core::lock::Mutex;
use gevt_core::native_events::{Killed, NativeEvent, Seen};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// The flags of an event that was opened: it has no timing and is another process's.
const OPENED: u32 = EVENT_DISABLE_TIMING | EVENT_INTERPROCESS;
/// Beside the flags of its making: the event was made out of sight.
pub(crate) const FOREIGN: u32 = 1 << 31;
/// The device of an event that no other process has.
pub(crate) const NO_DEVICE: CUdevice = -1;

/// What is known of the events at one address.
pub(crate) struct TrackedEvent {
    pub(crate) known: NativeEvent,
    /// How the present event was made.
    flags: AtomicU32,
    /// The device of an interprocess event.
    device: AtomicI32,
    /// How often the present event was opened, and how many destroys it takes: a driver may give one pointer for all
    /// opens of another process's event. 0 for an event that was not opened. Changed under [`OPENS`].
    opens: AtomicU32,
}

/// Held by a thread that opens an event, or destroys one that was opened: the count and the event's life change together.
static OPENS: Mutex<()> = Mutex::new(());

impl Value for TrackedEvent {
    fn new() -> TrackedEvent {
        TrackedEvent {
            known: NativeEvent::new(),
            flags: AtomicU32::new(0),
            device: AtomicI32::new(NO_DEVICE),
            opens: AtomicU32::new(0),
        }
    }

    #[inline]
    fn life(&self) -> &NativeEvent {
        &self.known
    }
}

/// What a destroy ends.
pub(crate) enum Ended {
    /// The driver alone knows of the event.
    Nothing,
    /// One of several opens of an event.
    Open,
    Event(Killed),
}

impl TrackedEvent {
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    /// An event lives here from now on, which `revive` says. Returns false if the event is not as it was seen.
    pub(crate) fn revive(
        &self,
        seen: Seen,
        flags: u32,
        device: CUdevice,
        revive: impl Fn(&NativeEvent, Seen) -> bool,
    ) -> bool {
        let revived = revive(&self.known, seen);
        if revived {
            self.opens.store(0, Ordering::Relaxed);
            self.flags.store(flags, Ordering::Relaxed);
            self.device.store(device, Ordering::Relaxed);
        }
        revived
    }

    /// Returns whether the stream is known to be of another device than the event.
    #[cold]
    pub(crate) fn is_of_another_device(&self, stream: CUstream) -> bool {
        let device = self.device.load(Ordering::Relaxed);
        device != NO_DEVICE && contexts::device_of(stream).is_some_and(|other| other != device)
    }

    /// One destroy more to come: of a new event, or of the one that is open already. Returns false if the event is not as it was
    /// seen.
    pub(crate) fn open(&self, seen: Seen, device: CUdevice) -> bool {
        let _lock = OPENS.lock();
        let before = if seen.is_live() { self.opens.load(Ordering::Relaxed) } else { 0 };
        let is_as_seen = if before == 0 { self.known.revive_shared(seen) } else { self.known.seen() == seen };
        if is_as_seen {
            self.opens.store(before.saturating_add(1), Ordering::Relaxed);
            self.flags.store(OPENED, Ordering::Relaxed);
            self.device.store(device, Ordering::Relaxed);
        }
        is_as_seen
    }

    /// One destroy less to come; returns `None` if the event that was seen does not live any more.
    pub(crate) fn end(&self, seen: Seen) -> Option<Ended> {
        if self.opens.load(Ordering::Relaxed) == 0 {
            return self.known.kill(seen).map(Ended::Event);
        }
        let _lock = OPENS.lock();
        let opens = self.opens.load(Ordering::Relaxed);
        if opens > 1 && self.known.seen().is_live() {
            self.opens.store(opens - 1, Ordering::Relaxed);
            return Some(Ended::Open);
        }
        self.known.kill(seen).map(Ended::Event)
    }

    /// The driver has refused a destroy that was not the last one.
    pub(crate) fn reopen(&self) {
        let _lock = OPENS.lock();
        self.opens.store(self.opens.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }

    pub(crate) fn has_no_time(&self, seen: Seen, address: usize) -> Option<Misuse> {
        if self.flags.load(Ordering::Relaxed) & EVENT_DISABLE_TIMING != 0 {
            return Some(Misuse::NoTiming(address));
        }
        seen.is_unrecorded().then_some(Misuse::NeverRecorded(address))
    }
}

#[cfg(test)]
#[path = "tracked_tests.rs"]
mod tests;
