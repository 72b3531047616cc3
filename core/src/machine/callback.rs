//! Callbacks: a function that runs when an event is done.

use super::event::EVENTS;
use super::query::announce_done;
use super::sync::PendingEvent;
use crate::error::Result;
use crate::probe::{self, Call};
use crate::process;
use crate::status::Status;
use crate::table::Event;
use crate::workers::{Waiter, promise_completion, wake, withdraw_completion};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Event {
    /// Calls `call` once on one of gevt's threads, when the event's last record completes or can no longer complete.
    /// The status says which.
    pub fn on_complete(self, call: impl FnOnce(Status) + Send + 'static) -> Result<()> {
        process::check()?;
        promise_completion()?;
        let slot = EVENTS.find(self.0).ok().map(|event| &event.slot.value);
        slot.inspect(|slot| probe::release(&slot.cell));
        let call = move |status| {
            let _traced = probe::slice(|| Call::new("callback"));
            slot.inspect(|slot| announce_done(slot));
            // A panic ends the callback, and not the thread, which has others to run.
            let _ = catch_unwind(AssertUnwindSafe(|| probe::outside(|| call(status))));
        };
        let given = PendingEvent::new(self.0).and_then(|awaited| match awaited {
            Some(awaited) => awaited.then(Waiter::Work, call),
            None => {
                wake(Waiter::Work(Box::new(call)), Status::SUCCESS);
                Ok(())
            }
        });
        given.inspect_err(|_| withdraw_completion())
    }
}

#[cfg(all(test, not(loom)))]
#[path = "callback_tests.rs"]
mod tests;
