//! The time an event completed, on the host's clock, for every kind of device.

use super::event::{self, IMPORTED};
use super::query::remember;
use super::state::{Op, answer};
use crate::backend::{Backend, Mark, RecordRef};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::table::Event;

impl Event {
    /// Returns when the event's last record completed, in nanoseconds of CLOCK_MONOTONIC, and the greatest error of that time. `None` while
    /// the record is pending, and until the clocks have been compared once.
    pub fn host_time(self) -> Result<Option<(i64, u64)>> {
        Ok(self.read_time(|backend, mark| backend.host_time(mark))?.flatten())
    }

    /// Returns what `read` finds for the event's last record; `None` while it is pending.
    pub(crate) fn read_time<T>(self, read: impl Fn(&dyn Backend, Mark) -> Result<T>) -> Result<Option<T>> {
        let event = event::get(self.0)?;
        if event.has(IMPORTED) {
            return Err(Error::ImportedNoTiming);
        }
        if !event.flags().is_timed() {
            return Err(Error::TimingDisabled);
        }
        loop {
            let word = event.slot().word.load();
            answer(word, Op::Elapsed)?;
            // Read after the word: the first record binds the event.
            let context = event.context().ok_or(Error::NotRecorded(Status::INVALID_HANDLE))?;
            context.check()?;
            let read_reached = |mark| {
                let is_reached = context.backend.reached(RecordRef::Held(mark))?;
                if is_reached { read(&*context.backend, mark).map(Some) } else { Ok(None) }
            };
            let (mark, time) = event::with_mark(&event, context, |mark| (mark, read_reached(mark)));
            if time.is_err() {
                // A record that is being made may have removed the time. It locks the cell until it has replaced the mark.
                drop(event.cell.lock());
                if event::with_mark(&event, context, |now| now != mark) {
                    continue;
                }
            }
            // A record that has been made since removes the time.
            if event.slot().word.load().records() == word.records() {
                if let Ok(Some(_)) = time {
                    remember(&event, word);
                }
                return time;
            }
        }
    }
}
