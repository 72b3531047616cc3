//! The marks of a CUDA context: a native event, the context, and whether processes share the event, or may.

use super::cell::CudaCell;
use super::context::Cuda;
use super::gate_failures::Gated;
use crate::backend::{Mark, RecordRef, UNPINNED};
use crate::error::Result;
use crate::pin::Pin;
use crate::table::Life;
use cudarc::driver::sys::CUevent;

/// The native event of a mark; null if nothing was recorded.
pub(super) fn event(Mark([event, ..]): Mark) -> CUevent {
    event as CUevent
}

/// The context of the event of a mark, and whether another process has made that event, or may have.
pub(super) fn origin(Mark([_, context, foreign]): Mark) -> (&'static Cuda, bool) {
    // SAFETY: only `Cuda::mark_of` makes this backend's marks, and takes the address of a context that is never freed.
    (unsafe { &*(context as *const Cuda) }, foreign != 0)
}

/// Fails if a gate before the reached mark failed.
fn check_gates(mark: Mark) -> Result<()> {
    origin(mark).0.stream_gates.check(Gated::Record(mark.0[0]))
}

/// Pins the native objects of an event and of another object. A default stream has no life.
#[inline]
pub(super) fn pin(natives: [u64; 2], event: Life<'_>, other: Option<Life<'_>>) -> Option<Pin> {
    Pin::new(natives).filter(|_| event.lasts() && other.is_none_or(Life::lasts))
}

impl Cuda {
    /// The mark of a native event of this context's. Processes share it, or may, or only this context knows it.
    #[inline]
    pub(super) fn mark_of(&'static self, event: u64, is_shared: bool) -> Mark {
        if event == 0 { Mark::default() } else { Mark([event, std::ptr::from_ref(self) as u64, is_shared.into()]) }
    }

    /// The mark of a record, with a pin of its native event unless that lives without.
    #[inline]
    pub(super) fn find(&'static self, record: RecordRef<'_>) -> Result<(Mark, Option<Pin>)> {
        let event = match record {
            RecordRef::Held(mark) => return Ok((mark, None)),
            RecordRef::Last(event) => event,
        };
        let cell = CudaCell::of(event.cell);
        let Some(life) = event.life else { return Ok((self.mark_of(cell.native(), cell.is_shared()), None)) };
        let native = cell.unheld_native();
        let pin = pin([native, 0], life, None).ok_or(UNPINNED)?;
        Ok((self.mark_of(native, false), Some(pin)))
    }

    /// Like [`Backend::reached`](crate::backend::Backend::reached) for a mark whose native event lives.
    #[inline]
    pub(super) fn has_reached(&self, mark: Mark) -> Result<bool> {
        if event(mark).is_null() {
            return Ok(true);
        }
        // SAFETY: the event lives by the caller's account, and as long as its context, which `ask` has found alive.
        let reached = self.ask(|| unsafe { (self.driver.event_query)(event(mark)) })?;
        if reached {
            check_gates(mark)?;
        }
        Ok(reached)
    }
}
