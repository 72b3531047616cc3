//! What is kept of the events, or of the streams, at one address.

use crate::driver::address::may_be_object;
use crate::driver::contexts;
use crate::driver::types::{CUdevice, CUstream};
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::settings::STRICT;
use cuda_abi::{EVENT_DISABLE_TIMING, EVENT_INTERPROCESS};
use gevt_core::lock::Mutex;
use gevt_core::native_events::{Killed, NativeEvent, Seen};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Beside the flags of its making: the event is another process's.
const OPENED: u32 = 1 << 29;
/// Beside the flags of its making: the event was made out of sight.
pub(crate) const FOREIGN: u32 = 1 << 31;
/// Beside the flags of its making: the event was opened while it was open, and the driver alone knows how many destroys it takes. A
/// driver may give one pointer for all opens of another process's event.
const OPENED_AGAIN: u32 = 1 << 30;
/// The device of an event that no other process has.
pub(crate) const NO_DEVICE: CUdevice = -1;

/// Held by a thread that opens an event, or destroys one that was opened: the flags and the event's life change together.
static OPENS: Mutex<()> = Mutex::new(());

/// What is known of the events at one address. A stream has the life of an event that is never recorded.
pub(crate) struct Tracked {
    pub(crate) known: NativeEvent,
    /// How the present event was made.
    flags: AtomicU32,
    /// The device of an interprocess event.
    device: AtomicI32,
}

impl Tracked {
    /// What serves no pointer yet.
    pub(crate) fn new() -> Tracked {
        Tracked { known: NativeEvent::new(), flags: AtomicU32::new(0), device: AtomicI32::new(NO_DEVICE) }
    }
}

/// The possible faults of a pointer that is not known to be live: destroyed, never issued by a driver, or made unseen.
pub(crate) type Suspicion = [Misuse; 3];

/// Judges a pointer that is not known to be live. No question to the driver settles whether a destroyed event or stream lives again: the
/// question itself may crash it. So it is refused only while nothing shows that objects are made out of sight.
#[cold]
pub(crate) fn judge(address: usize, mode: Mode, destroyed: Option<&Tracked>, which: Suspicion) -> Result<(), Misuse> {
    let [was_destroyed, is_none, is_unknown] = which;
    match destroyed {
        None if !may_be_object(address) => Err(is_none),
        None if mode.has(STRICT) => Err(is_unknown),
        None => Ok(()),
        Some(_) if mode.has(STRICT) => Err(was_destroyed),
        Some(tracked) if mode.trusts_no_memory() || tracked.has(FOREIGN) => Ok(()),
        Some(_) if process::has_foreign() => {
            process::distrust("a destroyed event or stream was used, and others are made out of sight of the drop-in");
            // The driver may crash in the call.
            process::tell();
            Ok(())
        }
        Some(_) => Err(was_destroyed),
    }
}

impl Tracked {
    pub(crate) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags() & flag != 0
    }

    /// An event lives here from now on, which `revive` says. Returns false if the event is not as it was seen.
    pub(crate) fn revive(&self, seen: Seen, flags: u32, device: CUdevice, is_shared: bool) -> bool {
        let revived = self.known.revive(seen, is_shared);
        if revived {
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

    /// Another process's event was opened. Returns false if the event is not as it was seen.
    pub(crate) fn open(&self, seen: Seen, device: CUdevice) -> bool {
        let _lock = OPENS.lock();
        if seen.is_live() && self.has(OPENED) {
            self.flags.fetch_or(OPENED_AGAIN, Ordering::Relaxed);
            return self.known.seen() == seen;
        }
        self.revive(seen, EVENT_DISABLE_TIMING | EVENT_INTERPROCESS | OPENED, device, true)
    }

    /// Begins a destroy. Returns `None` if the event that was seen does not live any more, and nothing to kill if the driver alone knows
    /// whether this is its end.
    pub(crate) fn end(&self, seen: Seen) -> Option<Option<Killed>> {
        let _lock = self.has(OPENED).then(|| OPENS.lock());
        if self.has(OPENED_AGAIN) { Some(None) } else { self.known.kill(seen).map(Some) }
    }

    pub(crate) fn has_no_time(&self, seen: Seen, address: usize) -> Option<Misuse> {
        if self.has(EVENT_DISABLE_TIMING) {
            return Some(Misuse::NoTiming(address));
        }
        seen.is_unrecorded().then_some(Misuse::NeverRecorded(address))
    }
}

#[cfg(test)]
#[path = "tracked_tests.rs"]
mod tests;
