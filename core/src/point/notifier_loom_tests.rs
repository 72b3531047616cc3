//! Interleavings of the notifier's thread with threads that add waiters, reach values, and forget, one per test. A lost waiter stays
//! parked forever, which loom reports as a deadlock. No thread is joined: loom lets `unpark` end a join.

use super::*;
use crate::sync::{AtomicU64, Ordering};
use crate::table::loom_tests::{three_threads, two_threads};
use loom::sync::Arc;
use loom::thread;

/// One timeline. As a kernel or a driver does, [`reach`] ends a sleep on it.
struct Counter;

impl Source for Counter {
    const NAME: &'static str = "gevt-model";
    type Timeline = Arc<AtomicU64>;
    type Round = ();

    fn begin(&self, (): &mut (), _: bool) {}

    fn look(&self, timeline: &mut Arc<AtomicU64>, value: u64, (): &mut ()) -> Result<Option<Status>> {
        Ok((timeline.load(Ordering::Acquire) >= value).then_some(Status::SUCCESS))
    }

    fn sleep(&self, (): &mut (), call: &Signal) {
        call.sleep(None);
    }
}

type Model = Arc<Notifier<Counter>>;

fn reach(notifier: &Model, timeline: &AtomicU64, value: u64) {
    timeline.store(value, Ordering::Release);
    notifier.call.give();
}

/// Waits as a thread does.
fn wait(notifier: &Model, timeline: &Arc<AtomicU64>, value: u64) {
    let parker = Parker::new();
    notifier.add([1, 0], timeline.clone(), value, Waiter::Thread(parker.clone())).expect("the notifier runs");
    let _ = parker.park(None);
    notifier.forget([1, 0], value, &parker);
}

fn model() -> (Model, Arc<AtomicU64>) {
    (Arc::new(Notifier::new(Counter)), Arc::new(AtomicU64::new(0)))
}

#[test]
fn the_thread_against_a_waiter_and_its_value() {
    two_threads(|| {
        let (notifier, timeline) = model();
        let other = (notifier.clone(), timeline.clone());
        thread::spawn(move || {
            reach(&other.0, &other.1, 1);
            wait(&other.0, &other.1, 1);
            other.0.end();
        });
        notifier.watch();
        assert!(notifier.state.lock().lines.is_empty());
    });
}

#[test]
fn the_value_is_reached_while_its_waiter_is_added() {
    three_threads(|| {
        let (notifier, timeline) = model();
        let [one, other] = [(); 2].map(|()| (notifier.clone(), timeline.clone()));
        thread::spawn(move || reach(&one.0, &one.1, 1));
        thread::spawn(move || {
            wait(&other.0, &other.1, 1);
            other.0.end();
        });
        notifier.watch();
    });
}

#[test]
fn a_waiter_is_forgotten_while_its_value_is_reached() {
    two_threads(|| {
        let (notifier, timeline) = model();
        let other = (notifier.clone(), timeline.clone());
        let parker = Parker::new();
        notifier.add([1, 0], timeline.clone(), 1, Waiter::Thread(parker.clone())).expect("the notifier runs");
        thread::spawn(move || {
            reach(&other.0, &other.1, 1);
            other.0.forget([1, 0], 1, &parker);
            assert!(other.0.state.lock().lines.is_empty());
            other.0.end();
        });
        notifier.watch();
    });
}
