//! Points: what can complete, as a timeline and a value of it. The waiters for values, the gates that the host opens, the values that
//! failed, and the threads that wake waiters. Nothing here knows a backend.

mod failed_spans;
mod gate;
mod notifier;
mod pauses;
#[cfg(not(loom))]
mod rounds;
mod wait;
mod waiter_list;

pub(crate) use failed_spans::FailedSpans;
pub(crate) use gate::{Gate, Opener};
pub(crate) use notifier::{Key, Notifier, Source};
pub(crate) use pauses::Pauses;
#[cfg(not(loom))]
pub(crate) use rounds::Rounds;
pub(crate) use wait::{Awaitable, LOOKS, Until, wait, wait_helping};
pub(crate) use waiter_list::WaiterList;
