//! Callbacks: a function that runs when an event is done.

use super::event::EVENTS;
use super::sync::Awaited;
use crate::error::Result;
use crate::probe::{self, Call, NATIVE_STREAMS};
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
        let cell =
            if process::is_sanitized() { EVENTS.find(self.0).ok().map(|event| &event.slot.value.cell) } else { None };
        cell.inspect(|cell| probe::release(*cell));
        let call = move |status| {
            let _traced = probe::slice(|| Call::new("callback"));
            if let Some(cell) = cell {
                probe::acquire(cell);
                probe::acquire(&NATIVE_STREAMS);
            }
            // A panic ends the callback, and not the thread, which has others to run.
            let _ = catch_unwind(AssertUnwindSafe(|| probe::outside(|| call(status))));
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::machine::EventFlags;
    use std::sync::mpsc::{Sender, channel};
    use std::time::Duration;

    #[test]
    fn callbacks_that_panic_end_no_worker() {
        const CALLS: usize = 2500;
        let event = Event::create(EventFlags::DEFAULT).expect("there is memory");
        let (sender, receiver) = channel();
        /// Sends when it is dropped: a callback has run, or has panicked.
        struct Ended(Sender<()>);
        impl Drop for Ended {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        for _ in 0..CALLS {
            let ended = Ended(sender.clone());
            let call = move |_| {
                let _ended = ended;
                // Without the hook, which would write a message.
                std::panic::resume_unwind(Box::new(()));
            };
            event.on_complete(call).expect("the callback is taken");
            receiver.recv_timeout(Duration::from_secs(300)).expect("the callback runs");
        }
        event.destroy().expect("it is live");
    }
}
