//! The times of many pairs of events by one call.

use super::context::ContextId;
use super::event::{self, EVENTS, EventSlot};
use super::flags::EventFlags;
use super::query::announce_done;
use super::state::State;
use crate::backend::{Backend, Mark};
use crate::error::Result;
use crate::probe;
use crate::process;
use crate::table::{Event, Found};

/// A timed event of the context as it is found, and the mark of its last record; none if it has no record, or one that is being made.
fn last_record(event: Event, context: ContextId, backend: &dyn Backend) -> Option<(Found<'static, EventSlot>, Mark)> {
    let found = EVENTS.find(event.0).ok()?;
    let (word, event) = (found.word, &found.slot.value);
    let is_recorded = matches!(State::of(word), State::Pending | State::Complete) && word.recording() == 0;
    let is_timed = !event.is_imported() && !event.flags().contains(EventFlags::DISABLE_TIMING);
    if !is_recorded || event.bound_to() != context || !is_timed {
        return None;
    }
    // Of that context if the word has not changed: the mark of another event may be of any backend.
    found.read(|event| backend.mark(&event.cell)).map(|mark| (found, mark))
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
        // Keeps the context as long as the marks are used.
        let first = pairs.clone().next().and_then(|[start, _]| event::get(start.0).ok());
        let context = first.as_ref().and_then(|first| first.context()).filter(|context| context.check().is_ok());
        let together = context.and_then(|context| Some((context, context.backend.many_times()?)));
        let together = together.filter(|_| pairs.len() > 1 && !probe::is_on());
        let (mut seen, mut marks, mut times) = (Vec::new(), Vec::new(), Vec::new());
        // Without the memory, each time is read by itself.
        let reserved = seen.try_reserve_exact(pairs.len()).and_then(|()| marks.try_reserve_exact(pairs.len()));
        if let (Some((context, together)), Ok(())) =
            (together, reserved.and_then(|()| times.try_reserve_exact(pairs.len())))
        {
            for [start, end] in pairs.clone() {
                let of = |event| last_record(event, context.id, &*context.backend);
                let pair = of(start).and_then(|start| Some((start, of(end)?)));
                let (pair, mark) = pair.map(|((start, from), (end, to))| ([start, end], [from, to])).unzip();
                seen.push(pair);
                marks.push(mark.unwrap_or_default());
            }
            times.resize(pairs.len(), None);
            together.elapsed_n(&marks, &mut times);
        }
        let found = seen.into_iter().zip(times).map(|(seen, ns)| {
            let events = seen.filter(|events| ns.is_some() && events.iter().all(Found::is_unchanged))?;
            events.iter().for_each(|event| announce_done(&event.slot.value));
            ns
        });
        for ((at, [start, end]), ns) in pairs.enumerate().zip(found.chain(std::iter::repeat(None))) {
            give(at, ns.map_or_else(|| Event::elapsed(start, end), |ns| Ok(Some(ns))));
        }
        Ok(())
    }
}
