//! Record: marks the present end of a stream.

use super::stream::{self, Stream, is_external};
use super::{event, state};
use crate::backend::Recorded;
use crate::error::{Error, Result};
use crate::process;
use crate::sync::spin;
use std::sync::atomic::Ordering;
use crate::table::{Handle, Slot, Stored, Word};

/// Records the event on the stream.
pub(crate) fn record(event: Handle, stream: Handle, flags: u32) -> Result<()> {
    process::check()?;
    let table = event::Event::table();
    let slot = table.find(event)?;
    let stream = stream::get(stream)?;
    let external = is_external(flags)?;
    stream.context.check()?;
    let mut recording = Recording::begin(slot, event)?;
    recording.outcome = Some(mark(slot, &stream, external)?);
    Ok(())
}

fn mark(slot: &'static Slot<event::Event>, stream: &Stream, external: bool) -> Result<Recorded> {
    if external {
        stream.context.backend.check_external(stream.native)?;
    }
    slot.value.bind(stream.context, stream.through)?;
    stream.context.backend.record(stream.native, &slot.value.cell, slot.value.flags().native(), external)
}

/// A record in progress: queries see it in the word, and the event is not recycled before it ends.
struct Recording {
    slot: &'static Slot<event::Event>,
    handle: Handle,
    before: Word,
    outcome: Option<Recorded>,
}

impl Recording {
    fn begin(slot: &'static Slot<event::Event>, handle: Handle) -> Result<Recording> {
        loop {
            let mine = |word: Word| word.is_live() && word.generation() == handle.generation();
            if let Some((before, now)) = slot.word.update(|word| state::begin_record(word).filter(|_| mine(word))) {
                if now.records() == 0 {
                    slot.value.wraps.fetch_add(1, Ordering::Relaxed);
                }
                return Ok(Recording { slot, handle, before, outcome: None });
            }
            if !mine(slot.word.load()) {
                return Err(Error::StaleHandle(crate::table::Kind::Event));
            }
            spin();
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let end = |word| Some(state::end_record(word, self.before, self.outcome));
        let ended = self.slot.word.update(end);
        if ended.is_some_and(|(_, word)| word.is_dead()) && self.slot.take_if_unused() {
            event::Event::table().recycle(self.slot, self.handle.index());
        }
    }
}
