//! The times of many pairs of events by one call.

use super::backend_context::BackendContext;
use super::event::{EVENTS, EventSlot};
use crate::error::Result;
use crate::pin::Pin;
use crate::process;
use crate::table::{Event, Found};

/// The context of an event, and a pin of its device, whose times cost a driver call and are read together.
#[inline]
pub(super) fn pin(found: Found<'static, EventSlot>) -> Option<(&'static BackendContext, Pin)> {
    let context = found.slot.value.context()?;
    Some((context, context.pin_for(found.life())?))
}

/// The time between two records that have times, in a pinned device. Their completion is not noted, which would take longer than all the rest.
#[inline]
pub(super) fn elapsed_in(context: &BackendContext, start: Event, end: Event, ahead: usize) -> Option<i64> {
    let is_there = |found: &Found<'_, EventSlot>| found.slot.value.is_bound_to(context) && found.is_unchanged();
    let find = |event: Event| EVENTS.find_live(event.0).filter(is_there).map(Found::to_ref);
    context.backend.elapsed(find(start)?, find(end)?, ahead).ok()?
}

impl Event {
    /// Gives `give` the position of each pair of a start and an end, and its [`Event::elapsed`].
    ///
    /// A backend whose times cost a driver call reads together those of all pairs in the context of the first event.
    pub fn elapsed_n(
        pairs: impl ExactSizeIterator<Item = [Event; 2]> + Clone,
        mut give: impl FnMut(usize, Result<Option<i64>>),
    ) -> Result<()> {
        process::check()?;
        let pinned = pairs.clone().next().and_then(|[start, _]| pin(EVENTS.find_live(start.0)?));
        let mut ahead = 2 * pairs.len();
        for (at, [start, end]) in pairs.enumerate() {
            let ns = pinned.as_ref().and_then(|(context, _)| elapsed_in(context, start, end, ahead));
            if let Some(ns) = ns {
                give(at, Ok(Some(ns)));
            } else {
                // A timestamp that is missing stays so: it is not read again with each of the others.
                ahead = 0;
                give(at, Event::elapsed(start, end));
            }
        }
        Ok(())
    }
}
