//! Callbacks: a function that runs when an event is done.

use super::event::EVENTS;
use super::sync::Awaited;
use crate::error::Result;
use crate::process;
use crate::sanitizer::{self, NATIVE_STREAMS};
use crate::status::Status;
use crate::table::Event;
use crate::trace::{self, Call};
use crate::workers::{Waiter, promise_completion, wake, withdraw_completion};

impl Event {
    /// Calls `call` once, on a thread of gevt's, when the event's last record is done, or can no longer be: the status says
    /// which.
    pub fn on_complete(self, call: impl FnOnce(Status) + Send + 'static) -> Result<()> {
        process::check()?;
        promise_completion()?;
        let cell = if process::is_sanitized() { EVENTS.find(self.0).ok().map(|slot| &slot.value.cell) } else { None };
        cell.inspect(|cell| sanitizer::release(*cell));
        let call = move |status| {
            let _traced = trace::slice(|| Call::new("callback"));
            if let Some(cell) = cell {
                sanitizer::acquire(cell);
                sanitizer::acquire(&NATIVE_STREAMS);
            }
            sanitizer::outside(|| call(status));
        };
        let given = Awaited::new(self.0).and_then(|awaited| match awaited {
            Some(awaited) => awaited.then(Box::new(call)),
            None => {
                wake(Waiter::Work(Box::new(call)), Status::SUCCESS);
                Ok(())
            }
        });
        given.inspect_err(|_| withdraw_completion())
    }
}
