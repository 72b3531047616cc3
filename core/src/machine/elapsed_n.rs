//! The times of many pairs of events by one call.

use super::context::BackendContext;
use super::elapsed::{EventGuard, between, known};
use super::event;
use crate::backend::Cell;
use crate::error::Result;
use crate::process;
use crate::table::Event;

impl Event {
    /// Gives `give` the position of each pair of a start and an end, and its [`Event::elapsed`].
    ///
    /// A backend whose times cost a driver call reads those of all pairs together.
    pub fn elapsed_n(
        pairs: impl ExactSizeIterator<Item = [Event; 2]> + Clone,
        mut give: impl FnMut(usize, Result<Option<i64>>),
    ) -> Result<()> {
        process::check()?;
        let mut unknown = Vec::new();
        // Without the memory, each time is read by itself.
        let together = pairs.len() > 1 && unknown.try_reserve_exact(pairs.len()).is_ok();
        for (at, [start, end]) in pairs.enumerate() {
            if let Some(ns) = known(start.0, end.0) {
                give(at, Ok(Some(ns)));
            } else if !together {
                give(at, Event::elapsed(start, end));
            } else {
                match event::get(start.0).and_then(|start| Ok([start, event::get(end.0)?])) {
                    Ok(pair) => unknown.push((at, pair)),
                    Err(error) => give(at, Err(error)),
                }
            }
        }
        read_times(&unknown);
        for (at, pair) in unknown {
            give(at, between(&pair));
        }
        Ok(())
    }
}

/// Lets each context read the times that its events have, all at once.
fn read_times(pairs: &[(usize, [EventGuard; 2])]) {
    let events = || pairs.iter().flat_map(|(_, pair)| pair);
    let mut read: Vec<&BackendContext> = Vec::new();
    for context in events().filter_map(|event| event.context()) {
        if read.iter().any(|other| other.id == context.id) {
            continue;
        }
        let is_its = |event: &&EventGuard| event.context().is_some_and(|other| other.id == context.id);
        let cells: &mut dyn Iterator<Item = &Cell> = &mut events().filter(is_its).map(|event| &event.cell);
        context.backend.read_times(cells);
        read.push(context);
    }
}
