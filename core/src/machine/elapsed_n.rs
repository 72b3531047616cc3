//! The times of many pairs of events by one call.

use super::context::ContextId;
use super::event::{self, EVENTS, EventSlot};
use crate::backend::{ManyTimes, Mark};
use crate::error::Result;
use crate::process;
use crate::table::{Event, Guard};

/// The mark of the last record of an event of the context; none if one is being made. The backend knows which marks have times.
#[inline]
fn last_record(event: Event, context: ContextId) -> Option<Mark> {
    let found = EVENTS.find(event.0).ok()?;
    if found.word.recording() != 0 || found.slot.value.bound_to() != context {
        return None;
    }
    // Of that context if the word has not changed: the mark of another event may be of any backend.
    found.read(|event| event.cell.words())
}

/// A context whose times cost a driver call, and are read together.
#[derive(Clone, Copy)]
pub(super) struct Times {
    context: ContextId,
    times: &'static dyn ManyTimes,
}

impl Times {
    /// The times of the context of an event, which the caller keeps in use.
    pub(super) fn of(event: &Guard<'static, EventSlot>) -> Option<Times> {
        let context = event.context().filter(|context| context.check().is_ok())?;
        let times = context.backend.many_times().filter(|_| process::is_normal_and_untraced())?;
        Some(Times { context: context.id, times })
    }

    /// The time between two records that have times. Their completion is not noted, which would take longer than all the rest.
    #[inline]
    pub(super) fn elapsed(self, start: Event, end: Event, ahead: usize) -> Option<i64> {
        self.times.elapsed([last_record(start, self.context)?, last_record(end, self.context)?], ahead)
    }
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
        // Keeps the context as long as its marks are used.
        let first = pairs.clone().next().and_then(|[start, _]| event::get(start.0).ok());
        let times = first.as_ref().and_then(Times::of);
        let mut ahead = 2 * pairs.len();
        for (at, [start, end]) in pairs.enumerate() {
            let ns = times.and_then(|times| times.elapsed(start, end, ahead));
            if ns.is_none() {
                // A timestamp that is missing stays so: it is not read again with each of the others.
                ahead = 0;
            }
            give(at, ns.map_or_else(|| Event::elapsed(start, end), |ns| Ok(Some(ns))));
        }
        Ok(())
    }
}
