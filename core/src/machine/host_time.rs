//! The time an event completed, on the host's clock, for every kind of device.

use super::event;
use super::flags::EventFlags;
use super::state::{Op, State, answer, is_known};
use super::word;
use crate::backend::{Backend, Mark};
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
        if event.is_imported() {
            return Err(Error::ImportedNoTiming);
        }
        if event.flags().contains(EventFlags::DISABLE_TIMING) {
            return Err(Error::TimingDisabled);
        }
        loop {
            let word = event.slot().word.load();
            if let Some(error) = answer(State::of(word), is_known(word), Op::Elapsed).refusal() {
                return Err(error);
            }
            // Read after the word: the first record binds the event.
            let context = event.context().ok_or(Error::NotRecorded(Status::INVALID_HANDLE))?;
            context.check()?;
            if !context.backend.is_reached(&event.cell)? {
                return Ok(None);
            }
            // The mark has its time only now.
            if let Some(mark) = word::mark_of(event.slot(), word, |event| context.backend.mark(&event.cell)) {
                match read(&*context.backend, mark) {
                    // A record that has begun since removes the time.
                    Err(_) if event.slot().word.load() != word => {}
                    time => return time.map(Some),
                }
            }
            // As in `elapsed`.
            if event.slot().word.load().recording() > 0 {
                return Ok(None);
            }
            std::hint::spin_loop();
        }
    }
}
