//! Callbacks: a function that runs when an event is done.

use super::sync::Awaited;
use crate::error::Result;
use crate::process;
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
        let call = move |status| {
            let _traced = trace::slice(|| Call::new("callback"));
            call(status);
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
