//! The times of many pairs of events by one call.

use super::context::ContextId;
use super::event::{self, EVENTS, EventSlot};
use super::flags::EventFlags;
use super::state::State;
use super::word;
use crate::backend::{ManyTimes, Mark};
use crate::error::Result;
use crate::process;
use crate::table::{Event, Found};

/// A timed event of the context as it is found, and the mark of its last record; none if it has no record, or one that is being made.
#[inline]
fn last_record(event: Event, context: ContextId) -> Option<(Found<'static, EventSlot>, Mark)> {
    let found = EVENTS.find(event.0).ok()?;
    let (word, event) = (found.word, &found.slot.value);
    let is_recorded = matches!(State::of(word), State::Pending | State::Complete) && word.recording() == 0;
    let is_timed = !event.is_imported() && !event.flags().contains(EventFlags::DISABLE_TIMING);
    if !is_recorded || event.bound_to() != context || !is_timed {
        return None;
    }
    // Of that context if the word has not changed: the mark of another event may be of any backend.
    found.read(|event| event.cell.words()).map(|mark| (found, mark))
}

/// The time between two records that have times.
#[inline]
fn elapsed([start, end]: [Event; 2], context: ContextId, times: &dyn ManyTimes, ahead: usize) -> Option<i64> {
    let ((start, from), (end, to)) = (last_record(start, context)?, last_record(end, context)?);
    let ns = times.elapsed([from, to], ahead)?;
    word::remember(start.slot, start.word);
    word::remember(end.slot, end.word);
    Some(ns)
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
        let context = first.as_ref().and_then(|first| first.context()).filter(|context| context.check().is_ok());
        let times = context.and_then(|context| Some((context.id, context.backend.many_times()?)));
        let times = times.filter(|_| process::is_normal_and_untraced());
        let mut ahead = 2 * pairs.len();
        for (at, pair) in pairs.enumerate() {
            let ns = times.and_then(|(context, times)| elapsed(pair, context, times, ahead));
            if ns.is_none() {
                // A timestamp that is missing stays so: it is not read again with each of the others.
                ahead = 0;
            }
            give(at, ns.map_or_else(|| Event::elapsed(pair[0], pair[1]), |ns| Ok(Some(ns))));
        }
        Ok(())
    }
}
